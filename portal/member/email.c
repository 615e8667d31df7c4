/* portal/member/email.c - another e-mail address: asked for, proved by a link in the session that
 * asked, and taken back by whoever has the old mailbox. */
#include <stdio.h>
#include <string.h>

#include "net/email.h"
#include "portal/audit.h"
#include "portal/entry/ask.h"
#include "portal/entry/throwaways.h"
#include "portal/links.h"
#include "portal/member/account.h"
#include "portal/member/member.h"
#include "portal/member/work.h"
#include "portal/outbox/write.h"
#include "portal/page/answer.h"
#include "portal/throttle.h"
#include "text/json.h"

enum { PATH_BYTES = 2 * LINK_TEXT_BYTES };

/* ---- asking ---- */

struct asking {
    struct email email;
    bool sends; /* the new mailbox has not had too many mails */
    char link_id[UUID_TEXT_BYTES];
    char undo_id[UUID_TEXT_BYTES];
};

static bool check_address(struct visit *visit, struct email *email)
{
    const struct portal *portal = visit->portal;
    if (!portal_sends_mail(portal))
        return visit_refuse(visit, NULL, "This installation sends no mail. Ask %s.",
                            portal_contact(portal));
    if (!ask_email(visit, email))
        return false;
    if (strcmp(email->address, visit->session.email) == 0)
        return visit_refuse(visit, "email", "That is your address already.");
    return !throwaways_have(portal->throwaways, strrchr(email->key, '@') + 1) ||
           visit_refuse(visit, "email",
                        "This domain gives throw-away addresses. Use a lasting one, or write to "
                        "%s.",
                        portal_contact(portal));
}

static bool add_links(struct sql *sql, const struct visit *visit, const struct asking *asking,
                      struct err *err)
{
    const struct member_session *session = &visit->session;
    return sql_run(sql,
                   "insert into link (link_id, kind, member_id, email, email_key, created_at,"
                   "                  expires_at)"
                   " select $1, 'email', $2, $3, $4, n, n + interval '24 hours'"
                   "   from ledger_now() n",
                   (struct sql_params){ 4,
                                        { asking->link_id, session->member_id,
                                          asking->email.address, asking->email.key } },
                   err) &&
           sql_run(sql,
                   "insert into link (link_id, kind, member_id, email, email_key, created_at,"
                   "                  expires_at)"
                   " select $1, 'undo', member_id, email, email_key, n, n + interval '7 days'"
                   "   from member, ledger_now() n where member_id = $2",
                   (struct sql_params){ 2, { asking->undo_id, session->member_id } }, err);
}

/* The same row for every address: one that is a member's is told so, at the address we know. */
static bool mail_new(struct sql *sql, const struct visit *visit, const struct asking *asking,
                     struct err *err)
{
    return sql_run(
        sql,
        "insert into mail (mail_id, member_id, recipient, template, link_id, created_at, next_at)"
        " select gen_random_uuid(), coalesce(h.member_id, $1), coalesce(h.email, $3),"
        "        case when not $5::boolean then 'none' when not t.is_taken then 'email-confirm'"
        "             when h.member_id is null then 'none' else 'already' end,"
        "        case when not t.is_taken then $4::uuid end, n, n"
        "   from ledger_now() n, lateral (select email_is_taken($2, $1) as is_taken) t"
        "   left join member h on h.email_key = $2 and h.member_id <> $1",
        (struct sql_params){ 5,
                             { visit->session.member_id, asking->email.key, asking->email.address,
                               asking->link_id, asking->sends ? "true" : "false" } },
        err);
}

static bool mail_old(struct sql *sql, const struct visit *visit, const struct asking *asking,
                     struct err *err)
{
    scoped(json_free) cJSON *data = json_object();
    json_str(data, "email", asking->email.address);
    return outbox_add(sql,
                      &(struct outbox_mail){ .member_id = visit->session.member_id,
                                             .recipient = visit->session.email,
                                             .template = "email-notice",
                                             .data = data,
                                             .link_id = asking->undo_id },
                      err);
}

