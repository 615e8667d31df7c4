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

/* A mail when a balance is seen below low_at, and none again before it was seen there or above. Who
 * is leaving, may not call, or was never given a credit, which is no news to him, is told nothing.
 */
static const char low_balance_sql[] =
    "with page as materialized ("
    "    select m.member_id, m.email, m.low_at, m.low_armed, m.delete_at,"
    "           b.posted - b.held as available, b.granted + b.purchased as given, a.state"
    "      from member m join account_balance b on b.account_id = m.account_id"
    "           join account a on a.account_id = m.account_id"
    "     where m.member_id > $1 order by m.member_id limit " STEP_ROWS "),"
    " armed as ("
    "    update member m set low_armed = true from page p"
    "     where m.member_id = p.member_id and not p.low_armed and p.available >= p.low_at),"
    " low as ("
    "    update member m set low_armed = false from page p"
    "     where m.member_id = p.member_id and p.low_armed and p.available < p.low_at"
    "       and p.given > 0 and p.state = 'active' and p.delete_at is null"
    "    returning m.member_id, m.email, p.available, p.low_at),"
    " told as ("
    "    insert into mail (mail_id, member_id, recipient, template, data, created_at, next_at)"
    "    select gen_random_uuid(), l.member_id, l.email, 'low-balance',"
    "           jsonb_build_object('available', l.available, 'low_at', l.low_at), now_at, now_at"
    "      from low l, ledger_now() now_at)"
    " select case when count(*) = " STEP_ROWS
    " then (array_agg(member_id order by member_id desc))[1]"
    "        end as next from page";

bool step_low_balance(struct sql *sql, struct step *step, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, low_balance_sql, (struct sql_params){ 1, { begin_of(step) } }, row, err))
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
