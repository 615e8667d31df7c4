/* portal/usage/dashboard.c - /portal: balance, recent usage, and next steps. */
#include <stdio.h>
#include <string.h>

#include "portal/base/numbers.h"
#include "portal/base/times.h"
#include "portal/credits/owed.h"
#include "portal/page/answer.h"
#include "portal/public/caller.h"
#include "portal/public/catalog-cache.h"
#include "portal/usage/calls.h"
#include "portal/usage/days.h"
#include "portal/usage/usage.h"
#include "text/json.h"

enum { BANNER_BYTES = 400, PLAN_BYTES = 80, CHART_DAYS = 30, WEEK_DAYS = 7 };

/* The account's data for the page, in one query. If the newest failed email is newer than the
 * newest delivered one, the address may be wrong. */
static const char account_sql[] =
    "select b.posted - b.held as left_over, b.held, a.state, a.created_at, m.low_at,"
    "       (ledger_now() at time zone 'UTC')::date::text as today,"
    "       (select count(*) from token k where k.account_id = a.account_id and k.kind = 1"
    "           and k.revoked_at is null and (k.expires_at <= ledger_now()) is not true) as tokens,"
    "       (select l.state = 3 from mail l where l.member_id = m.member_id and l.state in (2, 3)"
    "         order by l.created_at desc limit 1) as is_undelivered, " OWED " as owed,"
    "       a.withheld, p.name as plan, p.global_per_minute as a_minute"
    "  from account a join account_balance b using (account_id) join member m using (account_id)"
    "  left join plan p on p.plan_id = a.plan_id and not a.limits_off"
    " where a.account_id = $1";

/* How far the member is with the first steps. A connected app stays, also when it is disconnected.
 * Other agents are known by their requests. The log is read back 1,000 requests: an account with
 * more needs no first steps. */
static const char start_sql[] =
    "select exists (select from usage_day d where d.account_id = $1 and d.calls > 0) as has_called,"
    "       exists (select from oauth_grant g where g.account_id = $1)"
    "       or coalesce(bool_or(r.surface = 2), false) or count(*) = 1000 as has_agent"
    "  from (select l.surface from request_log l where l.account_id = $1"
    "         order by l.at desc, l.id desc limit 1000) r";

static const char week_sql[] =
    "select coalesce(sum(d.calls), 0)::bigint as calls,"
    "       coalesce(sum(d.credits), 0)::bigint as credits,"
    "       (select t.name from usage_day w join tool t using (tool_id)"
    "         where w.account_id = $1 and w.day > $2::date - 7 and w.day <= $2::date"
    "         group by t.name order by sum(w.calls) desc, t.name limit 1) as top"
    "  from usage_day d"
    " where d.account_id = $1 and d.day > $2::date - 7 and d.day <= $2::date";

/* ---- banners ---- */

static void add_banner(cJSON *banners, const char *text, bool is_bad, bool is_low)
{
    cJSON *banner = json_item(banners);
    json_str(banner, "text", text);
    json_bool(banner, "is_bad", is_bad);
    json_bool(banner, "is_low", is_low);
}

/* "18 credits are left: about 2 days at this week's rate." */
static void add_low(int64_t left, int64_t week, cJSON *banners)
{
    char credits[NUMBER_BYTES];
    char words[BANNER_BYTES];
    number_write(left, credits);
    const char *are = left == 1 ? "credit is" : "credits are";
    int64_t days = week > 0 ? left * WEEK_DAYS / week : 0;
    if (week > 0)
        snprintf(words, sizeof(words), "%s %s left: about %lld day%s at this week's rate.", credits,
                 are, (long long)days, days == 1 ? "" : "s");
    else
        snprintf(words, sizeof(words), "%s %s left.", credits, are);
    add_banner(banners, words, false, true);
}

static void add_banners(const struct visit *visit, const cJSON *account, const cJSON *week,
                        cJSON *model)
{
    cJSON *banners = json_list(model, "banners");
    int64_t left = json_integer(account, "left_over");
    if (sql_is(account, "is_undelivered")) {
        char words[BANNER_BYTES];
        snprintf(words, sizeof(words),
                 "Email to %s could not be delivered. Check the address on the account page.",
                 visit->session.email);
        add_banner(banners, words, true, false);
    }
    owed_add(json_integer(account, "owed"), banners);
    withheld_add(json_integer(account, "withheld"), portal_contact(visit->portal), banners);
    if (left < json_integer(account, "low_at"))
        add_low(left, json_integer(week, "credits"), banners);
}