static bool ask(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    const struct asking *asking = context;
    return add_links(sql, visit, asking, err) && mail_new(sql, visit, asking, err) &&
           mail_old(sql, visit, asking, err) &&
           work_audit(sql, visit, "e-mail change asked", NULL, err);
}

/* How often a mailbox is written to, whoever asks; who asks does not hear of it. */
static bool count_mail(struct visit *visit, struct asking *asking, struct err *err)
{
    struct throttle_key key = { THROTTLE_MAIL, asking->email.key };
    int64_t retry_ms = 0;
    if (!throttle_take(visit->portal, &key, 1, &retry_ms, err))
        return false;
    asking->sends = retry_ms == 0;
    return true;
}

static void write_ids(struct asking *asking)
{
    struct uuid link = uuid_new();
    struct uuid undo = uuid_new();
    uuid_format(asking->link_id, &link);
    uuid_format(asking->undo_id, &undo);
}

void email_ask(struct visit *visit)
{
    struct asking asking = { .sends = false };
    struct err err = { 0 };
    bool is_answered = false;

    write_ids(&asking);
    if (!check_address(visit, &asking.email))
        account_page(visit, 400);
    else if (!work_throttle(visit, &is_answered)) {
        if (!is_answered)
            account_page(visit, 429);
    } else if (!count_mail(visit, &asking, &err) || !work_do(visit, ask, &asking, &err)) {
        page_failed(visit, &err);
    } else {
        ask_settle(visit);
        page_redirect(visit, "/portal/account", "email-asked");
    }
}

/* ---- the links: one page for both ---- */

struct opened {
    enum link_kind kind;
    char link_id[UUID_TEXT_BYTES];
    cJSON *row; /* { member_id, account_id, email, is_open }; empty: no such link */
};

static bool find(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct opened *opened = context;
    (void)visit;
    return sql_row(sql,
                   "select l.member_id, m.account_id, l.email,"
                   "       l.used_at is null and l.expires_at > ledger_now() as is_open"
                   "  from link l join member m using (member_id)"
                   " where l.link_id = $1 and l.kind = $2",
                   (struct sql_params){ 2, { opened->link_id, link_kind_name(opened->kind) } },
                   opened->row, err);
}

/* Which of the two is it? The MAC says. */
static bool read_link(const struct visit *visit, struct opened *opened)
{
    struct secrets *secrets = visit->portal->secrets;
    opened->kind = LINK_EMAIL;
    if (link_read(secrets, LINK_EMAIL, visit->place[0], opened->link_id))
        return true;
    opened->kind = LINK_UNDO;
    return link_read(secrets, LINK_UNDO, visit->place[0], opened->link_id);
}

static void show(struct visit *visit, int status, const struct opened *opened, bool is_open)
{
    cJSON *model = json_object();
    json_str(model, "title",
             opened->kind == LINK_UNDO ? "Take your e-mail address back"
                                       : "Confirm your new e-mail address");
    json_bool(model, "is_open", is_open);
    json_bool(model, "is_undo", opened->kind == LINK_UNDO);
    json_str(model, "link", visit->place[0]);
    json_str(model, "email", json_text(opened->row, "/email"));
    page_show(visit, status, "member/email", model);
}

static void say_used(struct visit *visit, const struct opened *opened)
{
    visit_refuse(visit, NULL, "This link was used or is too old. Ask for a new one.");
    show(visit, 400, opened, false);
}

/* A mistyped address gives nobody the account: the link wants the session of the member who asked.
 */
static bool is_his(const struct visit *visit, const struct opened *opened)
{
    const char *member = json_text(opened->row, "/member_id");
    return opened->kind == LINK_UNDO || (member && strcmp(member, visit->session.member_id) == 0);
}

static void go_sign_in(struct visit *visit)
{
    char path[PATH_BYTES + 32];
    snprintf(path, sizeof(path), "/portal/sign-in?next=%s%.*s", link_path(LINK_EMAIL),
             LINK_TEXT_BYTES - 1, visit->place[0]);
    page_redirect(visit, path, NULL);
}

