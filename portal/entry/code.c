/* portal/entry/code.c - the second step of a sign-in: six digits, or a recovery code. */
#include "portal/base/throttle.h"
#include "portal/entry/entry.h"
#include "portal/entry/next.h"
#include "portal/entry/rejected.h"
#include "portal/entry/sign-in-session.h"
#include "portal/page/answer.h"
#include "portal/page/audit.h"
#include "portal/page/field.h"
#include "portal/second-factor/second-factor.h"
#include "text/json.h"

enum { MISSES_MAX = 5 }; /* the last one ends the half session */

static const struct field fields[] = {
    { "code", "Code", "text", "one-time-code",
      "6 digits from your authenticator app, or a recovery code.", 32, false },
};

static void show_code_form(struct visit *visit, int status)
{
    cJSON *model = page_model("Enter your code");
    json_str(model, "next", next_of(visit));
    fields_add(visit, fields, countof(fields), model);
    page_show(visit, status, "entry/code", model);
}

void code_show(struct visit *visit)
{
    show_code_form(visit, 200);
}

/* ---- a wrong code ---- */

/* Count it. The fifth one ends the half session. */
static bool count_miss(struct visit *visit, bool *is_last, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    const struct member_session *half = &visit->session;
    scoped(pool_give) struct sql *sql = NULL;
    bool ok =
        pool_take(visit->portal->pool, &sql, err) &&
        sql_row(sql, "select session_miss($1) as misses", SQL_PARAMS(half->session_id), row, err);
    const cJSON *misses = json_get(row, "misses");
    *is_last = !json_is(misses, cJSON_Number) || misses->valuedouble >= MISSES_MAX;
    return ok && (!*is_last || session_end(sql, half->member_id, half->session_id, NULL, err));
}

static void reject_code(struct visit *visit)
{
    const struct member_session *half = &visit->session;
    struct rejected_sign_in rejected = { half->member_id, half->account_id, half->email,
                                         half->member_id };
    struct err err = { 0 };
    bool is_last = false;
    if (!count_miss(visit, &is_last, &err) ||
        (is_last && !record_wrong_codes(visit, &rejected, &err))) {
        page_failed(visit, &err);
        return;
    }
    /* the sign-in page does not have this field */
    visit_add_error(visit, is_last ? NULL : "code", "The code is wrong or was already used.");
    if (is_last) {
        cookie_end(&visit->response->headers, COOKIE_SESSION);
        sign_in_page(visit, 403);
    } else {
        show_code_form(visit, 403);
    }
}

/* ---- limits ---- */

static bool try_code(struct visit *visit, bool *fits, struct err *err)
{
    struct portal *portal = visit->portal;
    scoped(pool_give) struct sql *sql = NULL;
    return pool_take(portal->pool, &sql, err) && sql_begin(sql, SQL_WRITE, err) &&
           second_factor_take(sql, portal->secrets, visit->session.member_id,
                              form_text(&visit->form, "code"), fits, err) &&
           sql_commit(sql, err);
}

/* False: over the limit, and that is answered. */
static bool check_tries(struct visit *visit)
{
    struct throttle_key key = { THROTTLE_CODE, visit->session.member_id };
    struct err err = { 0 };
    int64_t retry_ms;
    if (!throttle_take(visit->portal, &key, 1, &retry_ms, &err)) {
        page_failed(visit, &err);
        return false;
    }
    if (retry_ms == 0)
        return true;
    visit_add_wait(visit, retry_ms, "", WAIT_OR_RESET);
    show_code_form(visit, 429);
    return false;
}

void code_check(struct visit *visit)
{
    const char *next = next_of(visit);
    struct err err = { 0 };
    bool fits = false;
    if (!check_tries(visit))
        return;
    if (!try_code(visit, &fits, &err) || (fits && !finish_second_step(visit, &err)))
        page_failed(visit, &err);
    else if (fits)
        page_redirect(visit, next ? next : "/portal", NULL);
    else
        reject_code(visit);
}
