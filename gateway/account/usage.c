/* gateway/account/usage.c - see usage.h. */
#include "gateway/account/usage.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/log.h"
#include "gateway/account/query-values.h"
#include "text/json.h"

enum { NUMBER_BYTES = 24 };

/* ---- sums ---- */

#define WHERE                                                \
    " where ($4 = '' or tool_id = nullif($4, '')::smallint)" \
    " and ($5 = '' or token_id = nullif($5, '')::uuid) group by 1 "
#define SUMS                                                       \
    "sum(calls)::bigint as calls, sum(credits)::bigint as credits" \
    " from usage_days($1, decode($6, 'hex'), $2::date, $3::date)" WHERE

static const struct grouping {
    const char *name;
    const char *statement;
} groupings[] = {
    [USAGE_BY_DAY] = { "day", "select to_char(day, 'YYYY-MM-DD') as key, " SUMS "order by 1" },
    [USAGE_BY_TOOL] = { "tool", "select tool_id::int as key, " SUMS "order by 3 desc, 1" },
    [USAGE_BY_TOKEN] = { "token", "select nullif(token_id, '00000000-0000-0000-0000-000000000000')"
                                  " as key, " SUMS "order by 3 desc, 1" },
};

static const char *tool_name(const struct catalog *catalog, int64_t tool_id)
{
    for (size_t i = 0; i < catalog->count; i++)
        if (catalog->offers[i].tool_id == tool_id)
            return catalog->offers[i].name;
    return NULL;
}

/* Replace the database's tool numbers by names. */
static void name_tools(cJSON *groups, const struct catalog *catalog)
{
    cJSON *group;
    cJSON_ArrayForEach(group, groups) {
        cJSON *number = json_take(group, "key");
        json_str(group, "key", tool_name(catalog, (int64_t)number->valuedouble));
        json_free(&number);
    }
}

static bool count_up(struct sql *sql, const struct asker *asker, bool *is_whole, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, "select usage_count_up($1, decode($2, 'hex')) as is_whole",
                 (struct sql_params){ 2, { asker->account, asker->token } }, row, err))
        return false;
    *is_whole = json_is(json_get(row, "is_whole"), cJSON_True);
    return true;
}

/* The parameters of a statement, as text. */
struct words {
    char from[QUERY_TIME_BYTES];
    char to[QUERY_TIME_BYTES];
    char tool[NUMBER_BYTES]; /* the tool's number, or "" */
};

static void write_tool(char out[static NUMBER_BYTES], const struct usage_question *question)
{
    out[0] = '\0';
    if (question->tool)
        snprintf(out, NUMBER_BYTES, "%" PRId64, question->tool->tool_id);
}

/* False with ERR_NONE: sums are not complete yet. */
static bool query_sums(struct sql *sql, const struct asker *asker,
                       const struct usage_question *question, cJSON *result, struct err *err)
{
    struct words words;
    const struct grouping *grouping = &groupings[question->by];
    query_date_write(words.from, question->from_ms);
    query_date_write(words.to, question->to_ms);
    write_tool(words.tool, question);
    json_str(result, "from", words.from);
    json_str(result, "to", words.to);
    json_str(result, "group_by", grouping->name);
    cJSON *groups = json_list(result, "groups");
    bool is_whole = false;
    struct sql_params params = {
        6, { asker->account, words.from, words.to, words.tool, question->token, asker->token }
    };
    if (!count_up(sql, asker, &is_whole, err) || !is_whole ||
        !sql_rows(sql, grouping->statement, params, groups, err))
        return false;
    if (question->by == USAGE_BY_TOOL)
        name_tools(groups, question->catalog);
    return true;
}

/* ---- entries ---- */

struct span { /* of entries, by seq, both inclusive */
    int64_t first;
    int64_t last;
};

/* Find the entries of the period by the sums of its days. */
static bool find_span(struct sql *sql, const struct asker *asker,
                      const struct usage_question *question, const struct words *words,
                      struct span *span, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, "select * from usage_span($1, decode($2, 'hex'), $3, $4)",
                 (struct sql_params){ 4, { asker->account, asker->token, words->from, words->to } },
                 row, err))
        return false;
    span->first = json_integer(row, "first_seq");
    span->last = MIN(json_integer(row, "last_seq"), question->before - 1);
    return true;
}

