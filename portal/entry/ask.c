/* portal/entry/ask.c - see ask.h. */
#include "portal/entry/ask.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/os/deadline.h"
#include "portal/page/answer.h"
#include "text/json.h"

bool ask_email(struct visit *visit, struct email *email)
{
    return email_parse(text_of(form_text(&visit->form, "email")), email, NULL) ||
           visit_refuse(visit, "email", "Enter an e-mail address like name@example.com.");
}

/* May this visitor's network ask for one more mail? Else that is refused in the visit. *sends says
 * whether the recipient has not had too many of them. */
static bool pass(struct visit *visit, const struct email *email, bool *sends, struct err *err)
{
    char address[THROTTLE_ADDRESS_BYTES];
    int64_t retry_ms;
    throttle_address(&visit->address, address);
    struct throttle_key by_address = { THROTTLE_ENTRY_ADDRESS, address };
    struct throttle_key by_email = { THROTTLE_MAIL, email->key };

    if (!throttle_take(visit->portal, &by_address, 1, &retry_ms, err))
        return false;
    if (retry_ms > 0) {
        visit_refuse(visit, NULL, "Too many tries from your network. Try again in %s.",
                     throttle_wait(retry_ms).words);
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
    struct pool *pool = visit->portal->pool;
    struct sql *sql = NULL;
    uuid_format(link_id, &link);
    uuid_format(mail_id, &mail);
    bool ok =
        pool_take(pool, &sql, err) &&
        sql_run(sql, statement,
                (struct sql_params){ 4, { link_id, mail_id, email->address, email->key } }, err);
    pool_give(pool, &sql);
    return ok;
}

/* Some times what the rows take; few may ask (THROTTLE_ENTRY_ADDRESS), so it holds no thread up. */
enum { SETTLE_MS = 50 };

void ask_settle(const struct visit *visit)
{
    poll(NULL, 0, deadline_poll_ms(visit->begun_ms + SETTLE_MS));
}

void ask_mail(struct visit *visit, const struct email *email, bool is_trap,
              const struct mailed_link *mailed)
{
    struct err err = { 0 };
    bool sends = false;
    if (!pass(visit, email, &sends, &err)) {
        page_failed(visit, &err);
    } else if (visit->errors) {
        mailed->show_form(visit, 429);
    } else if (sends && !is_trap && !write_rows(visit, mailed->statement, email, &err)) {
        page_failed(visit, &err);
    } else {
        ask_settle(visit);
        mailed->show_sent(visit, email->address);
    }
}

static void read_row(const cJSON *row, struct asked_link *link)
{
    const char *member_id = json_text(row, "/member_id");
    const char *email = json_text(row, "/email");
    snprintf(link->member_id, sizeof(link->member_id), "%s", member_id ? member_id : "");
    snprintf(link->email, sizeof(link->email), "%s", email ? email : "");
    link->is_open = json_is(json_get(row, "is_open"), cJSON_True);
}

bool ask_link(struct visit *visit, enum link_kind kind, struct asked_link *link, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    struct pool *pool = visit->portal->pool;
    struct sql *sql = NULL;

    *link = (struct asked_link){ 0 };
    if (!link_read(visit->portal->secrets, kind, visit->place[0], link->link_id))
        return true;
    bool ok = pool_take(pool, &sql, err) &&
              sql_row(sql,
                      "select l.member_id, coalesce(m.email, l.email) as email,"
                      "       l.used_at is null and l.expires_at > ledger_now() as is_open"
                      "  from link l left join member m using (member_id)"
                      " where l.link_id = $1 and l.kind = $2",
                      (struct sql_params){ 2, { link->link_id, link_kind_name(kind) } }, row, err);
    pool_give(pool, &sql);
    read_row(row, link);
    return ok;
}

const char *ask_host(struct visit *visit)
{
    const char *host = visit->portal->public_url + strlen("https://");
    return arena_copy(&visit->arena, (struct text){ host, strcspn(host, ":/") });
}
