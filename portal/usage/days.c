/* portal/usage/days.c - see days.h. */
#include "portal/usage/days.h"

#include "base/mem.h"
#include "base/num.h"
#include "portal/base/numbers.h"
#include "portal/base/times.h"
#include "portal/template/template.h"
#include "portal/usage/calls.h"
#include "portal/usage/chart.h"

enum { SWATCH_BYTES = 200 };

bool usage_count(struct sql *sql, const char *account, int64_t *left, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, "select usage_roll_up($1, 20000) as left_over", SQL_PARAMS(account), row,
                 err))
        return false;
    *left = (int64_t)json_get(row, "left_over")->valuedouble;
    return true;
}

/* ---- statements ---- */

/* The rows that match a filter: those of usage_day, if it has a tool or token. $1 to $5 are
 * account, from, to, tool, token. */
#define DAYS_WHERE " where d.account_id = $1 and d.day >= $2::date and d.day <= $3::date"
#define FILTER_WHERE                                                                       \
    DAYS_WHERE                                                                             \
    "   and ($4 = '' or d.tool_id = (select tool_id from tool where name = $4))"           \
    "   and case $5 when '' then true"                                                     \
    "                when 'playground' then d.token_id in (select token_id from token"     \
    "                                                 where account_id = $1 and kind = 2)" \
    "                else d.token_id = nullif(nullif($5, ''), 'playground')::uuid end"

static bool takes_all(const struct usage_filter *filter)
{
    return !*filter->tool && !*filter->token;
}

static struct sql_params params_of(const struct usage_filter *filter)
{
    return (struct sql_params){ takes_all(filter) ? 3 : 5,
                                { filter->account, filter->from, filter->to, filter->tool,
                                  filter->token } };
}

#define DAY_SUMS                                        \
    "sum(d.calls) as calls, sum(d.credits) as credits," \
    " min(d.first_seq) as first_seq, max(d.last_seq) as last_seq"

/* Sums per day and group, per tool, and per token. With a filter they come from one pass over its
 * rows; without one from the margins, which are few. */
#define FILTERED_GROUPS                                                \
    "select d.day, t.tool_group, d.tool_id, d.token_id, " DAY_SUMS     \
    "  from usage_day d left join tool t using (tool_id)" FILTER_WHERE \
    " group by grouping sets ((d.day, t.tool_group), (d.tool_id), (d.token_id))"
#define ALL_GROUPS                                                                      \
    "select d.day, t.tool_group, d.tool_id, null::uuid as token_id, " DAY_SUMS          \
    "  from usage_margin d left join tool t using (tool_id)" DAYS_WHERE                 \
    "   and d.tool_id is not null"                                                      \
    " group by grouping sets ((d.day, t.tool_group), (d.tool_id)) "                     \
    "union all "                                                                        \
    "select null, null, null, d.token_id, " DAY_SUMS "  from usage_margin d" DAYS_WHERE \
    " and d.token_id is not null"                                                       \
    " group by d.token_id"

/*
 * Each row has a day, a tool or a token. Days are sorted newest first, tools and tokens by credits.
 * Tokens with the same name are two rows; all playground tokens are one.
 */
#define SUMS_SQL(groups)                                                                          \
    "with a as materialized (" groups ")"                                                         \
    "select a.day::text as day, a.tool_group, null as name, a.calls::bigint,"                     \
    "       a.credits::bigint as credits, a.first_seq, a.last_seq, 1 as part"                     \
    "  from a where a.day is not null "                                                           \
    "union all "                                                                                  \
    "select null, null, coalesce(t.name, 'unknown'), a.calls::bigint, a.credits::bigint, 0, 0, 2" \
    "  from a left join tool t using (tool_id) where a.tool_id is not null "                      \
    "union all "                                                                                  \
    "(select null, null, coalesce(" TOKEN_CALLED ", 'unknown'), sum(a.calls)::bigint,"            \
    "        sum(a.credits)::bigint, 0, 0, 3"                                                     \
    "   from a left join token k on k.account_id = $1 and k.token_id = a.token_id"                \
    "  where a.token_id is not null"                                                              \
    "  group by 3, case when k.kind = 2 then null else a.token_id end"                            \
    "  order by 5 desc, 3 limit 200) "                                                            \
    "order by day desc, credits desc, name"

static const char filtered_sql[] = SUMS_SQL(FILTERED_GROUPS);
static const char all_sql[] = SUMS_SQL(ALL_GROUPS);

#define BOUNDS_SQL                                       \
    "select coalesce(min(d.first_seq), 0) as first_seq," \
    "       coalesce(max(d.last_seq), 0) as last_seq from "
static const char filtered_bounds_sql[] = BOUNDS_SQL "usage_day d" FILTER_WHERE;
static const char all_bounds_sql[] =
    BOUNDS_SQL "usage_margin d" DAYS_WHERE " and d.token_id is not null";

bool usage_bounds(struct sql *sql, const struct usage_filter *filter, cJSON *model, struct err *err)
{
    return sql_row(sql, takes_all(filter) ? all_bounds_sql : filtered_bounds_sql, params_of(filter),
                   model, err);
}

enum column { DAY, GROUP, NAME, CALLS, CREDITS, FIRST_SEQ, LAST_SEQ, PART };

enum part { PART_DAY = 1, PART_TOOL, PART_TOKEN };

static int64_t integer_in(const struct db_rows *rows, size_t row, enum column column)
{
    int64_t value;
    db_int(rows, row, column, &value);
    return value;
}

/* Ends with a NUL; "" if null. */
static struct text text_in(const struct db_rows *rows, size_t row, enum column column)
{
    struct text text;
    return db_text(rows, row, column, &text) ? text : TEXT("");
}

