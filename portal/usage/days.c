/* portal/usage/days.c - see days.h. */
#include "portal/usage/days.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "portal/numbers.h"
#include "portal/template/template.h"
#include "portal/times.h"
#include "portal/usage/calls.h"
#include "portal/usage/chart.h"

enum { SWATCH_BYTES = 200 };

bool usage_count(struct sql *sql, const char *account, int64_t *left, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, "select usage_roll_up($1, 20000) as left_over",
                 (struct sql_params){ 1, { account } }, row, err))
        return false;
    *left = (int64_t)json_get(row, "left_over")->valuedouble;
    return true;
}

/* ---- statements ---- */

/* The rows of usage_day that a filter takes; $1 to $5 are account, from, to, tool, token. */
#define USAGE_WHERE                                                                        \
    " where d.account_id = $1 and d.day >= $2::date and d.day <= $3::date"                 \
    "   and ($4 = '' or d.tool_id = (select tool_id from tool where name = $4))"           \
    "   and case $5 when '' then true"                                                     \
    "                when 'playground' then d.token_id in (select token_id from token"     \
    "                                                 where account_id = $1 and kind = 2)" \
    "                else d.token_id = nullif(nullif($5, ''), 'playground')::uuid end"

/* Sums of a day and group, and of a tool, from one pass: a row has either a day or a tool. */
static const char days_sql[] =
    "with a as materialized ("
    "  select d.day, d.tool_id, sum(d.calls) as calls, sum(d.credits) as credits,"
    "         min(d.first_seq) as first_seq, max(d.last_seq) as last_seq"
    "    from usage_day d" USAGE_WHERE " group by d.day, d.tool_id"
    ") select a.day::text as day, case when a.day is null then coalesce(t.name, 'unknown') end as "
    "tool,"
    "         t.tool_group, sum(a.calls)::bigint as calls, sum(a.credits)::bigint as credits,"
    "         min(a.first_seq) as first_seq, max(a.last_seq) as last_seq"
    "    from a left join tool t using (tool_id)"
    "   group by grouping sets ((a.day, t.tool_group), (t.tool_id, t.name, t.tool_group))"
    "   order by a.day desc, 5 desc, 2";

/* Tokens of one name are two rows; those of the playground are one. */
static const char tokens_sql[] =
    "with a as materialized ("
    "  select d.token_id, sum(d.calls) as calls, sum(d.credits) as credits"
    "    from usage_day d" USAGE_WHERE " group by d.token_id"
    ") select coalesce(" TOKEN_CALLED ", 'unknown') as name, sum(a.calls)::bigint as calls,"
    "         sum(a.credits)::bigint as credits"
    "    from a left join token k on k.account_id = $1 and k.token_id = a.token_id"
    "   group by 1, case when k.kind = 2 then null else a.token_id end"
    "   order by 3 desc, 1 limit 200";

static bool ask(struct sql *sql, const char *statement, const struct usage_filter *filter,
                cJSON *rows, struct err *err)
{
    struct sql_params params = {
        5, { filter->account, filter->from, filter->to, filter->tool, filter->token }
    };
    return sql_rows(sql, statement, params, rows, err);
}

static int64_t integer_of(const cJSON *row, const char *name)
{
    const cJSON *value = json_get(row, name);
    return value && json_is(value, cJSON_Number) ? (int64_t)value->valuedouble : 0;
}

/* ---- sums ---- */

struct sums {
    int64_t calls;
    int64_t credits;
    int64_t first_seq; /* 0: none */
    int64_t last_seq;
};

static void add_to(struct sums *sums, const cJSON *row)
{
    int64_t first = integer_of(row, "first_seq");
    int64_t last = integer_of(row, "last_seq");
    sums->calls += integer_of(row, "calls");
    sums->credits += integer_of(row, "credits");
    sums->first_seq = sums->first_seq ? MIN(sums->first_seq, first) : first;
    sums->last_seq = MAX(sums->last_seq, last);
}

static void add_item(cJSON *list, const char *key, const char *name, const struct sums *sums)
{
    cJSON *item = json_item(list);
    json_str(item, key, name);
    number_add(item, "calls", sums->calls);
    number_add(item, "credits", sums->credits);
}

/* Rows of { name, calls, credits }. */
static void add_named(const cJSON *rows, const char *name, const char *list_name, cJSON *model)
{
    cJSON *list = json_list(model, list_name);
    const cJSON *row;
    cJSON_ArrayForEach(row, rows) {
        struct sums sums = { 0 };
        const cJSON *text = json_get(row, name);
        add_to(&sums, row);
        if (json_is(text, cJSON_String))
            add_item(list, "name", text->valuestring, &sums);
    }
}

