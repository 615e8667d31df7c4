/* portal/member/apps.c - see apps.h; and disconnecting an app. */
#include "portal/member/apps.h"

#include <string.h>

#include "base/mem.h"
#include "portal/base/numbers.h"
#include "portal/base/times.h"
#include "portal/member/member.h"
#include "portal/member/rights.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "text/json.h"

/* ---- the list ---- */

/* least() ignores NULL: an app without an end expires when it is not used. */
static const char apps_statement[] =
    "select g.token_id, t.name, g.redirect_host as host, array_to_json(t.scopes) as scopes,"
    "       g.connected_at, t.last_used_at, g.ends_at, t.cap_daily, t.cap_total, t.spent_total,"
    "       case when t.spent_day = utc_day(ledger_now()) then t.spent_today else 0 end"
    "       as spent_today"
    "  from oauth_grant g join token t using (account_id, token_id)"
    " where g.account_id = $1 and g.state = 1 and t.revoked_at is null"
    "   and least(g.ends_at, g.refresh_until) > ledger_now()"
    " order by g.connected_at desc, g.token_id desc limit 50";

static void add_app(const cJSON *row, cJSON *list)
{
    cJSON *item = json_item(list);
    const cJSON *spent = json_get(row, "spent_total");
    json_str(item, "token_id", json_text(row, "/token_id"));
    json_str(item, "name", json_text(row, "/name"));
    json_str(item, "host", json_text(row, "/host"));
    rights_add_scopes(row, item);
    rights_add_cap(row, "cap_daily", "spent_today", "daily", item);
    rights_add_cap(row, "cap_total", "spent_total", "total", item);
    credits_add(item, "spent", json_is(spent, cJSON_Number) ? (int64_t)spent->valuedouble : 0);
    time_add(item, "connected", json_text(row, "/connected_at"));
    time_add(item, "used", json_text(row, "/last_used_at"));
    time_add(item, "ends", json_text(row, "/ends_at"));
}

bool apps_add(struct sql *sql, const struct visit *visit, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    const cJSON *row;
    if (!sql_rows(sql, apps_statement, SQL_PARAMS(visit->session.account_id), rows, err))
        return false;
    cJSON *list = json_list(model, "apps");
    cJSON_ArrayForEach(row, rows)
        add_app(row, list);
    json_bool(model, "has_apps", json_size(list) > 0);
    return true;
}

/* ---- disconnecting ---- */

struct disconnecting {
    char token_id[UUID_TEXT_BYTES];
    char outcome[OUTCOME_BYTES];
};

static bool disconnect(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct disconnecting *app = context;
    scoped(mem_free) char *detail = str_format("token %s", app->token_id);
    return work_outcome(sql, "select oauth_end($1, $2, 'member') as outcome",
                        SQL_PARAMS(visit->session.account_id, app->token_id), app->outcome, err) &&
           (strcmp(app->outcome, "done") != 0 ||
            work_audit(sql, visit, "app disconnected", detail, err));
}

void app_disconnect(struct visit *visit)
{
    struct disconnecting app;
    if (!work_place_id(visit, app.token_id) || !work_do(visit, disconnect, &app))
        return;
    if (strcmp(app.outcome, "none") == 0)
        page_not_found(visit);
    else
        page_redirect(visit, "/portal/security", "app-disconnected");
}
