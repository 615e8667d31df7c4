/* portal/entry/link-pages.c - see link-pages.h. */
#include "portal/entry/link-pages.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "portal/entry/disposable-domains.h"
#include "portal/entry/next.h"
#include "portal/page/answer.h"
#include "text/json.h"
#include "text/passwords/rule.h"

bool entry_read_email(struct visit *visit, struct email *email)
{
    return email_parse(text_of(form_text(&visit->form, "email")), email, NULL) ||
           visit_add_error(visit, "email", "Enter an email address like name@example.com.");
}

bool entry_check_domain(struct visit *visit, const struct email *email)
{
    const struct portal *portal = visit->portal;
    return !disposable_domains_has(portal->disposable_domains, strrchr(email->key, '@') + 1) ||
           visit_add_error(visit, "email",
                           "This domain provides disposable addresses. Use a permanent address, or "
                           "write to %s.",
                           portal_contact(portal));
}

/* Check the limits of emails. If the visitor's network is over its limit, the error is in the
 * visit. *sends: the recipient is below the limit. */
static bool check_mail_limits(struct visit *visit, const struct email *email, bool *sends,
                              struct err *err)
{
    char address[THROTTLE_ADDRESS_BYTES];
    int64_t retry_ms;
    throttle_address(&visit->address, address);
    struct throttle_key by_address = { THROTTLE_ENTRY_ADDRESS, address };
    struct throttle_key by_email = { THROTTLE_MAIL, email->key };

    if (!throttle_take(visit->portal, &by_address, 1, &retry_ms, err))
        return false;
    if (retry_ms > 0) {
        visit_add_wait(visit, retry_ms, " from your network", "");
        return true;
    }
    if (!throttle_take(visit->portal, &by_email, 1, &retry_ms, err))
        return false;
    *sends = retry_ms == 0;
    return true;
}

static bool write_rows(struct visit *visit, const char *statement, const struct email *email,
                       struct err *err)
{
    char link_id[UUID_TEXT_BYTES];
    char mail_id[UUID_TEXT_BYTES];
    struct uuid link = uuid_new();
    struct uuid mail = uuid_new();
    uuid_format(link_id, &link);
    uuid_format(mail_id, &mail);
    return pool_run(visit->portal->pool, statement,
                    SQL_PARAMS(link_id, mail_id, email->address, email->key), err);
}

/* Several times what the rows take. Few requests get here (THROTTLE_ENTRY_ADDRESS), so no threads
 * are exhausted. */
enum { SETTLE_MS = 50 };

void entry_equalize_time(const struct visit *visit)
{
    poll(NULL, 0, deadline_poll_ms(visit->begun_ms + SETTLE_MS));
}

static void show_sent(struct visit *visit, const char *template, const char *address)
{
    cJSON *model = page_model("Check your email");
    json_str(model, "email", address);
    json_bool(model, "connects", next_app(visit) != NULL);
    page_show(visit, 200, template, model);
}

void entry_mail_link(struct visit *visit, const struct email *email, bool is_trap,
                     const struct mailed_link *mailed)
{
    struct err err = { 0 };
    bool sends = false;
    if (!check_mail_limits(visit, email, &sends, &err)) {
        page_failed(visit, &err);
    } else if (visit->errors) {
        mailed->show_form(visit, 429);
    } else if (sends && !is_trap && !write_rows(visit, mailed->statement, email, &err)) {
        page_failed(visit, &err);
    } else {
        entry_equalize_time(visit);
        show_sent(visit, mailed->sent, email->address);
    }
}

static void read_row(const cJSON *row, struct entry_link *link)
{
    sql_copy(row, "member_id", link->member_id, sizeof(link->member_id));
    sql_copy(row, "email", link->email, sizeof(link->email));
    link->is_open = sql_is(row, "is_open");
}

bool entry_read_link(struct visit *visit, enum link_kind kind, struct entry_link *link,
                     struct err *err)
{
    scoped(json_free) cJSON *row = json_object();

    *link = (struct entry_link){ 0 };
    if (!link_read(visit->portal->secrets, kind, visit->place[0], link->link_id))
        return true;
    bool ok = pool_row(visit->portal->pool,
                       "select l.member_id, coalesce(m.email, l.email) as email,"
                       "       l.used_at is null and l.expires_at > ledger_now() as is_open"
                       "  from link l left join member m using (member_id)"
                       " where l.link_id = $1 and l.kind = $2",
                       SQL_PARAMS(link->link_id, link_kind_name(kind)), row, err);
    read_row(row, link);
    return ok;
}

const char *entry_host(struct visit *visit)
{
    const char *host = visit->portal->public_url + strlen("https://");
    return arena_copy(&visit->arena, (struct text){ host, strcspn(host, ":/") });
}

void entry_link_page(struct visit *visit, int status, const struct entry_link *link,
                     const char *template, const char *title, const struct field *fields,
                     size_t count)
{
    cJSON *model = page_model(title);
    json_str(model, "link", visit->place[0]);
    json_bool(model, "is_open", link->is_open);
    json_str(model, "email", link->email);
    fields_add(visit, fields, count, model);
    page_show(visit, status, template, model);
}

bool entry_check_password(struct visit *visit, const char *email, const char *name)
{
    struct password_owner owner = { email, name, entry_host(visit) };
    struct err err = { 0 };
    return password_rule(text_of(form_text(&visit->form, "password")), &owner, clock_wall_ms(),
                         &err) ||
           visit_add_error(visit, "password", "%s", err.message);
}