/* Days of rows that are in their order, groups of one day together. */
static void add_days(const cJSON *rows, cJSON *model)
{
    cJSON *list = json_list(model, "days");
    const char *day = NULL;
    struct sums sums = { 0 };
    const cJSON *row;
    cJSON_ArrayForEach(row, rows) {
        const char *next = json_text(row, "/day");
        if (!next)
            continue;
        if (day && strcmp(next, day) != 0) {
            add_item(list, "day", day, &sums);
            sums = (struct sums){ 0 };
        }
        day = next;
        add_to(&sums, row);
    }
    if (day)
        add_item(list, "day", day, &sums);
}

static void add_total(const cJSON *rows, cJSON *model)
{
    struct sums sums = { 0 };
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
        if (json_text(row, "/day"))
            add_to(&sums, row);
    cJSON *total = json_map(model, "total");
    number_add(total, "calls", sums.calls);
    number_add(total, "credits", sums.credits);
    json_int(model, "first_seq", sums.first_seq);
    json_int(model, "last_seq", sums.last_seq);
    json_bool(model, "has_usage", sums.last_seq > 0);
}

/* ---- the chart ---- */

/* The groups that a chart shows, and whose place each has: those on sale in their order, then
 * other. */
static size_t place_of(const struct shelf *shelf, const char *group)
{
    size_t at = group ? shelf_group(shelf, group) : shelf->group_count;
    return MIN(at, (size_t)CHART_GROUPS_MAX);
}

static void fill_chart(const struct shelf *shelf, const cJSON *rows, int64_t first,
                       struct chart *chart)
{
    const cJSON *row;
    for (size_t i = 0; i < chart->day_count; i++)
        day_write(first + (int64_t)i, chart->days[i].date);
    cJSON_ArrayForEach(row, rows) {
        int64_t day;
        if (!day_parse(json_text_of(json_get(row, "day")), &day) || day < first ||
            day - first >= (int64_t)chart->day_count)
            continue;
        size_t place = place_of(shelf, json_text(row, "/tool_group"));
        chart->days[day - first].credits[place] += integer_of(row, "credits");
    }
    chart->group_count = CHART_GROUPS_MAX + 1;
    for (size_t i = 0; i <= CHART_GROUPS_MAX; i++)
        chart->groups[i] =
            i < shelf->group_count && i < CHART_GROUPS_MAX ? shelf->groups[i].title : "Other";
}

static bool group_is_used(const struct chart *chart, size_t group)
{
    for (size_t day = 0; day < chart->day_count; day++)
        if (chart->days[day].credits[group] > 0)
            return true;
    return false;
}

static void show_chart(const struct chart *chart, cJSON *model)
{
    scoped(buf_free) struct buf svg = BUF(CHART_SVG_BYTES);
    cJSON *legend = json_list(model, "legend");
    chart_draw(chart, &svg);
    template_picture(model, "chart", buf_text(&svg));
    number_add(model, "chart_top", chart_scale(chart_peak(chart)));
    json_str(model, "chart_first", chart->days[0].date);
    json_str(model, "chart_last", chart->days[chart->day_count - 1].date);
    for (size_t i = 0; i < chart->group_count; i++) {
        scoped(buf_free) struct buf swatch = BUF(SWATCH_BYTES);
        if (!group_is_used(chart, i))
            continue;
        cJSON *item = json_item(legend);
        chart_swatch(i, &swatch);
        template_picture(item, "swatch", buf_text(&swatch));
        json_str(item, "heading", chart->groups[i]);
    }
}

static bool add_chart(const struct shelf *shelf, const struct usage_filter *filter,
                      const cJSON *rows, cJSON *model, struct err *err)
{
    int64_t first;
    int64_t last;
    if (!day_parse(text_of(filter->from), &first) || !day_parse(text_of(filter->to), &last) ||
        last < first || last - first >= CHART_DAYS_MAX)
        return err_set(err, ERR_INTERNAL, "a chart of no days");
    struct chart chart = { .day_count = (size_t)(last - first + 1) };
    scoped(mem_free) struct chart_day *days = mem_array(chart.day_count, sizeof(*days));
    chart.days = days;
    fill_chart(shelf, rows, first, &chart);
    if (chart_peak(&chart) > 0)
        show_chart(&chart, model);
    return true;
}

bool usage_sums(struct sql *sql, struct shelf *shelf, const struct usage_filter *filter,
                cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    scoped(json_free) cJSON *tokens = json_array();
    if (!ask(sql, days_sql, filter, rows, err) || !ask(sql, tokens_sql, filter, tokens, err))
        return false;
    add_total(rows, model);
    add_days(rows, model);
    add_named(rows, "tool", "tools", model);
    add_named(tokens, "name", "tokens", model);
    return add_chart(shelf, filter, rows, model, err);
}
