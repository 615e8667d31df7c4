/* portal/member/email.c - changing the email address:
 *
 * 1. The member requests it. A link goes to the new address, and an undo link to the old one.
 * 2. The link, opened in the member's session, proves the new mailbox and changes the address.
 * 3. The undo link lets the owner of the old mailbox take the account back within 7 days. */
#include <stdio.h>
#include <string.h>

#include "net/email.h"
#include "portal/base/links.h"
#include "portal/base/throttle.h"
#include "portal/base/times.h"
#include "portal/entry/link-pages.h"
#include "portal/member/member.h"
#include "portal/member/work.h"
#include "portal/outbox/write.h"
#include "portal/page/answer.h"
#include "portal/page/audit.h"
#include "text/json.h"

enum {
    PATH_BYTES = 2 * LINK_TEXT_BYTES,
    SHOWN_MAX_BYTES = 16 << 10, /* 50 active tokens of 37 bytes each */
    IDS_MAX_BYTES = FORM_MAX_BYTES,
};

/* ---- the request ---- */

struct asking {
    struct email email;
    bool sends; /* the new mailbox is below its limit of emails */
    char link_id[UUID_TEXT_BYTES];
    char undo_id[UUID_TEXT_BYTES];
};

static bool check_address(struct visit *visit, struct email *email)
{
    const struct portal *portal = visit->portal;
    if (!portal_sends_mail(portal))
        return visit_add_error(visit, NULL, "This server does not send email. Write to %s.",
                               portal_contact(portal));
    if (!entry_read_email(visit, email))
        return false;
    if (strcmp(email->address, visit->session.email) == 0)
        return visit_add_error(visit, "email",
                               "This is already your email address. Enter another one.");
    return entry_check_domain(visit, email);
}

static bool write_rows(struct sql *sql, const struct visit *visit, const struct asking *asking,
                       struct err *err)
{
    return work_act(sql, "select email_request($1, $2, $3, $4, $5, $6::boolean) as is_done",
                    SQL_PARAMS(visit->session.session_id, asking->link_id, asking->undo_id,
                               asking->email.address, asking->email.key,
                               asking->sends ? "true" : "false"),
                    err);
}

static bool mail_old(struct sql *sql, const struct visit *visit, const struct asking *asking,
                     struct err *err)
{
    scoped(json_free) cJSON *data = json_object();
    json_str(data, "email", asking->email.address);
    return work_mail(sql, visit, "email-notice", data, asking->undo_id, err);
}

static bool request_change(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    const struct asking *asking = context;
    return write_rows(sql, visit, asking, err) && mail_old(sql, visit, asking, err) &&
           work_audit(sql, visit, "email change requested", NULL, err);
}

/* Count the emails to this mailbox from all requests. The requester does not see the limit. */
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

void email_request(struct visit *visit)
{
    struct asking asking = { .sends = false };
    struct err err = { 0 };
    bool is_answered = false;

    write_ids(&asking);
    if (!check_address(visit, &asking.email))
        account_page(visit, 400);
    else if (!work_throttle(visit, THROTTLE_WORK, visit->session.account_id, &is_answered)) {
        if (!is_answered)
            account_page(visit, 429);
    } else if (!count_mail(visit, &asking, &err)) {
        page_failed(visit, &err);
    } else if (work_do(visit, request_change, &asking)) {
        entry_equalize_time(visit);
        page_redirect(visit, "/portal/account", "email-asked");
    }
}

/* ---- the links: one page for both ---- */

struct opened {
    enum link_kind kind;
    char link_id[UUID_TEXT_BYTES];
    cJSON *row;    /* { member_id, account_id, email, is_open }; empty: the link does not exist */
    cJSON *tokens; /* of an undo link: active tokens, newest first */
};

static bool find_tokens(struct sql *sql, struct opened *opened, struct err *err)
{
    return sql_rows(sql,
                    "select t.token_id, t.name, t.last4, t.created_at, t.last_used_at,"
                    "       t.created_at >= undo_since(l.link_id) as is_new"
                    "  from link l join member m using (member_id) join token t using (account_id)"
                    " where l.link_id = $1 and t.kind = 1 and t.revoked_at is null"
                    "   and (t.expires_at <= ledger_now()) is not true"
                    " order by t.created_at desc, t.token_id desc",
                    SQL_PARAMS(opened->link_id), opened->tokens, err);
}

