/* portal/jobs/steps.c - see steps.h. */
#include "portal/jobs/steps.h"

#include <stdio.h>

/* So many at a time that a step stays far below the role's statement_timeout of 5 s. */
#define STEP_ROWS "1000"
#define FIRST     "00000000-0000-0000-0000-000000000000"

static const char *begin_of(const struct step *step)
{
    return step->cursor[0] ? step->cursor : FIRST;
}

/* The next step begins where `next` of the row says; NULL: there is none. */
static void go_on(struct step *step, const cJSON *row)
{
    const char *next = json_text(row, "/next");
    step->has_more = next != NULL;
    snprintf(step->cursor, sizeof(step->cursor), "%s", next ? next : "");
}

bool step_usage_lap(struct sql *sql, struct step *step, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, "select usage_lap($1, " STEP_ROWS ") as next",
                 (struct sql_params){ 1, { begin_of(step) } }, row, err))
        return false;
    go_on(step, row);
    return true;
}

bool step_prune(struct sql *sql, struct step *step, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, "select portal_prune(" STEP_ROWS ") as is_more", NO_PARAMS, row, err))
        return false;
    step->has_more = json_is(json_get(row, "is_more"), cJSON_True);
    return true;
}

bool step_low_balance(struct sql *sql, struct step *step, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, "select low_balance_look($1, " STEP_ROWS ") as next",
                 (struct sql_params){ 1, { begin_of(step) } }, row, err))
        return false;
    go_on(step, row);
    return true;
}

bool step_deletions(struct sql *sql, struct step *step, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql,
                 "select member_delete(member_id) as done from member"
                 " where delete_at <= (select ledger_now()) order by delete_at limit 1",
                 NO_PARAMS, row, err))
        return false;
    step->has_more = json_size(row) > 0;
    return true;
}

bool step_order_collect(struct sql *sql, struct step *step, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    (void)step; /* who has nothing to take stays: to begin again at once would take no more */
    return sql_row(sql, "select order_collect(" STEP_ROWS ") as accounts", NO_PARAMS, row, err);
}
