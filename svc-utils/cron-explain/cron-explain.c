/* svc-utils/cron-explain/cron-explain.c - explains a cron expression, lists its runs, and warns. */
#include <string.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "base/table.h"
#include "cron-explain/expression/parse.h"
#include "dialects.h"
#include "svc/args.h"
#include "text/json.h"
#include "text/time/datetime.h"
#include "tools.h"

enum {
    VALUES_MAX = 60, /* a longer list is not printed */
    TEXT_BYTES = 16 * 1024,
};

static const struct dst {
    const char *name;
    enum cron_dst dst;
} policies[] = {
    { "run_after", CRON_RUN_AFTER },
    { "shift", CRON_SHIFT },
    { "skip", CRON_SKIP },
};

static const char *const notes[] = {
    [CRON_ORDINARY] = NULL,
    [CRON_IN_GAP] = "dst_gap",
    [CRON_TWICE_FIRST] = "dst_overlap_first",
    [CRON_TWICE_SECOND] = "dst_overlap_second",
};

static void free_plan(struct plan *plan)
{
    zone_free(&plan->zone);
}

/* ---- the request ---- */

static bool read_from(const struct job *job, struct plan *plan, struct err *err)
{
    const cJSON *from = arg_any(job, "from");
    struct datetime datetime = { 0 };
    int64_t instant_s;

    plan->from_ms = job->now_ms;
    if (!from)
        return true;
    if (json_is_integer(from)) {
        plan->from_ms = (int64_t)from->valuedouble * 1000;
    } else if (!datetime_parse(json_text_of(from), &datetime)) {
        return err_set(
            err, ERR_INVALID_VALUE,
            "from must be an ISO 8601 time such as 2026-11-21T10:44:00Z, or Unix seconds");
    } else if (datetime.has_offset) {
        plan->from_ms = datetime.local_ms - datetime.offset_s * INT64_C(1000);
    } else {
        int64_t local_s = datetime.local_ms / 1000 - (datetime.local_ms % 1000 < 0);
        zone_instant(plan->zone, local_s, &instant_s);
        plan->from_ms = instant_s * 1000 + (datetime.local_ms - local_s * 1000);
    }
    if (plan->from_ms < 0 || plan->from_ms >= INT64_C(253402300800000))
        return err_set(err, ERR_INVALID_VALUE, "from must be in the years 1970 to 9999");
    return true;
}

static bool read_request(const struct job *job, struct plan *plan, struct err *err)
{
    bool is_sunday_1 = strcmp(arg_str(job, "weekday_numbering"), "sunday1") == 0;
    struct zone_span span;
    if (!cron_find_pasted(arg_text(job, "expression"), &plan->paste, err) ||
        !cron_parse(plan->paste.expression, is_sunday_1 ? CRON_SUNDAY_1 : CRON_SUNDAY_0,
                    &plan->cron, err))
        return false;
    if (strcmp(arg_str(job, "day_match"), "and") == 0)
        plan->cron.is_and = true;
    const char *zone = arg_str(job, "timezone");
    if (!zone)
        zone = *plan->cron.zone ? plan->cron.zone : *plan->paste.zone ? plan->paste.zone : "UTC";
    if (!zone_load(zone, &plan->zone, err) || !read_from(job, plan, err))
        return false;
    zone_span_at(plan->zone, plan->from_ms / 1000, &span);
    plan->from_year = date_of_days((plan->from_ms / 1000 + span.offset_s) / DAY_SECONDS).year;
    plan->dst = TABLE_FIND(policies, arg_str(job, "dst"))->dst;
    plan->wanted = (size_t)arg_int(job, "count");
    plan->previous_wanted = (size_t)arg_int(job, "previous");
    plan->wording.is_24_hour = arg_bool(job, "use_24_hour");
    plan->wording.is_verbose = arg_bool(job, "verbose");
    return true;
}

static void find_runs(struct plan *plan)
{
    size_t enough = MAX(plan->wanted, CRON_INTERVAL_RUNS + 1);
    int64_t after_s = plan->from_ms / 1000;
    while (plan->run_count < enough) {
        struct cron_run *run = &plan->runs[plan->run_count];
        if (!cron_next(&plan->cron, plan->zone, plan->dst, after_s, run))
            break;
        after_s = run->at_s;
        plan->run_count++;
    }
}

static void find_previous(struct plan *plan)
{
    int64_t before_s = plan->from_ms / 1000 + (plan->from_ms % 1000 > 0);
    while (plan->previous_count < plan->previous_wanted) {
        struct cron_run *run = &plan->previous[plan->previous_count];
        if (!cron_previous(&plan->cron, plan->zone, plan->dst, before_s, run))
            break;
        before_s = run->at_s;
        plan->previous_count++;
    }
}

/* ---- the result ---- */

static void add_times(const struct cron_run *run, size_t count, cJSON *list)
{
    for (size_t i = 0; i < count; i++) {
        char text[CLOCK_TEXT_BYTES];
        clock_format(text, run[i].at_s * 1000);
        json_item_str(list, text);
    }
}

