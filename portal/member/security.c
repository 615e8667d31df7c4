/* portal/member/security.c - /portal/security: tokens, sessions, password, two-factor sign-in, and
 * recent activity. */
#include "portal/member/member.h"

#include "portal/base/numbers.h"
#include "portal/base/times.h"
#include "portal/member/apps.h"
#include "portal/member/audit.h"
#include "portal/member/rights.h"
#include "portal/member/token-form.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "portal/page/obstacle.h"
#include "portal/session/browser.h"
#include "text/json.h"

enum { AUDIT_LINES = 10 };

/* ---- tokens ---- */

/* Active tokens, and those that expired within the last 30 days. Revoked ones are not shown. */
static const char tokens_statement[] =
    "select token_id, name, last4, array_to_json(scopes) as scopes, created_at, expires_at,"
    "       last_used_at, is_strict, array_to_string(networks, ', ') as networks, cap_daily, "
    "cap_total, spent_total,"
    "       case when spent_day = utc_day(ledger_now()) then spent_today else 0 end as spent_today,"
    "       coalesce(expires_at <= ledger_now(), false) as is_expired,"
    "       coalesce(expires_at <= ledger_now() + interval '14 days', false) as is_soon"
    "  from token where account_id = $1 and kind = 1 and revoked_at is null"
    "   and (expires_at <= ledger_now() - interval '30 days') is not true"
    " order by created_at desc, token_id desc limit 200";

static void add_token(const cJSON *row, cJSON *list)
{
    cJSON *item = json_item(list);
    bool is_expired = sql_is(row, "is_expired");
    json_str(item, "token_id", json_text(row, "/token_id"));
    json_str(item, "name", json_text(row, "/name"));
    json_str(item, "last4", json_text(row, "/last4"));
    rights_add_scopes(row, item);
    time_add(item, "made", json_text(row, "/created_at"));
    time_add(item, "used", json_text(row, "/last_used_at"));
    time_add(item, "expires", json_text(row, "/expires_at"));
    json_bool(item, "is_expired", is_expired);
    json_bool(item, "is_soon", !is_expired && sql_is(row, "is_soon"));
    json_bool(item, "is_strict", sql_is(row, "is_strict"));
    json_str(item, "networks", json_text(row, "/networks"));
    json_bool(item, "is_capped", json_is(json_get(row, "spent_total"), cJSON_Number));
    rights_add_cap(row, "cap_daily", "spent_today", "daily", item);
    rights_add_cap(row, "cap_total", "spent_total", "total", item);
}

static bool add_tokens(struct sql *sql, const struct visit *visit, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    const cJSON *row;
    if (!sql_rows(sql, tokens_statement, SQL_PARAMS(visit->session.account_id), rows, err))
        return false;
    cJSON *list = json_list(model, "tokens");
    cJSON_ArrayForEach(row, rows)
        add_token(row, list);
    json_bool(model, "has_tokens", json_size(list) > 0);
    return true;
}

/* The token of ?like=, as the form's values: its lifetime counts from its creation. */
static const char like_statement[] =
    "select name, array_to_json(scopes) as scopes, cap_daily::text as cap_daily_text,"
    "       cap_total::text as cap_total_text, is_strict,"
    "       array_to_string(networks, E'\\n') as networks_text,"
    "       case when expires_at is null then 'never'"
    "            when round(extract(epoch from expires_at - created_at) / 86400) in (7, 30, 90, "
    "365)"
    "            then round(extract(epoch from expires_at - created_at) / 86400)::int::text"
    "            else 'date' end as expires_like,"
    "       case when expires_at > ledger_now() then utc_day(expires_at)::text end as until_like"
    "  from token where account_id = $1 and token_id = $2 and kind = 1";

static bool add_form(struct sql *sql, struct visit *visit, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *like = json_object();
    struct uuid id;
    const char *named = visit->is_post ? "" : form_text(&visit->form, "like");
    if (uuid_parse(text_of(named), &id) &&
        !sql_row(sql, like_statement, SQL_PARAMS(visit->session.account_id, named), like, err))
        return false;
    json_str(model, "obstacle", obstacle_of(visit, "create tokens"));
    token_form_add(visit, json_size(like) > 0 ? like : NULL, model);
    return true;
}

/* ---- sessions ---- */

static bool add_sessions(struct sql *sql, const struct visit *visit, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    const cJSON *row;
    if (!sql_rows(sql,
                  "select s.session_id, s.agent, s.network, s.seen_at, s.session_id = $2 as is_this"
                  "  from session s where s.member_id = $1 and not s.is_half"
                  "   and not session_is_over(s.expires_at, s.seen_at, s.is_kept, ledger_now())"
                  " order by s.seen_at desc, s.session_id limit 100",
                  SQL_PARAMS(visit->session.member_id, visit->session.session_id), rows, err))
        return false;
    cJSON *list = json_list(model, "sessions");
    cJSON_ArrayForEach(row, rows) {
        cJSON *item = json_item(list);
        json_str(item, "session_id", json_text(row, "/session_id"));
        browser_add(item, json_text(row, "/agent"));
        json_str(item, "network", json_text(row, "/network"));
        time_add(item, "seen", json_text(row, "/seen_at"));
        json_bool(item, "is_this", sql_is(row, "is_this"));
    }
    json_bool(model, "has_others", json_size(list) > 1);
    return true;
}

/* ---- password and two-factor ---- */

static bool add_locks(struct sql *sql, const struct visit *visit, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql,
                 "select m.password_at, m.totp_at,"
                 "       (select count(*) from recovery_code c"
                 "         where c.member_id = m.member_id and c.used_at is null) as codes"
                 "  from member m where m.member_id = $1",
                 SQL_PARAMS(visit->session.member_id), row, err))
        return false;
    time_add(model, "password_set", json_text(row, "/password_at"));
    json_bool(model, "has_two_factor", json_text(row, "/totp_at") != NULL);
    time_add(model, "two_factor_since", json_text(row, "/totp_at"));
    json_add(model, "codes", json_copy(json_get(row, "codes")));
    json_str(model, "codes_noun",
             noun_of(json_integer(row, "codes"), "recovery code", "recovery codes"));
    return true;
}

/* ---- the page ---- */

static bool fill_security(struct visit *visit, struct sql *sql, cJSON *model, struct err *err)
{
    struct audit_page page = { .lines = AUDIT_LINES };
    return sql_begin(sql, SQL_SNAPSHOT, err) && apps_add(sql, visit, model, err) &&
           add_tokens(sql, visit, model, err) && add_form(sql, visit, model, err) &&
           add_sessions(sql, visit, model, err) && add_locks(sql, visit, model, err) &&
           audit_lines(sql, visit, &page, json_list(model, "entries"), err);
}

void security_page(struct visit *visit, int status)
{
    page_filled(visit, status, "member/security", "Security", fill_security);
}

void security_show(struct visit *visit)
{
    security_page(visit, 200);
}

void security_again(struct visit *visit)
{
    security_page(visit, visit->error_status);
}