static bool find_link(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct opened *opened = context;
    (void)visit;
    return sql_row(sql,
                   "select l.member_id, m.account_id, l.email,"
                   "       l.used_at is null and l.expires_at > ledger_now() as is_open"
                   "  from link l join member m using (member_id)"
                   " where l.link_id = $1 and l.kind = $2",
                   SQL_PARAMS(opened->link_id, link_kind_name(opened->kind)), opened->row, err) &&
           (opened->kind != LINK_UNDO || find_tokens(sql, opened, err));
}

/* The kind of the link, by its MAC. */
static bool read_link(const struct visit *visit, struct opened *opened)
{
    struct secrets *secrets = visit->portal->secrets;
    opened->kind = LINK_EMAIL;
    if (link_read(secrets, LINK_EMAIL, visit->place[0], opened->link_id))
        return true;
    opened->kind = LINK_UNDO;
    return link_read(secrets, LINK_UNDO, visit->place[0], opened->link_id);
}

/* Add the tokens to the page. Those that an intruder may have created are checked. */
static void add_tokens(const struct opened *opened, cJSON *model)
{
    scoped(buf_free) struct buf shown = BUF(SHOWN_MAX_BYTES);
    cJSON *list = json_list(model, "tokens");
    const cJSON *row;
    cJSON_ArrayForEach(row, opened->tokens) {
        cJSON *item = json_item(list);
        json_str(item, "token_id", json_text(row, "/token_id"));
        json_str(item, "name", json_text(row, "/name"));
        json_str(item, "last4", json_text(row, "/last4"));
        time_add(item, "made", json_text(row, "/created_at"));
        time_add(item, "used", json_text(row, "/last_used_at"));
        json_bool(item, "is_new", sql_is(row, "is_new"));
        buf_format(&shown, "%s%s", shown.size > 0 ? " " : "", json_text(row, "/token_id"));
    }
    json_bool(model, "has_tokens", json_size(list) > 0);
    json_str(model, "shown", buf_str(&shown));
}

static void show_link_page(struct visit *visit, int status, const struct opened *opened,
                           bool is_open)
{
    cJSON *model = json_object();
    json_str(model, "title",
             opened->kind == LINK_UNDO ? "Recover your account" : "Confirm your new email address");
    json_bool(model, "is_open", is_open);
    json_bool(model, "is_undo", opened->kind == LINK_UNDO);
    json_str(model, "link", visit->place[0]);
    json_str(model, "email", json_text(opened->row, "/email"));
    add_tokens(opened, model);
    page_show(visit, status, "member/email", model);
}

static void show_used_link(struct visit *visit, const struct opened *opened)
{
    visit_add_error(visit, NULL, "This link was already used or has expired. Request a new one.");
    show_link_page(visit, 400, opened, false);
}

/* The link also needs the session of the member who requested it: a mistyped address does not give
 * the account away. */
static bool is_own_session(const struct visit *visit, const struct opened *opened)
{
    const char *member = json_text(opened->row, "/member_id");
    return opened->kind == LINK_UNDO || (member && strcmp(member, visit->session.member_id) == 0);
}

static void redirect_to_sign_in(struct visit *visit)
{
    char path[PATH_BYTES + 32];
    snprintf(path, sizeof(path), "/portal/sign-in?next=%s%.*s", link_path(LINK_EMAIL),
             LINK_TEXT_BYTES - 1, visit->place[0]);
    page_redirect(visit, path, NULL);
}

/* Is the link open? If not, that is answered. */
static bool open_link(struct visit *visit, struct opened *opened)
{
    bool is_ours = read_link(visit, opened);
    if (is_ours && !work_query(visit, find_link, opened))
        return false;
    if (is_ours && opened->kind == LINK_EMAIL && !visit->is_signed_in) {
        redirect_to_sign_in(visit);
        return false;
    }
    if (is_ours && sql_is(opened->row, "is_open") && is_own_session(visit, opened))
        return true;
    show_used_link(visit, opened);
    return false;
}

void email_link_show(struct visit *visit)
{
    scoped(json_free) cJSON *row = json_object();
    scoped(json_free) cJSON *tokens = json_array();
    struct opened opened = { .row = row, .tokens = tokens };
    if (open_link(visit, &opened))
        show_link_page(visit, 200, &opened, true);
}

/* ---- using them ---- */

struct use {
    const struct opened *opened;
    char outcome[OUTCOME_BYTES];
};

