/* gateway/account/usage-query.c - see usage-query.h. */
#include "gateway/account/usage-query.h"

#include "base/codec/percent.h"
#include "base/mem.h"
#include "base/num.h"
#include "gateway/account/query-values.h"
#include "text/time/datetime.h"

enum { DAY_MS = DAY_SECONDS * 1000 };

static const char *const kinds[] = {
    NULL,     "signup_grant", "purchase",         "usage",
    "refund", "adjustment",   "payment_reversed", "reversal_undone",
};

const char *usage_kind_name(int64_t kind)
{
    return kind > 0 && kind < (int64_t)countof(kinds) ? kinds[kind] : NULL;
}

/* ---- values ---- */

static bool read_from(struct text value, struct usage_question *question)
{
    return query_time(value, &question->from_ms);
}

static bool read_to(struct text value, struct usage_question *question)
{
    return query_time(value, &question->to_ms);
}

static bool read_by(struct text value, struct usage_question *question)
{
    static const char *const names[] = { NULL, "day", "tool", "token" };
    for (size_t i = 1; i < countof(names); i++)
        if (text_is(value, names[i]))
            question->by = (enum usage_by)i;
    return question->by != USAGE_ENTRIES;
}

static bool read_tool(struct text value, struct usage_question *question)
{
    question->tool = catalog_find(question->catalog, value);
    return question->tool != NULL;
}

static bool read_token(struct text value, struct usage_question *question)
{
    struct uuid id;
    if (!uuid_parse(value, &id))
        return false;
    uuid_format(question->token, &id);
    return true;
}

static bool read_kind(struct text value, struct usage_question *question)
{
    for (size_t i = 1; i < countof(kinds); i++)
        if (text_is(value, kinds[i]))
            question->kind = (int64_t)i;
    return question->kind > 0;
}

static bool read_limit(struct text value, struct usage_question *question)
{
    return num_parse(value, USAGE_LIMIT_MAX, &question->limit) && question->limit > 0;
}

static bool read_cursor(struct text value, struct usage_question *question)
{
    return num_parse(value, INT64_MAX - 1, &question->before) && question->before > 0;
}

/* ---- the query ---- */

enum { FOR_ENTRIES = 1, FOR_SUMS = 2, FOR_BOTH = 3 };

static const struct parameter {
    const char *name;
    bool (*read)(struct text value, struct usage_question *question);
    unsigned applies;
    const char *must; /* be */
} parameters[] = {
    { "from", read_from, FOR_BOTH, "be a date, or a time with an offset (RFC 3339)" },
    { "to", read_to, FOR_BOTH, "be a date, or a time with an offset (RFC 3339)" },
    { "tool", read_tool, FOR_BOTH, "be the name of a tool" },
    { "token", read_token, FOR_BOTH, "be the id of a token" },
    { "group_by", read_by, FOR_SUMS, "be day, tool or token" },
    { "kind", read_kind, FOR_ENTRIES, "be a kind of entries, such as usage" },
    { "limit", read_limit, FOR_ENTRIES, "be 1 to 200" },
    { "cursor", read_cursor, FOR_ENTRIES, "be the next_cursor of a page" },
};

static bool reject_parameter(struct err *err, const char *name, const char *why)
{
    return err_set(err, ERR_INVALID_QUERY, "the query's %s %s", name, why);
}

static bool read_pair(struct text pair, bool *seen, struct usage_question *question,
                      struct err *err)
{
    struct text name = text_cut(&pair, '=');
    scoped(buf_free) struct buf value = BUF(pair.size);
    for (size_t i = 0; i < countof(parameters); i++) {
        const struct parameter *parameter = &parameters[i];
        if (!text_is(name, parameter->name))
            continue;
        if (seen[i])
            return reject_parameter(err, parameter->name, "is there twice");
        seen[i] = true;
        if (percent_decode(pair, &value) && parameter->read(buf_text(&value), question))
            return true;
        return err_set(err, ERR_INVALID_QUERY, "the query's %s must %s", parameter->name,
                       parameter->must);
    }
    return err_set(
        err, ERR_INVALID_QUERY,
        "unknown query parameter; use from, to, tool, token, group_by, kind, limit and cursor");
}

/* Sums are of calls in whole days; pages are of entries. */
static bool check_form(const struct usage_question *question, const bool *seen, struct err *err)
{
    bool is_sums = question->by != USAGE_ENTRIES;
    for (size_t i = 0; is_sums && i < countof(parameters); i++)
        if (seen[i] && !(parameters[i].applies & FOR_SUMS))
            return reject_parameter(err, parameters[i].name, "cannot be combined with group_by");
    return !is_sums || (question->from_ms % DAY_MS == 0 && question->to_ms % DAY_MS == 0) ||
           reject_parameter(err, "from and to", "must be whole days (UTC) with group_by");
}

static bool check_range(const struct usage_question *question, struct err *err)
{
    return (question->from_ms < question->to_ms &&
            question->to_ms - question->from_ms <= (int64_t)USAGE_DAYS_MAX * DAY_MS) ||
           err_set(err, ERR_INVALID_QUERY, "to must be after from, by at most %d days",
                   USAGE_DAYS_MAX);
}

bool usage_read(struct text query, int64_t now_ms, const struct catalog *catalog,
                struct usage_question *question, struct err *err)
{
    struct usage_question asked = { .catalog = catalog,
                                    .from_ms = -1,
                                    .to_ms = (now_ms / DAY_MS + 1) * DAY_MS,
                                    .limit = USAGE_LIMIT,
                                    .before = INT64_MAX };
    bool seen[countof(parameters)] = { false };
    while (query.size > 0)
        if (!read_pair(text_cut(&query, '&'), seen, &asked, err))
            return false;
    if (asked.from_ms < 0)
        asked.from_ms = asked.to_ms - (int64_t)USAGE_DAYS * DAY_MS;
    if (!check_range(&asked, err) || !check_form(&asked, seen, err))
        return false;
    *question = asked;
    return true;
}
