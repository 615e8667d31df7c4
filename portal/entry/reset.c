/* portal/entry/reset.c - the link of a password reset. It signs out all sessions, forgets all known
 * devices and makes this browser one. It does not sign in. Two-factor sign-in does not change. */
#include "portal/entry/device.h"
#include "portal/entry/entry.h"
#include "portal/entry/link-pages.h"
#include "portal/outbox/write.h"
#include "portal/page/answer.h"
#include "portal/page/audit.h"
#include "portal/password/hash-queue.h"
#include "text/json.h"

static const struct field fields[] = {
    { "password", "New password", "password", "new-password",
      "At least 12 characters. A sentence works well.", 0, false },
    { "revoke_tokens", "Also revoke all API tokens and disconnect all apps", "checkbox", NULL,
      "Do this if someone else may have used your account.", 0, true },
};

static void show_reset_form(struct visit *visit, const struct entry_link *link, int status)
{
    entry_link_page(visit, status, link, "entry/reset", "Set a new password", fields,
                    countof(fields));
}

static void show_used_link(struct visit *visit, struct entry_link *link)
{
    link->is_open = false;
    visit_add_error(visit, NULL, "This link was already used or has expired. Request a new one.");
    show_reset_form(visit, link, 400);
}

/* Is the link open? If not, that is answered. A link of no member was never sent. */
static bool open_link(struct visit *visit, struct entry_link *link)
{
    struct err err = { 0 };
    if (!entry_read_link(visit, LINK_RESET, link, &err)) {
        page_failed(visit, &err);
        return false;
    }
    if (link->is_open && link->member_id[0])
        return true;
    show_used_link(visit, link);
    return false;
}

void reset_show(struct visit *visit)
{
    struct entry_link link;
    if (open_link(visit, &link))
        show_reset_form(visit, &link, 200);
}

/* ---- the new password ---- */

/* If two requests use the link, the second one finds it used: member stays empty. */
static bool store_password(struct sql *sql, const struct entry_link *link, const char *hash,
                           bool revokes, cJSON *member, struct err *err)
{
    return sql_row(sql,
                   "select member_id, account_id, email from password_reset($1, $2, $3::boolean)",
                   SQL_PARAMS(link->link_id, hash, revokes ? "true" : "false"), member, err);
}

static bool audit_reset(struct sql *sql, struct visit *visit, const cJSON *member, bool revokes,
                        struct err *err)
{
    const char *member_id = json_text(member, "/member_id");
    return device_know(sql, visit, member_id, NULL, err) &&
           audit_add(sql, visit, member_id, json_text(member, "/account_id"),
                     revokes ? "password reset, tokens revoked" : "password reset", NULL, err);
}

static bool mail_password_changed(struct sql *sql, struct visit *visit,
                                  const struct entry_link *link, const char *email, struct err *err)
{
    scoped(json_free) cJSON *data = visit_data(visit);
    struct outbox_mail mail = { .member_id = link->member_id,
                                .recipient = email,
                                .template = "password-changed",
                                .data = data };
    return outbox_add(sql, &mail, err);
}

static bool reset_in(struct sql *sql, struct visit *visit, const struct entry_link *link,
                     const char *hash, bool *is_done, struct err *err)
{
    bool revokes = form_text(&visit->form, "revoke_tokens")[0] != '\0';
    scoped(json_free) cJSON *member = json_object();
    if (!sql_begin(sql, SQL_WRITE, err) || !store_password(sql, link, hash, revokes, member, err))
        return false;
    *is_done = json_size(member) > 0;
    if (!*is_done)
        return true;
    return audit_reset(sql, visit, member, revokes, err) &&
           mail_password_changed(sql, visit, link, json_text(member, "/email"), err) &&
           sql_commit(sql, err);
}

static bool reset_password(struct visit *visit, const struct entry_link *link, bool *is_done,
                           struct err *err)
{
    struct portal *portal = visit->portal;
    char hash[PASSWORD_HASH_BYTES];
    scoped(pool_give) struct sql *sql = NULL;
    return hash_queue_hash(portal->hash_queue, text_of(form_text(&visit->form, "password")), hash,
                           err) &&
           pool_take(portal->pool, &sql, err) && reset_in(sql, visit, link, hash, is_done, err);
}

void reset(struct visit *visit)
{
    struct entry_link link;
    struct err err = { 0 };
    bool is_done = false;
    if (!open_link(visit, &link))
        return;
    if (!entry_check_password(visit, link.email, NULL)) {
        show_reset_form(visit, &link, 400);
    } else if (!reset_password(visit, &link, &is_done, &err)) {
        page_failed(visit, &err);
    } else if (!is_done) {
        show_used_link(visit, &link);
    } else {
        cookie_end(&visit->response->headers, COOKIE_SESSION);
        page_redirect(visit, "/portal/sign-in", "password-set");
    }
}
