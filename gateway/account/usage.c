/* gateway/account/usage.c - see usage.h. */
#include "gateway/account/usage.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/log.h"
#include "text/json.h"
#include "text/time/datetime.h"

enum { DATE_BYTES = sizeof("2026-11-23") };

#define WHERE " where account_id = $1 and day >= $2::date and day < $3::date group by 1 "
#define SUMS  "sum(calls)::bigint as calls, sum(credits)::bigint as credits from usage_day" WHERE

static const struct grouping {
    const char *name;
    const char *statement;
} groupings[] = {
    [USAGE_BY_DAY] = { "day", "select to_char(day, 'YYYY-MM-DD') as key, " SUMS "order by 1" },
    [USAGE_BY_TOOL] = { "tool", "select tool_id::int as key, " SUMS "order by 3 desc, 1" },
    [USAGE_BY_TOKEN] = { "token", "select nullif(token_id, '00000000-0000-0000-0000-000000000000')"
                                  " as key, " SUMS "order by 3 desc, 1" },
};

/* ---- the query ---- */

static bool refuse(struct err *err, const char *why)
{
    return err_set(err, ERR_INVALID_QUERY, "%s", why);
}

/* YYYY-MM-DD and nothing behind it. */
static bool read_date(struct text text, int64_t *days)
{
    struct datetime date;
    if (text.size != DATE_BYTES - 1 || !datetime_parse(text, &date))
        return false;
    *days = date.local_ms / 1000 / DAY_SECONDS;
    return date.local_ms >= 0;
}

static bool read_by(struct text text, enum usage_by *by)
{
    for (size_t i = 0; i < countof(groupings); i++) {
        if (!text_is(text, groupings[i].name))
            continue;
        *by = (enum usage_by)i;
        return true;
    }
    return false;
}

static bool read_pair(struct text pair, struct usage_question *question, bool *seen,
                      struct err *err)
{
    static const char *const names[] = { "from", "to", "group_by" };
    struct text name = text_cut(&pair, '=');
    size_t which = 0;
    while (which < countof(names) && !text_is(name, names[which]))
        which++;
    if (which == countof(names))
        return refuse(err, "the query may have from, to and group_by");
    if (seen[which])
        return refuse(err, "the query has a parameter twice");
    seen[which] = true;
    if (which == 2)
        return read_by(pair, &question->by) || refuse(err, "group_by must be day, tool or token");
    return read_date(pair, which == 0 ? &question->from : &question->to) ||
           refuse(err, "from and to must be dates of the form YYYY-MM-DD");
}

bool usage_read(struct text query, int64_t today, struct usage_question *question, struct err *err)
{
    struct usage_question asked = { -1, today + 1, USAGE_BY_DAY };
    bool seen[3] = { false };
    while (query.size > 0)
        if (!read_pair(text_cut(&query, '&'), &asked, seen, err))
            return false;
    if (!seen[0])
        asked.from = asked.to - USAGE_DAYS;
    if (asked.from >= asked.to || asked.to - asked.from > USAGE_DAYS_MAX)
        return err_set(err, ERR_INVALID_QUERY,
                       "to must be behind from, which is included, by at most %d days",
                       USAGE_DAYS_MAX);
    *question = asked;
    return true;
}

/* ---- the answer ---- */

static void write_date(char out[static 2 * DATE_BYTES], int64_t days)
{
    struct date date = date_of_days(days);
    snprintf(out, 2 * DATE_BYTES, "%04d-%02d-%02d", date.year, date.month, date.day);
}

static const char *tool_name(const struct catalog *catalog, int64_t tool_id)
{
    for (size_t i = 0; i < catalog->count; i++)
        if (catalog->offers[i].tool_id == tool_id)
            return catalog->offers[i].name;
    return NULL;
}

/* Tools by their names: the database numbers them. */
static void name_tools(cJSON *groups, const struct catalog *catalog)
{
    cJSON *group;
    cJSON_ArrayForEach(group, groups) {
        cJSON *number = json_take(group, "key");
        json_str(group, "key", tool_name(catalog, (int64_t)number->valuedouble));
        json_free(&number);
    }
}

static bool count_up(struct sql *sql, const char *account, bool *is_whole, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, "select usage_roll_up($1, 20000) = 0 as is_whole",
                 (struct sql_params){ 1, { account } }, row, err))
        return false;
    *is_whole = json_is(json_get(row, "is_whole"), cJSON_True);
    return true;
}

/* False with ERR_NONE when it is not whole. */
static bool ask(struct sql *sql, const struct catalog *catalog, const char *account,
                const struct usage_question *question, cJSON *result, struct err *err)
{
    char from[2 * DATE_BYTES];
    char to[2 * DATE_BYTES];
    const struct grouping *grouping = &groupings[question->by];
    write_date(from, question->from);
    write_date(to, question->to);
    json_str(result, "from", from);
    json_str(result, "to", to);
    json_str(result, "group_by", grouping->name);
    cJSON *groups = json_list(result, "groups");
    bool is_whole = false;
    if (!count_up(sql, account, &is_whole, err) || !is_whole)
        return false;
    if (!sql_rows(sql, grouping->statement, (struct sql_params){ 3, { account, from, to } }, groups,
                  err))
        return false;
    if (question->by == USAGE_BY_TOOL)
        name_tools(groups, catalog);
    return true;
}

/* What the database says is the operator's to read. */
static bool unavailable(const struct err *why, struct err *err)
{
    log_line(LOG_WARN, "usage cannot be read", log_str("why", why->message));
    return err_set(err, ERR_LEDGER_UNAVAILABLE,
                   "usage cannot be read at the moment; please try again");
}

bool usage_tell(struct pool *pool, const struct catalog *catalog, const struct uuid *account,
                const struct usage_question *question, struct buf *out, struct err *err)
{
    scoped(json_free) cJSON *result = json_object();
    struct sql *sql = NULL;
    struct err why = { 0 };
    char id[UUID_TEXT_BYTES];
    uuid_format(id, account);
    bool ok = pool_take(pool, &sql, &why) && ask(sql, catalog, id, question, result, &why);
    pool_give(pool, &sql);
    if (ok)
        return json_print(result, out);
    if (why.kind != ERR_NONE)
        return unavailable(&why, err);
    return err_set(err, ERR_OVERLOADED,
                   "this account's newest calls are still added up; please try again");
}