/* How the expression was found in what was pasted. */
static void add_pasted(const struct cron_paste *paste, cJSON *result)
{
    if (!paste->form)
        return;
    cJSON *pasted = json_map(result, "pasted");
    json_str(pasted, "form", paste->form);
    json_text_add(pasted, "expression", paste->expression);
    if (paste->command.size > 0)
        json_text_add(pasted, "command", paste->command);
    else
        json_null(pasted, "command");
    json_int(pasted, "others", (int64_t)paste->others);
}

/* Members that only some results have. */
static void add_previous(const struct plan *plan, cJSON *result)
{
    if (plan->previous_wanted > 0)
        add_times(plan->previous, plan->previous_count, json_list(result, "previous_runs"));
    if (plan->is_changed)
        json_time(result, "next_dst_change", plan->change.at_s * 1000);
}

static void add_runs(const struct plan *plan, cJSON *result)
{
    cJSON *list = json_list(result, "runs");
    for (size_t i = 0; i < MIN(plan->wanted, plan->run_count); i++) {
        const struct cron_run *run = &plan->runs[i];
        scoped(buf_free) struct buf local = BUF(64);
        int64_t local_s = run->at_s + run->offset_s;
        int64_t day = local_s / DAY_SECONDS - (local_s % DAY_SECONDS < 0);
        cJSON *item = json_item(list);
        datetime_format(&local, local_s, run->offset_s);
        json_time(item, "utc", run->at_s * 1000);
        json_str(item, "local", buf_str(&local));
        json_str(item, "weekday", cron_value_name(CRON_WEEKDAY, date_weekday(day)));
        json_str(item, "note", notes[run->note]);
    }
}

/* Every value; null if there are too many or they depend on the month. */
static void add_values(const struct cron *cron, enum cron_field field, cJSON *object)
{
    const struct cron_part *part = &cron->part[field];
    scoped(json_free) cJSON *map = json_object();
    cJSON *values = json_list(map, "values");
    int count = 0;
    for (size_t i = 0; i < part->count; i++)
        if (part->item[i].kind > CRON_FROM)
            count = VALUES_MAX + 1;
    for (int value = cron_min(field); count <= VALUES_MAX; value++, count++) {
        value = cron_next_value(cron, field, value);
        if (value < 0)
            break;
        if (count < VALUES_MAX)
            json_item_int(values, value);
    }
    if (count <= VALUES_MAX)
        json_add(object, "values", json_take(map, "values"));
    else
        json_null(object, "values");
}

static void add_fields(const struct plan *plan, cJSON *result)
{
    if (plan->cron.kind != CRON_SCHEDULE) {
        json_null(result, "fields");
        return;
    }
    cJSON *fields = json_map(result, "fields");
    for (enum cron_field field = CRON_SECOND; field < CRON_FIELDS; field++) {
        scoped(buf_free) struct buf description = BUF(TEXT_BYTES);
        struct text raw = plan->cron.part[field].raw;
        cJSON *object = json_map(fields, cron_field_name(field));
        cron_describe_field(&plan->cron, &plan->wording, field, &description);
        if (raw.size > 0)
            json_text_add(object, "raw", raw);
        else
            json_null(object, "raw");
        json_str(object, "description", buf_str(&description));
        add_values(&plan->cron, field, object);
    }
}

static void add_interval(const struct plan *plan, cJSON *result)
{
    int64_t interval_s =
        plan->run_count > CRON_INTERVAL_RUNS ? plan->runs[1].at_s - plan->runs[0].at_s : 0;
    for (size_t i = 1; i <= CRON_INTERVAL_RUNS && interval_s > 0; i++)
        if (plan->runs[i].at_s - plan->runs[i - 1].at_s != interval_s)
            interval_s = 0;
    if (interval_s > 0)
        json_int(result, "interval_seconds", interval_s);
    else
        json_null(result, "interval_seconds");
}

bool cron_explain(const struct job *job, cJSON *result, struct err *err)
{
    scoped(free_plan) struct plan plan = { 0 };
    scoped(buf_free) struct buf description = BUF(TEXT_BYTES);
    scoped(buf_free) struct buf normalized = BUF(TEXT_BYTES);

    if (!read_request(job, &plan, err))
        return false;
    find_runs(&plan);
    find_previous(&plan);
    plan.is_changed = cron_next_change(&plan.cron, plan.zone, plan.from_ms / 1000, &plan.change);
    cron_describe(&plan.cron, &plan.wording, &description);
    cron_write(&plan.cron, &normalized);

    json_text_add(result, "expression", arg_text(job, "expression"));
    json_str(result, "description", buf_str(&description));
    add_times(plan.runs, MIN(plan.wanted, plan.run_count), json_list(result, "next_runs"));
    json_str(result, "timezone", zone_name(plan.zone));
    json_time(result, "from", plan.from_ms);
    json_str(result, "format", plan.cron.format);
    json_str(result, "normalized", buf_str(&normalized));
    add_fields(&plan, result);
    add_runs(&plan, result);
    add_interval(&plan, result);
    json_num(result, "runs_per_day", cron_runs_per_day(&plan.cron, plan.from_year));
    json_bool(result, "never", plan_never_runs(&plan));
    plan_warn(&plan, result);
    add_previous(&plan, result);
    add_pasted(&plan.paste, result);
    if (arg_bool(job, "dialects"))
        plan_add_dialects(&plan, result);
    return true;
}
