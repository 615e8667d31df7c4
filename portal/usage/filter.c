/* portal/usage/filter.c - see filter.h. */
#include "portal/usage/filter.h"

#include <string.h>

#include "base/codec/uuid.h"
#include "base/num.h"
#include "portal/base/times.h"
#include "portal/page/field.h"
#include "text/json.h"

/* ---- reading ---- */

/* A day of the query, or the default, both in the visit's memory. */
static bool read_day(struct visit *visit, const char *field, int64_t usual, const char **text,
                     int64_t *day)
{
    char written[DAY_BYTES];
    const char *asked = form_text(&visit->form, field);
    *day = usual;
    if (*asked && !day_parse(text_of(asked), day))
        return visit_add_error(visit, field, "Enter a date like 2026-11-23.");
    day_write(*day, written);
    *text = arena_copy(&visit->arena, text_of(written));
    return true;
}

static bool read_days(struct visit *visit, const char *today, struct usage_filter *filter)
{
    int64_t now;
    int64_t from = 0;
    int64_t to = 0;
    if (!day_parse(text_of(today), &now) || !read_day(visit, "to", now, &filter->to, &to) ||
        !read_day(visit, "from", MAX(to - USAGE_DAYS_USUAL + 1, 0), &filter->from, &from))
        return false;
    if (from > to)
        return visit_add_error(visit, "from", "The first day must not be after the last day.");
    if (to - from >= USAGE_DAYS_MAX)
        return visit_add_error(visit, "from", "Choose a range of at most %d days.", USAGE_DAYS_MAX);
    return true;
}

static bool is_token(const char *text)
{
    struct uuid id;
    return !*text || strcmp(text, "playground") == 0 || uuid_parse(text_of(text), &id);
}

bool filter_read(struct visit *visit, const char *today, struct usage_filter *filter)
{
    filter->account = visit->session.account_id;
    filter->tool = form_text(&visit->form, "tool");
    filter->token = form_text(&visit->form, "token");
    if (!read_days(visit, today, filter))
        return false;
    if (*filter->tool && !catalog_cache_find(visit->portal->catalog, filter->tool))
        return visit_add_error(visit, "tool", "Choose a tool from the list.");
    return is_token(filter->token) ||
           visit_add_error(visit, "token", "Choose a token from the list.");
}

/* ---- showing ---- */

static cJSON *add_field(struct visit *visit, const char *name, const char *label, const char *value,
                        cJSON *fields)
{
    cJSON *field = json_item(fields);
    const char *error = visit_error(visit, name);
    json_str(field, "name", name);
    json_str(field, "label", label);
    json_str(field, "value", value);
    if (error)
        json_str(field, "error", error);
    return field;
}

static void add_tools(struct visit *visit, const char *chosen, cJSON *field)
{
    const struct catalog_cache *catalog = visit->portal->catalog;
    cJSON *options = json_list(field, "options");
    json_bool(field, "is_select", true);
    option_add(options, "", "all tools", chosen);
    for (size_t i = 0; i < catalog->count; i++)
        option_add(options, catalog->contracts[i]->tool, catalog->contracts[i]->tool, chosen);
}

static void add_tokens(const cJSON *tokens, const char *chosen, cJSON *field)
{
    cJSON *options = json_list(field, "options");
    const cJSON *row;
    json_bool(field, "is_select", true);
    option_add(options, "", "all tokens", chosen);
    option_add(options, "playground", "playground", chosen);
    cJSON_ArrayForEach(row, tokens)
        option_add(options, json_text(row, "/token_id"), json_text(row, "/name"), chosen);
}

static void add_link_part(const char *name, const char *value, cJSON *filters)
{
    cJSON *item = json_item(filters);
    json_str(item, "name", name);
    json_str(item, "value", value);
}

/* What was typed, also if it is invalid. */
static const char *shown(const struct visit *visit, const char *name, const char *read)
{
    const char *asked = form_text(&visit->form, name);
    return *asked || !read ? asked : read;
}

void filter_add(struct visit *visit, const struct usage_filter *filter, const cJSON *tokens,
                cJSON *fields, cJSON *filters)
{
    const char *tool = form_text(&visit->form, "tool");
    const char *token = form_text(&visit->form, "token");
    const char *from = shown(visit, "from", filter->from);
    const char *to = shown(visit, "to", filter->to);
    json_str(add_field(visit, "from", "From", from, fields), "type", "date");
    json_str(add_field(visit, "to", "To (included)", to, fields), "type", "date");
    add_tools(visit, tool, add_field(visit, "tool", "Tool", tool, fields));
    add_tokens(tokens, token, add_field(visit, "token", "Token", token, fields));
    add_link_part("from", from, filters);
    add_link_part("to", to, filters);
    add_link_part("tool", tool, filters);
    add_link_part("token", token, filters);
}
