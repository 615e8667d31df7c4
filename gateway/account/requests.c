/* gateway/account/requests.c - see requests.h. */
#include "gateway/account/requests.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/os/log.h"
#include "gateway/account/query-values.h"
#include "text/json.h"

enum { NUMBER_BYTES = 24 };

/* The parameters of a statement, as text. */
struct words {
    char from[QUERY_TIME_BYTES];
    char to[QUERY_TIME_BYTES];
    char slower[NUMBER_BYTES];
    char limit[NUMBER_BYTES];
};

static void write_words(const struct requests_question *question, struct words *words)
{
    query_time_write(words->from, question->from_ms);
    query_time_write(words->to, question->to_ms);
    snprintf(words->slower, NUMBER_BYTES, "%" PRId64, question->slower_ms);
    snprintf(words->limit, NUMBER_BYTES, "%" PRId64, question->limit);
}

static bool query_page(struct sql *sql, const struct asker *asker,
                       const struct requests_question *question, cJSON *rows, bool *is_complete,
                       struct err *err)
{
    struct words words;
    bool has_gaps = false;
    write_words(question, &words);
    struct sql_params page = { 12,
                               { asker->account, asker->token, words.from, words.to,
                                 question->tool ? question->tool : "", question->token,
                                 question->status ? question->status : "", question->code,
                                 words.slower, question->id, question->cursor, words.limit } };
    struct sql_params gaps = { 4, { asker->account, asker->token, words.from, words.to } };
    if (!sql_rows(sql,
                  "select * from request_find($1, decode($2, 'hex'), $3, $4, $5, $6, $7, $8, $9,"
                  " $10, $11, $12)",
                  page, rows, err) ||
        !sql_bool(sql, "select request_has_gaps($1, decode($2, 'hex'), $3, $4)", gaps, &has_gaps,
                  err))
        return false;
    *is_complete = !has_gaps;
    return true;
}

static void add_ms(cJSON *item, const char *name, const cJSON *row, const char *column)
{
    const cJSON *value = json_get(row, column);
    if (json_is(value, cJSON_Number))
        json_num(item, name, value->valuedouble / 1000);
    else
        json_null(item, name);
}

static void add_token(cJSON *item, const cJSON *row)
{
    const char *name = json_text(row, "/token_name");
    json_str(item, "token_id", json_text(row, "/token_id"));
    json_str(item, "token", json_integer(row, "token_kind") == 2 ? "playground" : name);
}

static void add_request(const cJSON *row, cJSON *list)
{
    cJSON *item = json_item(list);
    const cJSON *seq = json_get(row, "seq");
    json_str(item, "id", json_text(row, "/id"));
    json_str(item, "at", json_text(row, "/at"));
    json_str(item, "client_id", json_text(row, "/client_id"));
    json_str(item, "tool", json_text(row, "/tool"));
    json_str(item, "route", json_text(row, "/route"));
    add_token(item, row);
    json_str(item, "surface", json_integer(row, "surface") == 2 ? "mcp" : "rest");
    json_int(item, "status", json_integer(row, "status"));
    json_str(item, "code", json_text(row, "/code"));
    json_int(item, "credits", json_integer(row, "credits"));
    if (json_is(seq, cJSON_Number))
        json_int(item, "seq", json_integer(row, "seq"));
    else
        json_null(item, "seq");
    json_bool(item, "is_replayed", sql_is(row, "is_replayed"));
    add_ms(item, "total_ms", row, "total_us");
    add_ms(item, "queue_ms", row, "queue_us");
    add_ms(item, "tool_ms", row, "tool_us");
    json_int(item, "bytes_in", json_integer(row, "bytes_in"));
    json_int(item, "bytes_out", json_integer(row, "bytes_out"));
    json_int(item, "ignored_fields", json_integer(row, "ignored"));
    json_str(item, "network", json_text(row, "/network"));
}

bool requests_write(struct pool *pool, const struct asker *asker,
                    const struct requests_question *question, bool is_on, struct buf *out,
                    struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    scoped(json_free) cJSON *result = json_object();
    scoped(pool_give) struct sql *sql = NULL;
    struct err why = { 0 };
    bool is_complete = true;
    const cJSON *row;
    if (!pool_take(pool, &sql, &why) ||
        !query_page(sql, asker, question, rows, &is_complete, &why)) {
        log_line(LOG_WARN, "the request log cannot be read", log_str("error", why.message));
        return err_set(err, ERR_LEDGER_UNAVAILABLE,
                       "the request log cannot be read at the moment; please retry");
    }
    cJSON *list = json_list(result, "requests");
    cJSON_ArrayForEach(row, rows)
        if (json_text(row, "/id")) /* without a match, the only row has just the cursor */
            add_request(row, list);
    json_str(result, "next_cursor", json_text(rows, "/0/next"));
    json_bool(result, "is_complete", is_complete && is_on);
    return json_print(result, out);
}
