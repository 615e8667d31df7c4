/* gateway/account/invoices-query.c - see invoices-query.h. */
#include "gateway/account/invoices-query.h"

#include "base/codec/percent.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "gateway/account/query-values.h"

/* ---- values ---- */

static bool read_from(struct text value, struct invoices_question *question)
{
    return query_time(value, &question->from_ms);
}

static bool read_to(struct text value, struct invoices_question *question)
{
    return query_time(value, &question->to_ms);
}

static bool read_limit(struct text value, struct invoices_question *question)
{
    return num_parse(value, INVOICES_LIMIT_MAX, &question->limit) && question->limit > 0;
}

static bool read_cursor(struct text value, struct invoices_question *question)
{
    return num_parse(value, INT64_MAX - 1, &question->before) && question->before > 0;
}

/* ---- the query ---- */

static const struct parameter {
    const char *name;
    bool (*read)(struct text value, struct invoices_question *question);
    const char *must; /* be */
} parameters[] = {
    { "from", read_from, "be a date, or a time with an offset (RFC 3339)" },
    { "to", read_to, "be a date, or a time with an offset (RFC 3339)" },
    { "limit", read_limit, "be 1 to 200" },
    { "cursor", read_cursor, "be the next_cursor of a page" },
};

static bool read_pair(struct text pair, bool *seen, struct invoices_question *question,
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
                   "unknown query parameter; use from, to, limit and cursor");
}

bool invoices_read(struct text query, struct invoices_question *question, struct err *err)
{
    struct invoices_question asked = {
        .from_ms = -1, .to_ms = -1, .limit = INVOICES_LIMIT, .before = INT64_MAX
    };
    bool seen[countof(parameters)] = { false };
    while (query.size > 0)
        if (!read_pair(text_cut(&query, '&'), seen, &asked, err))
            return false;
    if (asked.from_ms >= 0 && asked.to_ms >= 0 && asked.from_ms >= asked.to_ms)
        return err_set(err, ERR_INVALID_QUERY, "to must be after from");
    *question = asked;
    return true;
}