/* ---- cards ---- */

static void add_cards(const struct visit *visit, const cJSON *account, const cJSON *week,
                      cJSON *model)
{
    char made[DAY_BYTES];
    int64_t tokens = json_integer(account, "tokens");
    number_add(model, "available", json_integer(account, "left_over"));
    if (json_integer(account, "held") > 0)
        number_add(model, "held", json_integer(account, "held"));
    number_add(model, "week_calls", json_integer(week, "calls"));
    json_str(model, "calls_noun", noun_of(json_integer(week, "calls"), "call", "calls"));
    credits_add(model, "week_credits", json_integer(week, "credits"));
    json_str(model, "top", json_text(week, "/top"));
    json_str(model, "account", visit->session.account_id);
    json_str(model, "state", json_text(account, "/state"));
    snprintf(made, sizeof(made), "%s", json_text(account, "/created_at"));
    json_str(model, "since", strcmp(json_text(account, "/state"), "active") == 0 ? made : NULL);
    json_bool(model, "has_token", tokens > 0);
    number_add(model, "token_count", tokens);
    json_bool(model, "is_one_token", tokens == 1);
}

/* The first steps, until each of them is done. */
static void add_start(const cJSON *start, cJSON *model)
{
    bool has_token = json_is(json_get(model, "has_token"), cJSON_True);
    bool has_called = sql_is(start, "has_called");
    bool has_agent = sql_is(start, "has_agent");
    json_bool(model, "has_called", has_called);
    json_bool(model, "has_agent", has_agent);
    json_bool(model, "is_starting", !has_token || !has_called || !has_agent);
}

static void add_plan(const cJSON *account, cJSON *model)
{
    char words[PLAN_BYTES];
    const char *plan = json_text(account, "/plan");
    if (!plan)
        return;
    snprintf(words, sizeof(words), "%.40s, %lld calls a minute", plan,
             (long long)json_integer(account, "a_minute"));
    json_str(model, "plan", words);
}

static void add_first_call(const struct visit *visit, cJSON *model)
{
    const struct contract *contract = catalog_cache_find(visit->portal->catalog, "hash-generate");
    struct curl_caller caller = caller_of(visit);
    scoped(buf_free) struct buf line = BUF(CURL_LINE_BYTES);
    if (!contract)
        return;
    curl_line_example(contract, &caller, &line);
    cJSON *shell = json_map(model, "first_call");
    json_str(shell, "id", "first-call");
    json_str(shell, "label", "Call with curl, after TOKEN=tg_live_…");
    json_text_add(shell, "text", buf_text(&line));
}

/* ---- the page ---- */

/* The last 30 days, as far as they are counted. */
static bool add_chart(struct visit *visit, struct sql *sql, const char *today, cJSON *model,
                      struct err *err)
{
    int64_t last;
    char first[DAY_BYTES];
    if (!today || !day_parse(text_of(today), &last))
        return err_set(err, ERR_INTERNAL, "the database returned no day");
    day_write(last - CHART_DAYS + 1, first);
    struct usage_filter filter = { visit->session.account_id, first, today, "", "" };
    return usage_sums(sql, visit->portal->catalog, &filter, model, err);
}

static bool fill_dashboard(struct visit *visit, struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *account = json_object();
    scoped(json_free) cJSON *week = json_object();
    scoped(json_free) cJSON *start = json_object();
    const char *id = visit->session.account_id;
    int64_t left;
    if (!usage_count(sql, id, &left, err) || !sql_begin(sql, SQL_SNAPSHOT, err) ||
        !sql_row(sql, account_sql, SQL_PARAMS(id), account, err))
        return false;
    const char *today = json_text(account, "/today");
    if (!sql_row(sql, week_sql, SQL_PARAMS(id, today), week, err) ||
        !sql_row(sql, start_sql, SQL_PARAMS(id), start, err) ||
        !add_chart(visit, sql, today, model, err) ||
        !calls_newest(sql, id, json_list(model, "calls"), err) || !sql_commit(sql, err))
        return false;
    json_bool(model, "is_counting", left > 0);
    json_bool(model, "has_calls", json_size(json_get(model, "calls")) > 0);
    add_banners(visit, account, week, model);
    add_cards(visit, account, week, model);
    add_start(start, model);
    add_plan(account, model);
    add_first_call(visit, model);
    return true;
}

void dashboard_show(struct visit *visit)
{
    page_filled(visit, 200, "usage/dashboard", "Dashboard", fill_dashboard);
}
