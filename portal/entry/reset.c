/* portal/entry/reset.c - the link of a forgotten password. It ends all sessions and known devices,
 * makes this browser a known one, and does not sign in; two-factor stays. */
#include "base/os/clock.h"
#include "portal/audit.h"
#include "portal/entry/ask.h"
#include "portal/entry/entry.h"
#include "portal/outbox/write.h"
#include "portal/page/answer.h"
#include "portal/page/field.h"
#include "portal/password/jobs.h"
#include "portal/session/device.h"
#include "text/json.h"
#include "text/passwords/rule.h"

static const struct field fields[] = {
    { "password", "New password", "password", "new-password",
      "At least 12 characters. A sentence is good.", 0, false },
    { "revoke_tokens", "Revoke all API tokens, too", "checkbox", NULL,
      "Do this if somebody else may have been in your account.", 0, true },
};

static void show(struct visit *visit, const struct asked_link *link, int status)
{
    cJSON *model = json_object();
    json_str(model, "title", "Set a new password");
    json_str(model, "link", visit->place[0]);
    json_bool(model, "is_open", link->is_open);
    json_str(model, "email", link->email);
    fields_add(visit, fields, countof(fields), model);
    page_show(visit, status, "entry/reset", model);
}

static void say_used(struct visit *visit, struct asked_link *link)
{
    link->is_open = false;
    visit_refuse(visit, NULL, "This link was used or is too old. Ask for a new one.");
    show(visit, link, 400);
}

/* Is there something to fill in? Else that is answered. A link for nobody was never sent. */
static bool open_link(struct visit *visit, struct asked_link *link)
{
    struct err err = { 0 };
    if (!ask_link(visit, LINK_RESET, link, &err)) {
        page_failed(visit, &err);
        return false;
    }
    if (link->is_open && link->member_id[0])
        return true;
    say_used(visit, link);
    return false;
}

void reset_show(struct visit *visit)
{
    struct asked_link link;
    if (open_link(visit, &link))
        show(visit, &link, 200);
}

/* ---- the new password ---- */

static bool check_password(struct visit *visit, const struct asked_link *link)
{
    struct password_owner owner = { link->email, NULL, ask_host(visit) };
    struct err err = { 0 };
    return password_rule(text_of(form_text(&visit->form, "password")), &owner, clock_wall_ms(),
                         &err) ||
           visit_refuse(visit, "password", "%s", err.message);
}

/* Lock the link and look once more: of two that come at once, one is late. */
static bool take_link(struct sql *sql, const struct asked_link *link, cJSON *member,
                      struct err *err)
{
    return sql_row(sql,
                   "select m.account_id, m.email from link_open($1, 'reset') l"
                   "  join member m on m.member_id = l.member_id",
                   (struct sql_params){ 1, { link->link_id } }, member, err);
}

static bool set_password(struct sql *sql, const struct asked_link *link, const char *hash,
                         struct err *err)
{
    return sql_run(sql,
                   "update member set password = $2, password_at = ledger_now()"
                   " where member_id = $1",
                   (struct sql_params){ 2, { link->member_id, hash } }, err) &&
           sql_run(sql,
                   "update link set used_at = ledger_now()"
                   " where member_id = $1 and kind = 'reset' and used_at is null",
                   (struct sql_params){ 1, { link->member_id } }, err);
}

/* Whoever was in is out: sessions, known devices and, when that is wished, tokens. */
static bool shut_out(struct sql *sql, struct visit *visit, const struct asked_link *link,
                     const char *account_id, struct err *err)
{
    bool revokes = form_text(&visit->form, "revoke_tokens")[0] != '\0';
    return session_end(sql, link->member_id, NULL, NULL, err) &&
           device_forget_all(sql, link->member_id, err) &&
           device_know(sql, visit, link->member_id, NULL, err) &&
           (!revokes || sql_run(sql, "select token_end($1, null)",
                                (struct sql_params){ 1, { account_id } }, err)) &&
           audit_add(sql, visit, link->member_id, account_id,
                     revokes ? "password reset, tokens revoked" : "password reset", NULL, err);
}

static bool tell(struct sql *sql, struct visit *visit, const struct asked_link *link,
                 const char *email, struct err *err)
{
    scoped(json_free) cJSON *data = visit_data(visit);
    struct outbox_mail mail = { .member_id = link->member_id,
                                .recipient = email,
                                .template = "password-changed",
                                .data = data };
    return outbox_add(sql, &mail, err);
}

static bool reset_in(struct sql *sql, struct visit *visit, const struct asked_link *link,
                     const char *hash, bool *is_done, struct err *err)
{
    scoped(json_free) cJSON *member = json_object();
    if (!sql_begin(sql, SQL_WRITE, err) || !take_link(sql, link, member, err))
        return false;
    *is_done = json_size(member) > 0;
    if (!*is_done)
        return true;
    return set_password(sql, link, hash, err) &&
           shut_out(sql, visit, link, json_text(member, "/account_id"), err) &&
           tell(sql, visit, link, json_text(member, "/email"), err) && sql_commit(sql, err);
}

static bool reset_password(struct visit *visit, const struct asked_link *link, bool *is_done,
                           struct err *err)
{
    struct portal *portal = visit->portal;
    char hash[PASSWORD_HASH_BYTES];
    struct sql *sql = NULL;
    if (!password_jobs_hash(portal->passwords, true, text_of(form_text(&visit->form, "password")),
                            hash, err) ||
        !pool_take(portal->pool, &sql, err))
        return false;
    bool ok = reset_in(sql, visit, link, hash, is_done, err);
    pool_give(portal->pool, &sql);
    return ok;
}

void reset(struct visit *visit)
{
    struct asked_link link;
    struct err err = { 0 };
    bool is_done = false;
    if (!open_link(visit, &link))
        return;
    if (!check_password(visit, &link)) {
        show(visit, &link, 400);
    } else if (!reset_password(visit, &link, &is_done, &err)) {
        page_failed(visit, &err);
    } else if (!is_done) {
        say_used(visit, &link);
    } else {
        cookie_end(&visit->response->headers, COOKIE_SESSION);
        page_redirect(visit, "/portal/sign-in", "password-set");
    }
}
