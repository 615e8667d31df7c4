/* portal/member/password.c - /portal/password: change the password. Needs the current one. */
#include <string.h>

#include "portal/base/throttle.h"
#include "portal/entry/device.h"
#include "portal/entry/link-pages.h"
#include "portal/member/member.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "portal/page/field.h"
#include "portal/password/hash-queue.h"
#include "portal/session/session.h"
#include "text/json.h"

static const struct field fields[] = {
    { "current", "Current password", "password", "current-password", NULL, 0, false },
    { "password", "New password", "password", "new-password",
      "At least 12 characters. A sentence works well.", 0, false },
};

static void show_password_form(struct visit *visit, int status)
{
    cJSON *model = page_model("Change your password");
    json_str(model, "email", visit->session.email);
    fields_add(visit, fields, countof(fields), model);
    page_show(visit, status, "member/password", model);
}

void password_show(struct visit *visit)
{
    show_password_form(visit, 200);
}

/* ---- the current password ---- */

/* Check it, with the limit of confirmations. *status: of the form with errors. Errors: the
 * database's, and ERR_OVERLOADED. */
static bool check_current(struct visit *visit, bool *fits, int *status, struct err *err)
{
    scoped(json_wipe) cJSON *row = json_object();
    struct throttle_key key = { THROTTLE_CONFIRM, visit->session.session_id };
    struct text current = text_of(form_text(&visit->form, "current"));
    int64_t retry_ms = 0;

    if (!throttle_take(visit->portal, &key, 1, &retry_ms, err))
        return false;
    if (retry_ms > 0) {
        *status = 429;
        visit_add_wait(visit, retry_ms, "", WAIT_OR_RESET);
        return true;
    }
    if (!pool_row(visit->portal->pool, "select password from member where member_id = $1",
                  SQL_PARAMS(visit->session.member_id), row, err) ||
        !hash_queue_check(visit->portal->hash_queue, NULL, current, json_text(row, "/password"),
                          fits, err))
        return false;
    *status = 403;
    if (*fits)
        throttle_give(visit->portal, &key, 1);
    else
        visit_add_error(visit, "current", "The current password is wrong.");
    return true;
}

/* ---- the change ---- */

struct change {
    char hash[PASSWORD_HASH_BYTES];
    uint8_t cookie[COOKIE_BYTES];
};

static bool mail_password_changed(struct sql *sql, struct visit *visit, struct err *err)
{
    scoped(json_free) cJSON *data = visit_data(visit);
    return work_mail(sql, visit, "password-changed", data, NULL, err);
}

/* Other sessions are signed out and known devices forgotten. This session gets a new cookie. */
static bool change_password(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct change *change = context;
    const struct member_session *session = &visit->session;
    return work_act(sql, "select password_set($1, $2) as is_done",
                    SQL_PARAMS(session->session_id, change->hash), err) &&
           session_renew(sql, session->session_id, change->cookie, err) &&
           device_know(sql, visit, session->member_id, NULL, err) &&
           work_audit(sql, visit, "password changed", NULL, err) &&
           mail_password_changed(sql, visit, err);
}

static void make_change(struct visit *visit)
{
    struct text password = text_of(form_text(&visit->form, "password"));
    struct change change;
    struct err err = { 0 };
    if (!hash_queue_hash(visit->portal->hash_queue, password, change.hash, &err)) {
        page_failed(visit, &err);
        return;
    }
    if (!work_do(visit, change_password, &change))
        return;
    cookie_set(&visit->response->headers, COOKIE_SESSION, change.cookie,
               visit->session.is_kept ? SESSION_KEPT_S : 0);
    page_redirect(visit, "/portal/security", "password-changed");
}

void password_change(struct visit *visit)
{
    struct err err = { 0 };
    bool fits = false;
    int status = 400;
    if (!entry_check_password(visit, visit->session.email, visit->session.name))
        show_password_form(visit, 400);
    else if (!check_current(visit, &fits, &status, &err))
        page_failed(visit, &err);
    else if (!fits)
        show_password_form(visit, status);
    else
        make_change(visit);
}