/* Is there something to act on? Else that is answered. */
static bool open_link(struct visit *visit, struct opened *opened)
{
    struct err err = { 0 };
    bool is_ours = read_link(visit, opened);
    if (is_ours && !work_look(visit, find, opened, &err)) {
        page_failed(visit, &err);
        return false;
    }
    if (is_ours && opened->kind == LINK_EMAIL && !visit->is_signed_in) {
        go_sign_in(visit);
        return false;
    }
    if (is_ours && json_is(json_get(opened->row, "is_open"), cJSON_True) && is_his(visit, opened))
        return true;
    say_used(visit, opened);
    return false;
}

void email_link_show(struct visit *visit)
{
    scoped(json_free) cJSON *row = json_object();
    struct opened opened = { .row = row };
    if (open_link(visit, &opened))
        show(visit, 200, &opened, true);
}

/* ---- using them ---- */

struct use {
    const struct opened *opened;
    char outcome[OUTCOME_BYTES];
};

static bool change(struct sql *sql, struct visit *visit, struct use *use, struct err *err)
{
    return work_outcome(sql, "select email_change($1, $2, $3) as outcome",
                        (struct sql_params){ 3,
                                             { use->opened->link_id, visit->session.member_id,
                                               visit->session.session_id } },
                        use->outcome, err) &&
           (strcmp(use->outcome, "done") != 0 ||
            work_audit(sql, visit, "e-mail changed", NULL, err));
}

/* No password opens the account now, so a link to set one follows, to the address that is back. */
static bool send_reset(struct sql *sql, const struct opened *opened, struct err *err)
{
    scoped(json_free) cJSON *data = json_object();
    const char *member = json_text(opened->row, "/member_id");
    const char *email = json_text(opened->row, "/email");
    char link_id[UUID_TEXT_BYTES];
    struct uuid id = uuid_new();
    uuid_format(link_id, &id);
    json_bool(data, "is_undo", true);
    return sql_run(sql,
                   "insert into link (link_id, kind, member_id, email, email_key, created_at,"
                   "                  expires_at)"
                   " select $1, 'reset', member_id, email, email_key, n, n + interval '30 minutes'"
                   "   from member, ledger_now() n where member_id = $2",
                   (struct sql_params){ 2, { link_id, member } }, err) &&
           outbox_add(sql,
                      &(struct outbox_mail){ .member_id = member,
                                             .recipient = email,
                                             .template = "reset",
                                             .data = data,
                                             .link_id = link_id },
                      err);
}

static bool undo(struct sql *sql, struct visit *visit, struct use *use, struct err *err)
{
    const cJSON *row = use->opened->row;
    return work_outcome(sql, "select email_undo($1) as outcome",
                        (struct sql_params){ 1, { use->opened->link_id } }, use->outcome, err) &&
           (strcmp(use->outcome, "done") != 0 ||
            (audit_add(sql, visit, json_text(row, "/member_id"), json_text(row, "/account_id"),
                       "e-mail change undone", NULL, err) &&
             send_reset(sql, use->opened, err)));
}

static bool use_link(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct use *use = context;
    return use->opened->kind == LINK_UNDO ? undo(sql, visit, use, err)
                                          : change(sql, visit, use, err);
}

static void say_undone(struct visit *visit, const struct opened *opened)
{
    cJSON *model = json_object();
    json_str(model, "title", "Your e-mail address is back");
    json_str(model, "email", json_text(opened->row, "/email"));
    page_show(visit, 200, "member/email-undone", model);
}

static void answer(struct visit *visit, const struct use *use)
{
    if (strcmp(use->outcome, "taken") == 0) {
        visit_refuse(visit, NULL, "There is an account for this address already.");
        show(visit, 400, use->opened, false);
    } else if (strcmp(use->outcome, "done") != 0) {
        say_used(visit, use->opened);
    } else if (use->opened->kind == LINK_UNDO) {
        say_undone(visit, use->opened);
    } else {
        page_redirect(visit, "/portal/account", "email-changed");
    }
}

void email_link_use(struct visit *visit)
{
    scoped(json_free) cJSON *row = json_object();
    struct opened opened = { .row = row };
    struct use use = { .opened = &opened };
    struct err err = { 0 };
    if (!open_link(visit, &opened))
        return;
    if (work_do(visit, use_link, &use, &err))
        answer(visit, &use);
    else
        page_failed(visit, &err);
}
