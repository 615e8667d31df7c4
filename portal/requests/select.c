/* portal/requests/select.c - see select.h. */
#include "portal/requests/select.h"

#include <string.h>

#include "base/codec/uuid.h"
#include "base/num.h"
#include "base/table.h"
#include "portal/page/field.h"
#include "portal/usage/calls.h"
#include "text/json.h"

enum { SLOWER_MS_MAX = 600000, WORD_MAX = 64 };

static const struct status {
    const char *name;
    const char *label;
} statuses[] = {
    { "", "all statuses" }, { "failed", "failed" }, { "2xx", "2xx" },
    { "4xx", "4xx" },       { "5xx", "5xx" },
};

/* ---- reading ---- */

/* A code or an id. */
static bool is_word(const char *text)
{
    size_t size = strlen(text);
    for (const char *at = text; *at; at++)
        if (*at <= ' ' || *at > '~')
            return false;
    return size <= WORD_MAX;
}

static bool read_slower(struct visit *visit, struct request_filter *filter)
{
    int64_t ms;
    filter->slower_ms = form_text(&visit->form, "slower");
    return !*filter->slower_ms || num_parse(text_of(filter->slower_ms), SLOWER_MS_MAX, &ms) ||
           visit_add_error(visit, "slower", "Enter milliseconds, 0 to %d.", SLOWER_MS_MAX);
}

bool request_filter_read(struct visit *visit, const char *today, struct request_filter *filter)
{
    filter->status = form_text(&visit->form, "status");
    filter->code = form_text(&visit->form, "code");
    filter->id = form_text(&visit->form, "id");
    bool ok = filter_read(visit, today, &filter->usage) && read_slower(visit, filter);
    if (!TABLE_FIND(statuses, filter->status))
        ok = visit_add_error(visit, "status", "Choose a status from the list.");
    if (!is_word(filter->code))
        ok = visit_add_error(visit, "code", "Enter an error code, such as missing_field.");
    if (!is_word(filter->id))
        ok = visit_add_error(visit, "id", "Enter the X-Request-Id of a response.");
    return ok;
}

bool request_filter_is_narrow(const struct request_filter *filter)
{
    return *filter->usage.token || *filter->status || *filter->code || *filter->slower_ms ||
           *filter->id;
}

const char *request_cursor(const struct visit *visit)
{
    const char *cursor = form_text(&visit->form, "before");
    struct text rest = text_of(cursor);
    struct text time = text_cut(&rest, '.');
    struct uuid id;
    int64_t us;
    bool ok = num_parse(time, INT64_MAX / 1000, &us) && uuid_parse(rest, &id);
    return ok ? cursor : "";
}

/* ---- showing ---- */

static void add_link(const char *name, const char *value, cJSON *filters)
{
    cJSON *item = json_item(filters);
    json_str(item, "name", name);
    json_str(item, "value", value);
}

static void add_text(struct visit *visit, const struct field *field, cJSON *fields, cJSON *filters)
{
    json_item_add(fields, field_model(visit, field, NULL));
    add_link(field->name, form_text(&visit->form, field->name), filters);
}

static void add_status(struct visit *visit, const char *chosen, cJSON *fields, cJSON *filters)
{
    cJSON *field = json_item(fields);
    const char *error = visit_error(visit, "status");
    cJSON *options = json_list(field, "options");
    json_str(field, "name", "status");
    json_str(field, "label", "Status");
    json_bool(field, "is_select", true);
    if (error)
        json_str(field, "error", error);
    for (size_t i = 0; i < countof(statuses); i++)
        option_add(options, statuses[i].name, statuses[i].label, chosen);
    add_link("status", chosen, filters);
}

void request_filter_add(struct visit *visit, const struct request_filter *filter,
                        const cJSON *tokens, cJSON *model)
{
    static const struct field texts[] = {
        { "code", "Code", "text", .max = WORD_MAX, .is_optional = true },
        { "slower", "Slower than, ms", "text", .max = 6, .is_optional = true },
        { "id", "Request ID", "text", .max = WORD_MAX, .is_optional = true },
    };
    cJSON *fields = json_list(model, "fields");
    cJSON *filters = json_list(model, "filters");
    filter_add(visit, &filter->usage, tokens, fields, filters);
    add_status(visit, form_text(&visit->form, "status"), fields, filters);
    for (size_t i = 0; i < countof(texts); i++)
        add_text(visit, &texts[i], fields, filters);
}

/* ---- rows ---- */

const char request_rows_sql[] =
    "select p.next, p.at, p.id, p.client_id,"
    "       case when p.token_kind = 2 then 'playground'"
    "            else coalesce(nullif(p.token_name, ''), '…' || p.token_last4) end as token,"
    "       p.tool, p.route, (array['REST', 'MCP'])[p.surface] as surface, p.status, p.code,"
    "       p.credits, p.seq, p.is_replayed, round(p.total_us / 1000.0, 1)::text as total_ms,"
    "       round(p.queue_us / 1000.0, 1)::text as queue_ms,"
    "       round(p.tool_us / 1000.0, 1)::text as tool_ms, p.bytes_in, p.bytes_out, p.ignored,"
    "       p.network"
    "  from request_page($1, $2::date::timestamp at time zone 'UTC',"
    "                    ($3::date + 1)::timestamp at time zone 'UTC', $4, $5, $6, $7,"
    "                    nullif($8, '')::integer, $9, $10, $11) p";

struct sql_params request_params(const struct request_filter *filter, const char *cursor,
                                 const char *limit)
{
    const struct usage_filter *usage = &filter->usage;
    return SQL_PARAMS(usage->account, usage->from, usage->to, usage->tool, usage->token,
                      filter->status, filter->code, filter->slower_ms, filter->id, cursor, limit);
}
