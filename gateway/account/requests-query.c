/* gateway/account/requests-query.c - see requests-query.h. */
#include "gateway/account/requests-query.h"

#include <stdio.h>

#include "base/codec/percent.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "gateway/account/query-values.h"
#include "text/time/datetime.h"

enum { DAY_MS = DAY_SECONDS * 1000, SLOWER_MS_MAX = 600000 };

/* ---- values ---- */

static bool read_from(struct text value, struct requests_question *question)
{
    return query_time(value, &question->from_ms);
}

static bool read_to(struct text value, struct requests_question *question)
{
    return query_time(value, &question->to_ms);
}

static bool read_tool(struct text value, struct requests_question *question)
{
    const struct offer *offer = catalog_find(question->catalog, value);
    question->tool = offer ? offer->name : NULL;
    return offer != NULL;
}

static bool read_token(struct text value, struct requests_question *question)
{
    struct uuid id;
    if (!uuid_parse(value, &id))
        return false;
    uuid_format(question->token, &id);
    return true;
}

static bool read_status(struct text value, struct requests_question *question)
{
    static const char *const names[] = { "2xx", "4xx", "5xx", "failed" };
    for (size_t i = 0; i < countof(names); i++)
        if (text_is(value, names[i]))
            question->status = names[i];
    return question->status != NULL;
}

/* Printable, without blanks: what a header or a code can be. */
static bool read_word(struct text value, char out[static REQUESTS_WORD_BYTES])
{
    for (size_t i = 0; i < value.size; i++)
        if (value.bytes[i] <= ' ' || value.bytes[i] > '~')
            return false;
    if (value.size == 0 || value.size >= REQUESTS_WORD_BYTES)
        return false;
    snprintf(out, REQUESTS_WORD_BYTES, "%.*s", (int)value.size, value.bytes);
    return true;
}

static bool read_code(struct text value, struct requests_question *question)
{
    return read_word(value, question->code);
}

static bool read_slower(struct text value, struct requests_question *question)
{
    return num_parse(value, SLOWER_MS_MAX, &question->slower_ms) && question->slower_ms > 0;
}

static bool read_id(struct text value, struct requests_question *question)
{
    return read_word(value, question->id);
}

static bool read_limit(struct text value, struct requests_question *question)
{
    return num_parse(value, REQUESTS_LIMIT_MAX, &question->limit) && question->limit > 0;
}

/* "1795860000000000.01890a5d-…" */
static bool read_cursor(struct text value, struct requests_question *question)
{
    struct text rest = value;
    struct text time = text_cut(&rest, '.');
    struct uuid id;
    int64_t us;
    return num_parse(time, INT64_MAX / 1000, &us) && uuid_parse(rest, &id) &&
           read_word(value, question->cursor);
}

/* ---- the query ---- */

static const struct parameter {
    const char *name;
    bool (*read)(struct text value, struct requests_question *question);
    const char *must; /* be */
} parameters[] = {
    { "from", read_from, "be a date, or a time with an offset (RFC 3339)" },
    { "to", read_to, "be a date, or a time with an offset (RFC 3339)" },
    { "tool", read_tool, "be the name of a tool" },
    { "token", read_token, "be the id of a token" },
    { "status", read_status, "be 2xx, 4xx, 5xx or failed" },
    { "code", read_code, "be an error code" },
    { "slower_ms", read_slower, "be 1 to 600000" },
    { "id", read_id, "be 1 to 64 printable ASCII characters without spaces" },
    { "limit", read_limit, "be 1 to 200" },
    { "cursor", read_cursor, "be the next_cursor of a page" },
};

static bool read_pair(struct text pair, bool *seen, struct requests_question *question,
                      struct err *err)
{
    struct text name = text_cut(&pair, '=');
    scoped(buf_free) struct buf value = BUF(pair.size);
    for (size_t i = 0; i < countof(parameters); i++) {
        const struct parameter *parameter = &parameters[i];
        if (!text_is(name, parameter->name))
            continue;
        if (seen[i])
            return err_set(err, ERR_INVALID_QUERY, "the query's %s is there twice",
                           parameter->name);
        seen[i] = true;
        if (percent_decode(pair, &value) && parameter->read(buf_text(&value), question))
            return true;
        return err_set(err, ERR_INVALID_QUERY, "the query's %s must %s", parameter->name,
                       parameter->must);
    }
    return err_set(err, ERR_INVALID_QUERY,
                   "unknown query parameter; use from, to, tool, token, status, code, slower_ms, "
                   "id, limit and cursor");
}

bool requests_read(struct text query, int64_t now_ms, const struct catalog *catalog,
                   struct requests_question *question, struct err *err)
{
    struct requests_question asked = { .catalog = catalog,
                                       .from_ms = -1,
                                       .to_ms = (now_ms / DAY_MS + 1) * DAY_MS,
                                       .limit = REQUESTS_LIMIT };
    bool seen[countof(parameters)] = { false };
    while (query.size > 0)
        if (!read_pair(text_cut(&query, '&'), seen, &asked, err))
            return false;
    if (asked.from_ms < 0)
        asked.from_ms = MAX(asked.to_ms - (int64_t)REQUESTS_DAYS * DAY_MS, (int64_t)0);
    if (asked.from_ms >= asked.to_ms ||
        asked.to_ms - asked.from_ms > (int64_t)REQUESTS_DAYS_MAX * DAY_MS)
        return err_set(err, ERR_INVALID_QUERY, "to must be after from, by at most %d days",
                       REQUESTS_DAYS_MAX);
    *question = asked;
    return true;
}
