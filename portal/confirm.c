/* portal/confirm.c - see confirm.h. */
#include "portal/confirm.h"

#include <string.h>

#include "base/os/log.h"
#include "portal/base/throttle.h"
#include "portal/page/answer.h"
#include "portal/page/csrf.h"
#include "portal/password/hash-queue.h"
#include "portal/second-factor/second-factor.h"
#include "text/json.h"

/* ---- the form's fields ---- */

static bool is_there(struct visit *visit)
{
    if (!form_text(&visit->form, CONFIRM_PASSWORD)[0])
        return visit_add_error(visit, CONFIRM_PASSWORD, "Enter your password.");
    return !visit->session.has_two_factor || form_text(&visit->form, CONFIRM_CODE)[0] ||
           visit_add_error(visit, CONFIRM_CODE, "Enter a code.");
}

static bool check_password(struct visit *visit, bool *fits, struct err *err)
{
    scoped(json_wipe) cJSON *row = json_object();
    struct portal *portal = visit->portal;
    bool ok = pool_row(portal->pool, "select password from member where member_id = $1",
                       SQL_PARAMS(visit->session.member_id), row, err);
    return ok && hash_queue_check(portal->hash_queue, NULL,
                                  text_of(form_text(&visit->form, CONFIRM_PASSWORD)),
                                  json_text(row, "/password"), fits, err);
}

/* A code is used up only if the password is correct. */
static bool check_code(struct visit *visit, struct sql *sql, bool *fits, struct err *err)
{
    *fits = true;
    return !visit->session.has_two_factor ||
           second_factor_take(sql, visit->portal->secrets, visit->session.member_id,
                              form_text(&visit->form, CONFIRM_CODE), fits, err);
}

static bool use_code(struct visit *visit, bool *fits, struct err *err)
{
    scoped(pool_give) struct sql *sql = NULL;
    return pool_take(visit->portal->pool, &sql, err) && sql_begin(sql, SQL_WRITE, err) &&
           check_code(visit, sql, fits, err) &&
           (!*fits || session_confirm(sql, visit->session.session_id, err)) && sql_commit(sql, err);
}

/* ---- the check ---- */

static bool report_failure(struct visit *visit, const struct err *err, int *status)
{
    log_line(LOG_WARN, "password confirmation failed", log_str("error", err->message));
    *status = 503;
    buf_format(&visit->response->headers, "Retry-After: %d\r\n", PASSWORD_RETRY_S);
    return visit_add_error(visit, NULL,
                           "This is not available at the moment. Try again in a few seconds.");
}

bool confirm_check(struct visit *visit, int *status)
{
    struct throttle_key key = { THROTTLE_CONFIRM, visit->session.session_id };
    struct err err = { 0 };
    int64_t retry_ms;
    bool has_password = false;
    bool has_code = false;

    *status = 400;
    if (!is_there(visit))
        return false;
    if (!throttle_take(visit->portal, &key, 1, &retry_ms, &err))
        return report_failure(visit, &err, status);
    *status = 429;
    if (retry_ms > 0)
        return visit_add_wait(visit, retry_ms, "", WAIT_OR_RESET);
    if (!check_password(visit, &has_password, &err) ||
        (has_password && !use_code(visit, &has_code, &err)))
        return report_failure(visit, &err, status);
    *status = 403;
    if (!has_password)
        return visit_add_error(visit, CONFIRM_PASSWORD, "The password is wrong.");
    if (!has_code)
        return visit_add_error(visit, CONFIRM_CODE, "The code is wrong or was already used.");
    throttle_give(visit->portal, &key, 1);
    visit->session.confirmed_ms = 0;
    return true;
}

/* ---- the page ---- */

/* Fields that the page adds again. */
static bool is_own(const char *name)
{
    return strcmp(name, CSRF_FIELD) == 0 || strcmp(name, CONFIRM_PASSWORD) == 0 ||
           strcmp(name, CONFIRM_CODE) == 0 || strcmp(name, "username") == 0;
}

void confirm_page(struct visit *visit)
{
    cJSON *model = page_model("Confirm your password");
    cJSON *kept = json_list(model, "kept");
    for (size_t i = 0; i < visit->form.count; i++) {
        if (is_own(visit->form.field[i].name))
            continue;
        cJSON *item = json_item(kept);
        json_str(item, "name", visit->form.field[i].name);
        json_str(item, "value", visit->form.field[i].value);
    }
    page_show(visit, visit->error_status, "entry/confirm", model);
}