static void add_entry(const cJSON *row, const struct catalog *catalog, cJSON *entries)
{
    cJSON *entry = json_item(entries);
    json_int(entry, "seq", json_integer(row, "seq"));
    json_str(entry, "at", json_text(row, "/at"));
    json_str(entry, "kind", usage_kind_name(json_integer(row, "kind")));
    json_str(entry, "tool", tool_name(catalog, json_integer(row, "tool_id")));
    json_int(entry, "credits", json_integer(row, "amount"));
    json_int(entry, "balance_after", json_integer(row, "balance_after"));
    json_str(entry, "reference", json_text(row, "/reference"));
    json_str(entry, "token_id", json_text(row, "/token_id"));
}

static bool find_entries(struct sql *sql, const struct asker *asker,
                         const struct usage_question *question, const struct words *words,
                         struct span look, cJSON *rows, struct err *err)
{
    char first[NUMBER_BYTES];
    char last[NUMBER_BYTES];
    char kind[NUMBER_BYTES];
    char limit[NUMBER_BYTES];
    snprintf(first, sizeof(first), "%" PRId64, look.first);
    snprintf(last, sizeof(last), "%" PRId64, look.last);
    snprintf(kind, sizeof(kind), "%" PRId64, question->kind);
    snprintf(limit, sizeof(limit), "%" PRId64, question->limit);
    return sql_rows(sql,
                    "select * from usage_entries($1, decode($2, 'hex'), $3, $4, $5, $6,"
                    " nullif($7, '')::smallint, nullif($8, '')::uuid, nullif($9, '0')::smallint,"
                    " $10)",
                    (struct sql_params){ 10,
                                         { asker->account, asker->token, first, last, words->from,
                                           words->to, words->tool, question->token, kind, limit } },
                    rows, err);
}

/* Add the cursor of the next page: below the last entry of a full page, or below the last entry
 * searched. */
static void add_cursor(cJSON *result, int64_t reached, int64_t first)
{
    char cursor[NUMBER_BYTES];
    snprintf(cursor, sizeof(cursor), "%" PRId64, reached);
    json_str(result, "next_cursor", reached > first ? cursor : NULL);
}

static bool ask_entries(struct sql *sql, const struct asker *asker,
                        const struct usage_question *question, cJSON *result, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    struct words words;
    struct span span;
    const cJSON *row;
    query_time_write(words.from, question->from_ms);
    query_time_write(words.to, question->to_ms);
    write_tool(words.tool, question);
    if (!find_span(sql, asker, question, &words, &span, err))
        return false;
    struct span look = { MAX(span.first, span.last - USAGE_LOOK + 1), span.last };
    if (!find_entries(sql, asker, question, &words, look, rows, err))
        return false;
    cJSON *entries = json_list(result, "entries");
    int64_t reached = look.first;
    bool is_full = json_size(rows) == (size_t)question->limit;
    cJSON_ArrayForEach(row, rows) {
        add_entry(row, question->catalog, entries);
        reached = is_full ? json_integer(row, "seq") : look.first;
    }
    add_cursor(result, reached, span.first);
    return true;
}

/* ---- both ---- */

/* The database's message is only for the operator's log. */
static bool fail_unavailable(const struct err *why, struct err *err)
{
    log_line(LOG_WARN, "usage cannot be read", log_str("error", why->message));
    return err_set(err, ERR_LEDGER_UNAVAILABLE, "usage cannot be read at the moment; please retry");
}

bool usage_write(struct pool *pool, const struct asker *asker,
                 const struct usage_question *question, struct buf *out, struct err *err)
{
    scoped(json_free) cJSON *result = json_object();
    struct sql *sql = NULL;
    struct err why = { 0 };
    bool (*ask)(struct sql *, const struct asker *, const struct usage_question *, cJSON *,
                struct err *) = question->by == USAGE_ENTRIES ? ask_entries : query_sums;
    bool ok = pool_take(pool, &sql, &why) && ask(sql, asker, question, result, &why);
    pool_give(&sql);
    if (ok)
        return json_print(result, out);
    if (why.kind != ERR_NONE)
        return fail_unavailable(&why, err);
    return err_set(err, ERR_OVERLOADED,
                   "this account's newest calls are still being added up; please retry");
}
