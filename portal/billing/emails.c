/* portal/billing/emails.c - addresses that get invoices by email. A member adds one, and somebody
 * who reads its mailbox confirms it with a link. GET only shows that page, because mail scanners
 * open links. */
#include <string.h>

#include "base/table.h"
#include "net/email.h"
#include "portal/base/links.h"
#include "portal/base/throttle.h"
#include "portal/base/times.h"
#include "portal/billing/billing.h"
#include "portal/entry/link-pages.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "portal/page/audit.h"
#include "text/json.h"

/* ---- adding one ---- */

struct adding {
    struct email email;
    bool sends; /* the mailbox is below its limit of emails */
    char link_id[UUID_TEXT_BYTES];
    char outcome[OUTCOME_BYTES];
};

/* Words of billing_email_add(). */
static const struct refusal {
    const char *word;
    const char *sentence;
} refusals[] = {
    { "same", "This address gets your invoices already." },
    { "many", "Three addresses are the limit. Remove one first." },
};

static bool add_address(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct adding *adding = context;
    return work_outcome(sql, "select billing_email_add($1, $2, $3, $4, $5::boolean) as outcome",
                        SQL_PARAMS(visit->session.session_id, adding->link_id,
                                   adding->email.address, adding->email.key,
                                   adding->sends ? "true" : "false"),
                        adding->outcome, err) &&
           (strcmp(adding->outcome, "done") != 0 ||
            work_audit(sql, visit, "invoice email requested", NULL, err));
}

/* Count the emails to this mailbox from all requests. The requester does not see the limit. */
static bool count_mail(struct visit *visit, struct adding *adding, struct err *err)
{
    struct throttle_key key = { THROTTLE_MAIL, adding->email.key };
    int64_t retry_ms = 0;
    if (!throttle_take(visit->portal, &key, 1, &retry_ms, err))
        return false;
    adding->sends = retry_ms == 0;
    return true;
}

static bool read_address(struct visit *visit, struct adding *adding)
{
    struct uuid link = uuid_new();
    uuid_format(adding->link_id, &link);
    if (!portal_sends_mail(visit->portal))
        return visit_add_error(visit, NULL, "This server does not send email. Write to %s.",
                               portal_contact(visit->portal));
    return entry_read_email(visit, &adding->email);
}

static void answer_added(struct visit *visit, const struct adding *adding)
{
    const struct refusal *refusal = TABLE_FIND(refusals, adding->outcome);
    if (refusal) {
        visit_add_error(visit, "email", "%s", refusal->sentence);
        billing_page(visit, 400);
    } else if (strcmp(adding->outcome, "done") == 0) {
        page_redirect(visit, "/portal/billing", "invoice-email-asked");
    } else {
        page_not_found(visit);
    }
}

void billing_email_add(struct visit *visit)
{
    struct adding adding = { .sends = false };
    struct err err = { 0 };
    bool is_answered = false;
    if (!read_address(visit, &adding))
        billing_page(visit, 400);
    else if (!work_throttle(visit, THROTTLE_WORK, visit->session.account_id, &is_answered)) {
        if (!is_answered)
            billing_page(visit, 429);
    } else if (!count_mail(visit, &adding, &err)) {
        page_failed(visit, &err);
    } else if (work_do(visit, add_address, &adding)) {
        answer_added(visit, &adding);
    }
}

/* ---- removing one ---- */

static bool remove_address(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    bool *is_done = context;
    return sql_bool(sql, "select billing_email_remove($1, $2)",
                    SQL_PARAMS(visit->session.session_id, visit->place[0]), is_done, err) &&
           (!*is_done || work_audit(sql, visit, "invoice email removed", NULL, err));
}

void billing_email_remove(struct visit *visit)
{
    char id[UUID_TEXT_BYTES];
    bool is_done = false;
    if (!work_place_id(visit, id) || !work_do(visit, remove_address, &is_done))
        return;
    if (is_done)
        page_redirect(visit, "/portal/billing", "invoice-email-removed");
    else
        page_not_found(visit);
}

/* ---- the link ---- */

struct opened {
    char link_id[UUID_TEXT_BYTES];
    char outcome[OUTCOME_BYTES];
    cJSON *row; /* { account_id, account, by, email, is_open }; empty: the link does not exist */
};

static bool find_link(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct opened *opened = context;
    (void)visit;
    return sql_row(sql,
                   "select a.account_id, a.name as account, m.email as by, b.email,"
                   "       l.used_at is null and l.expires_at > ledger_now() as is_open"
                   "  from link l join member m using (member_id) join account a using (account_id)"
                   "  join billing_email b on b.account_id = a.account_id and b.link_id = l.link_id"
                   " where l.link_id = $1 and l.kind = 'invoices'",
                   SQL_PARAMS(opened->link_id), opened->row, err);
}

static void show_link(struct visit *visit, int status, const struct opened *opened, bool is_open,
                      bool is_done)
{
    cJSON *model = page_model(is_done ? "Address confirmed" : "Get invoices by email");
    json_bool(model, "is_open", is_open);
    json_bool(model, "is_done", is_done);
    json_str(model, "link", visit->place[0]);
    json_str(model, "host", visit->portal->public_url + strlen("https://"));
    json_str(model, "email", json_text(opened->row, "/email"));
    json_str(model, "account", json_text(opened->row, "/account"));
    json_str(model, "by", json_text(opened->row, "/by"));
    page_show(visit, status, "billing/email", model);
}

static void show_used(struct visit *visit, const struct opened *opened)
{
    visit_add_error(visit, NULL, "This link was already used or has expired. Ask for a new one.");
    show_link(visit, 400, opened, false, false);
}

/* Is the link open? If not, that is answered. */
static bool open_link(struct visit *visit, struct opened *opened)
{
    bool is_ours =
        link_read(visit->portal->secrets, LINK_INVOICES, visit->place[0], opened->link_id);
    if (is_ours && !work_query(visit, find_link, opened))
        return false;
    if (is_ours && sql_is(opened->row, "is_open"))
        return true;
    show_used(visit, opened);
    return false;
}

void billing_email_show(struct visit *visit)
{
    scoped(json_free) cJSON *row = json_object();
    struct opened opened = { .row = row };
    if (open_link(visit, &opened))
        show_link(visit, 200, &opened, true, false);
}

static bool confirm_address(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct opened *opened = context;
    return work_outcome(sql, "select billing_email_confirm($1) as outcome",
                        SQL_PARAMS(opened->link_id), opened->outcome, err) &&
           (strcmp(opened->outcome, "done") != 0 ||
            audit_add(sql, visit, NULL, json_text(opened->row, "/account_id"),
                      "invoice email confirmed", NULL, err));
}

void billing_email_confirm(struct visit *visit)
{
    scoped(json_free) cJSON *row = json_object();
    struct opened opened = { .row = row };
    if (!open_link(visit, &opened) || !work_do(visit, confirm_address, &opened))
        return;
    if (strcmp(opened.outcome, "done") == 0)
        show_link(visit, 200, &opened, false, true);
    else
        show_used(visit, &opened);
}