static bool is_part(const struct db_rows *rows, size_t row, enum part part)
{
    return integer_in(rows, row, PART) == part;
}

/* ---- sums ---- */

struct sums {
    int64_t calls;
    int64_t credits;
    int64_t first_seq; /* 0: no entry */
    int64_t last_seq;
};

static void add_to(struct sums *sums, const struct db_rows *rows, size_t row)
{
    int64_t first = integer_in(rows, row, FIRST_SEQ);
    int64_t last = integer_in(rows, row, LAST_SEQ);
    sums->calls += integer_in(rows, row, CALLS);
    sums->credits += integer_in(rows, row, CREDITS);
    sums->first_seq = sums->first_seq ? MIN(sums->first_seq, first) : first;
    sums->last_seq = MAX(sums->last_seq, last);
}

static void add_item(cJSON *list, const char *key, struct text name, const struct sums *sums)
{
    cJSON *item = json_item(list);
    json_text_add(item, key, name);
    number_add(item, "calls", sums->calls);
    number_add(item, "credits", sums->credits);
}

/* Append rows of {name, calls, credits}. */
static void add_named(const struct db_rows *rows, enum part part, const char *list_name,
                      cJSON *model)
{
    cJSON *list = json_list(model, list_name);
    for (size_t row = 0; row < db_rows_count(rows); row++) {
        struct sums sums = { 0 };
        if (!is_part(rows, row, part))
            continue;
        add_to(&sums, rows, row);
        add_item(list, "name", text_in(rows, row, NAME), &sums);
    }
}

/* Groups of one day are consecutive. */
static void add_days(const struct db_rows *rows, cJSON *model)
{
    cJSON *list = json_list(model, "days");
    struct text day = { 0 };
    struct sums sums = { 0 };
    for (size_t row = 0; row < db_rows_count(rows); row++) {
        if (!is_part(rows, row, PART_DAY))
            continue;
        struct text next = text_in(rows, row, DAY);
        if (day.size > 0 && !text_is(next, day.bytes)) {
            add_item(list, "day", day, &sums);
            sums = (struct sums){ 0 };
        }
        day = next;
        add_to(&sums, rows, row);
    }
    if (day.size > 0)
        add_item(list, "day", day, &sums);
}

static void add_total(const struct db_rows *rows, cJSON *model)
{
    struct sums sums = { 0 };
    for (size_t row = 0; row < db_rows_count(rows); row++)
        if (is_part(rows, row, PART_DAY))
            add_to(&sums, rows, row);
    cJSON *total = json_map(model, "total");
    number_add(total, "calls", sums.calls);
    json_str(total, "calls_noun", noun_of(sums.calls, "call", "calls"));
    number_add(total, "credits", sums.credits);
    json_str(total, "credits_noun", noun_of(sums.credits, "credit", "credits"));
    json_int(model, "first_seq", sums.first_seq);
    json_int(model, "last_seq", sums.last_seq);
    json_bool(model, "has_usage", sums.last_seq > 0);
}

/* ---- the chart ---- */

/* The groups of the chart and their order: those on sale, then "other". */
static size_t place_of(const struct catalog_cache *catalog, struct text group)
{
    size_t at = group.size > 0 ? catalog_cache_group(catalog, group.bytes) : catalog->group_count;
    return MIN(at, (size_t)CHART_GROUPS_MAX);
}

static void fill_chart(const struct catalog_cache *catalog, const struct db_rows *rows,
                       int64_t first, struct chart *chart)
{
    for (size_t i = 0; i < chart->day_count; i++)
        day_write(first + (int64_t)i, chart->days[i].date);
    for (size_t row = 0; row < db_rows_count(rows); row++) {
        int64_t day;
        if (!is_part(rows, row, PART_DAY) || !day_parse(text_in(rows, row, DAY), &day) ||
            day < first || day - first >= (int64_t)chart->day_count)
            continue;
        size_t place = place_of(catalog, text_in(rows, row, GROUP));
        chart->days[day - first].credits[place] += integer_in(rows, row, CREDITS);
    }
    chart->group_count = CHART_GROUPS_MAX + 1;
    for (size_t i = 0; i <= CHART_GROUPS_MAX; i++)
        chart->groups[i] =
            i < catalog->group_count && i < CHART_GROUPS_MAX ? catalog->groups[i].title : "Other";
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
    credits_add(model, "chart_top", chart_scale(chart_peak(chart)));
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

static bool add_chart(const struct catalog_cache *catalog, const struct usage_filter *filter,
                      const struct db_rows *rows, cJSON *model, struct err *err)
{
    int64_t first;
    int64_t last;
    if (!day_parse(text_of(filter->from), &first) || !day_parse(text_of(filter->to), &last) ||
        last < first || last - first >= CHART_DAYS_MAX)
        return err_set(err, ERR_INTERNAL, "a chart without days");
    struct chart chart = { .day_count = (size_t)(last - first + 1) };
    scoped(mem_free) struct chart_day *days = mem_array(chart.day_count, sizeof(*days));
    chart.days = days;
    fill_chart(catalog, rows, first, &chart);
    if (chart_peak(&chart) > 0)
        show_chart(&chart, model);
    return true;
}

bool usage_sums(struct sql *sql, struct catalog_cache *catalog, const struct usage_filter *filter,
                cJSON *model, struct err *err)
{
    scoped(db_rows_free) struct db_rows *rows = NULL;
    if (!sql_select(sql, takes_all(filter) ? all_sql : filtered_sql, params_of(filter), &rows, err))
        return false;
    add_total(rows, model);
    add_days(rows, model);
    add_named(rows, PART_TOOL, "tools", model);
    add_named(rows, PART_TOKEN, "tokens", model);
    return add_chart(catalog, filter, rows, model, err);
}