static bool change_email(struct sql *sql, struct visit *visit, struct use *use, struct err *err)
{
    return work_outcome(sql, "select email_change($1, $2) as outcome",
                        SQL_PARAMS(use->opened->link_id, visit->session.session_id), use->outcome,
                        err) &&
           (strcmp(use->outcome, "done") != 0 ||
            work_audit(sql, visit, "email changed", NULL, err));
}

/* ---- taking the account back ---- */

/* Append ids to a PostgreSQL array. Invalid ids are omitted. */
static void add_id(struct text typed, struct buf *ids)
{
    char text[UUID_TEXT_BYTES];
    struct uuid id;
    if (!uuid_parse(typed, &id))
        return;
    uuid_format(text, &id);
    buf_format(ids, "%s%s", ids->size > 1 ? "," : "", text);
}

static void write_ticked(const struct visit *visit, struct buf *ids)
{
    const char *ticked;
    buf_add_byte(ids, '{');
    for (size_t i = 0; (ticked = form_item(&visit->form, "end", i)); i++)
        add_id(text_of(ticked), ids);
    buf_add_byte(ids, '}');
}

/* The tokens that the page showed. A token that is not among them is newer than the page. */
static void write_shown(const struct visit *visit, struct buf *ids)
{
    const char *shown = form_text(&visit->form, "shown");
    buf_add_byte(ids, '{');
    while (*shown) {
        size_t size = strcspn(shown, " ");
        add_id((struct text){ shown, size }, ids);
        shown += size + (shown[size] == ' ');
    }
    buf_add_byte(ids, '}');
}

/* The password no longer works, so a link to set a new one follows, to the restored address. */
static bool mail_reset(struct sql *sql, const struct opened *opened, const char *link_id,
                       struct err *err)
{
    scoped(json_free) cJSON *data = json_object();
    json_bool(data, "is_undo", true);
    return outbox_add(sql,
                      &(struct outbox_mail){ .member_id = json_text(opened->row, "/member_id"),
                                             .recipient = json_text(opened->row, "/email"),
                                             .template = "reset",
                                             .data = data,
                                             .link_id = link_id },
                      err);
}

static bool undo_change(struct sql *sql, struct visit *visit, struct use *use, struct err *err)
{
    scoped(buf_free) struct buf ticked = BUF(IDS_MAX_BYTES);
    scoped(buf_free) struct buf shown = BUF(IDS_MAX_BYTES);
    const cJSON *row = use->opened->row;
    char reset_id[UUID_TEXT_BYTES];
    struct uuid id = uuid_new();
    uuid_format(reset_id, &id);
    write_ticked(visit, &ticked);
    write_shown(visit, &shown);
    return work_outcome(
               sql, "select email_undo($1, $2, $3::uuid[], $4::uuid[]) as outcome",
               SQL_PARAMS(use->opened->link_id, reset_id, buf_str(&ticked), buf_str(&shown)),
               use->outcome, err) &&
           (strcmp(use->outcome, "done") != 0 ||
            (audit_add(sql, visit, json_text(row, "/member_id"), json_text(row, "/account_id"),
                       "email change undone", NULL, err) &&
             mail_reset(sql, use->opened, reset_id, err)));
}

static bool use_link(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct use *use = context;
    return use->opened->kind == LINK_UNDO ? undo_change(sql, visit, use, err)
                                          : change_email(sql, visit, use, err);
}

static void show_undone(struct visit *visit, const struct opened *opened)
{
    cJSON *model = page_model("Your account is recovered");
    json_str(model, "email", json_text(opened->row, "/email"));
    page_show(visit, 200, "member/email-undone", model);
}

static void show_result(struct visit *visit, const struct use *use)
{
    if (strcmp(use->outcome, "taken") == 0) {
        visit_add_error(visit, NULL, "Another account already uses this email address.");
        show_link_page(visit, 400, use->opened, false);
    } else if (strcmp(use->outcome, "session") == 0) {
        redirect_to_sign_in(visit);
    } else if (strcmp(use->outcome, "done") != 0) {
        show_used_link(visit, use->opened);
    } else if (use->opened->kind == LINK_UNDO) {
        show_undone(visit, use->opened);
    } else {
        page_redirect(visit, "/portal/account", "email-changed");
    }
}

void email_link_use(struct visit *visit)
{
    scoped(json_free) cJSON *row = json_object();
    scoped(json_free) cJSON *tokens = json_array();
    struct opened opened = { .row = row, .tokens = tokens };
    struct use use = { .opened = &opened };
    if (open_link(visit, &opened) && work_do(visit, use_link, &use))
        show_result(visit, &use);
}
