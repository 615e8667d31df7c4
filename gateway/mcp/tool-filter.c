/* gateway/mcp/tool-filter.c - selects the visible tools by the URL's query. */
#include "gateway/mcp/tool-filter.h"

#include <string.h>

#include "base/codec/percent.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/log.h"

enum { PRICE_MAX = 1000000, NAME_MAX_BYTES = 32 };

struct query {
    const struct mcp_tools *tools;
    struct mcp_choice named;
    bool is_named; /* the query has groups or tools */
    bool is_whole;
    bool ignores_unknown;
    int64_t max_price;
};

static bool reject_parameter(struct err *err, const char *name, const char *why)
{
    return err_set(err, ERR_INVALID_QUERY, "the query's %s %s", name, why);
}

/* ---- the parameters ---- */

static bool is_in(const struct offer *offer, struct text name, bool is_group)
{
    return text_is(name, is_group ? offer->group : offer->name);
}

/* Select the tools of one group, or one tool, by name. */
static bool select_by_name(struct query *query, struct text name, bool is_group)
{
    bool found = false;
    for (size_t i = 0; i < query->tools->count; i++) {
        if (!is_in(query->tools->tool[i].offer, name, is_group))
            continue;
        query->named.has[i] = found = true;
    }
    return found;
}

static bool choose_all(struct query *query, struct text names, bool is_group)
{
    query->is_named = true;
    if (names.bytes[names.size - 1] == ',')
        return false;
    while (names.size > 0)
        if (!select_by_name(query, text_cut(&names, ','), is_group))
            return false;
    return true;
}

static bool read_groups(struct query *query, struct text value, struct err *err)
{
    return choose_all(query, value, true) ||
           reject_parameter(err, "groups", "contains an unknown group");
}

static bool read_tools(struct query *query, struct text value, struct err *err)
{
    return choose_all(query, value, false) ||
           reject_parameter(err, "tools", "contains an unknown tool");
}

static bool read_price(struct query *query, struct text value, struct err *err)
{
    return num_parse(value, PRICE_MAX, &query->max_price) ||
           reject_parameter(err, "max_price", "must be a whole number of credits");
}

static bool read_output(struct query *query, struct text value, struct err *err)
{
    query->is_whole = text_is(value, "schema");
    return query->is_whole || reject_parameter(err, "output", "must be schema");
}

static bool read_unknown(struct query *query, struct text value, struct err *err)
{
    query->ignores_unknown = text_is(value, "ignore");
    return query->ignores_unknown || reject_parameter(err, "unknown", "must be ignore");
}

static const struct parameter {
    const char *name;
    bool (*read)(struct query *query, struct text value, struct err *err);
} parameters[] = {
    { "groups", read_groups }, { "tools", read_tools },     { "max_price", read_price },
    { "output", read_output }, { "unknown", read_unknown },
};

/* ---- the query ---- */

/* Echo the name only if it cannot be a secret. */
static bool reject_unknown_name(struct text name, struct err *err)
{
    bool is_plain = name.size > 0 && name.size <= NAME_MAX_BYTES &&
                    text_is_made_of(name, "abcdefghijklmnopqrstuvwxyz_") &&
                    !text_has(name, "tg_"); /* in all kinds of secrets */
    return err_set(err, ERR_INVALID_QUERY,
                   "the query parameter %.*s is unknown; use groups, tools, max_price, output or "
                   "unknown",
                   is_plain ? (int)name.size : 0, is_plain ? name.bytes : "");
}

static bool read_pair(struct query *query, struct text pair, bool *seen, struct err *err)
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
        /* Some clients encode commas as %2C. */
        if (!percent_decode(pair, &value) || value.size == 0)
            return reject_parameter(err, parameter->name,
                                    "must not be empty, and must be percent-encoded");
        return parameter->read(query, buf_text(&value), err);
    }
    return reject_unknown_name(name, err);
}

static bool is_affordable(const struct offer *offer, int64_t max_price)
{
    return !offer->contract || offer->contract->credits <= max_price;
}

static bool choose_shown(const struct query *query, struct mcp_choice *choice, struct err *err)
{
    *choice = (struct mcp_choice){ .is_whole = query->is_whole,
                                   .ignores_unknown = query->ignores_unknown };
    for (size_t i = 0; i < query->tools->count; i++) {
        const struct offer *offer = query->tools->tool[i].offer;
        bool is_named = !query->is_named || query->named.has[i] || !offer->contract;
        choice->has[i] = is_named && is_affordable(offer, query->max_price);
    }
    if (query->is_whole && !query->is_named)
        return reject_parameter(err, "output", "requires groups or tools");
    if (mcp_tools_bytes(query->tools, choice) > MCP_LIST_MAX_BYTES)
        return reject_parameter(err, "output",
                                "makes the list too long; select fewer groups or tools");
    return true;
}

bool tool_filter_read(const struct mcp_tools *tools, struct text text, struct mcp_choice *choice,
                      struct err *err)
{
    struct query query = { .tools = tools, .max_price = PRICE_MAX };
    bool seen[countof(parameters)] = { false };
    while (text.size > 0)
        if (!read_pair(&query, text_cut(&text, '&'), seen, err))
            return false;
    return choose_shown(&query, choice, err);
}
