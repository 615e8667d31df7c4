/* svc-utils/cron-explain/cron-explain.c - a cron expression in English, its next runs, and what its
 * author may not have meant. */
#include <string.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "base/table.h"
#include "describe.h"
#include "runs.h"
#include "svc/args.h"
#include "text/json.h"
#include "text/time/datetime.h"
#include "tools.h"

enum {
    RUNS_MAX = 100,
    INTERVAL_RUNS = 50, /* that many equal intervals are a rule */
    VALUES_MAX = 60,    /* a longer list is not printed */
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

/* All that an answer is made of. */
struct plan {
    struct cron cron;
    struct zone *zone;
    enum cron_dst dst;
    struct cron_wording wording;
    int64_t from_ms;
    int from_year; /* local to the zone */
    size_t wanted;
    size_t run_count; /* more than wanted, to see whether they keep an interval */
    struct cron_run runs[MAX(RUNS_MAX, INTERVAL_RUNS + 1)];
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
        return err_set(err, ERR_INVALID_VALUE,
                       "from must be an ISO 8601 time such as 2026-11-21T10:44:00Z, or seconds "
                       "since 1970");
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
    if (!cron_parse(arg_text(job, "expression"), is_sunday_1, &plan->cron, err))
        return false;
    if (strcmp(arg_str(job, "day_match"), "and") == 0)
        plan->cron.is_and = true;
    const char *zone = arg_str(job, "timezone");
    if (!zone)
        zone = *plan->cron.zone ? plan->cron.zone : "UTC";
    if (!zone_load(zone, &plan->zone, err) || !read_from(job, plan, err))
        return false;
    zone_span_at(plan->zone, plan->from_ms / 1000, &span);
    plan->from_year = date_of_days((plan->from_ms / 1000 + span.offset_s) / DAY_SECONDS).year;
    plan->dst = TABLE_FIND(policies, arg_str(job, "dst"))->dst;
    plan->wanted = (size_t)arg_int(job, "count");
    plan->wording.is_24_hour = arg_bool(job, "use_24_hour");
    plan->wording.is_verbose = arg_bool(job, "verbose");
    return true;
}

static void find_runs(struct plan *plan)
{
    size_t enough = MAX(plan->wanted, INTERVAL_RUNS + 1);
    int64_t after_s = plan->from_ms / 1000;
    while (plan->run_count < enough) {
        struct cron_run *run = &plan->runs[plan->run_count];
        if (!cron_next(&plan->cron, plan->zone, plan->dst, after_s, run))
            break;
        after_s = run->at_s;
        plan->run_count++;
    }
}

/* ---- the answer ---- */

static void add_run_list(const struct plan *plan, cJSON *result)
{
    cJSON *list = json_list(result, "next_runs");
    for (size_t i = 0; i < MIN(plan->wanted, plan->run_count); i++) {
        char text[CLOCK_TEXT_BYTES];
        clock_format(text, plan->runs[i].at_s * 1000);
        json_item_str(list, text);
    }
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

/* Every value, unless they are many or depend on the month. */
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
        plan->run_count > INTERVAL_RUNS ? plan->runs[1].at_s - plan->runs[0].at_s : 0;
    for (size_t i = 1; i <= INTERVAL_RUNS && interval_s > 0; i++)
        if (plan->runs[i].at_s - plan->runs[i - 1].at_s != interval_s)
            interval_s = 0;
    if (interval_s > 0)
        json_int(result, "interval_seconds", interval_s);
    else
        json_null(result, "interval_seconds");
}

/* ---- warnings ---- */

static bool is_either_day(const struct plan *plan)
{
    return cron_is_restricted(&plan->cron, CRON_DAY) &&
           cron_is_restricted(&plan->cron, CRON_WEEKDAY) && !plan->cron.is_and;
}

/* Is there an item with a step over the whole field for which the rule holds? */
static bool has_step(const struct plan *plan, enum cron_field last, bool rule(int values, int step))
{
    for (enum cron_field field = CRON_SECOND; field <= last; field++) {
        const struct cron_part *part = &plan->cron.part[field];
        int values = cron_max(field) - cron_min(field) + 1;
        for (size_t i = 0; i < part->count; i++)
            if (part->item[i].kind == CRON_ALL && rule(values, part->item[i].step))
                return true;
    }
    return false;
}

static bool does_not_divide(int values, int step)
{
    return values % step != 0;
}

static bool covers(int values, int step)
{
    return step == values;
}

/* Days of the month are left out: every month begins anew, whatever the step. */
static bool has_uneven_step(const struct plan *plan)
{
    const struct cron_part *weekdays = &plan->cron.part[CRON_WEEKDAY];
    for (size_t i = 0; i < weekdays->count; i++)
        if (weekdays->item[i].kind == CRON_ALL && does_not_divide(7, weekdays->item[i].step))
            return true;
    return has_step(plan, CRON_HOUR, does_not_divide);
}

static bool has_covering_step(const struct plan *plan)
{
    return has_step(plan, CRON_WEEKDAY, covers);
}

/* A day that one of the months does not have, or not always. */
static bool has_missing_day(const struct plan *plan)
{
    const struct cron_part *part = &plan->cron.part[CRON_DAY];
    for (size_t i = 0; i < part->count; i++) {
        const struct cron_item *item = &part->item[i];
        for (int month = 1; month <= 12; month++)
            if ((item->kind == CRON_VALUE || item->kind == CRON_NEAR_DAY) &&
                cron_has(&plan->cron, CRON_MONTH, month) &&
                item->from > date_month_days(2023, month))
                return true;
    }
    return false;
}

static bool never_runs(const struct plan *plan)
{
    return plan->run_count == 0 && plan->cron.kind != CRON_REBOOT;
}

static bool is_every_minute_of_an_hour(const struct plan *plan)
{
    return !cron_is_restricted(&plan->cron, CRON_MINUTE) && cron_is_plain(&plan->cron, CRON_HOUR);
}

static bool are_years_past(const struct plan *plan)
{
    return cron_is_restricted(&plan->cron, CRON_YEAR) &&
           cron_next_value(&plan->cron, CRON_YEAR, plan->from_year) < 0;
}

static bool has_seconds(const struct plan *plan)
{
    return plan->cron.part[CRON_SECOND].raw.size > 0 ||
           cron_is_restricted(&plan->cron, CRON_SECOND) == false;
}

static bool has_question_mark(const struct plan *plan)
{
    for (enum cron_field field = CRON_SECOND; field < CRON_FIELDS; field++)
        if (text_is(plan->cron.part[field].raw, "?"))
            return true;
    return false;
}

static bool is_nonstandard(const struct plan *plan)
{
    bool found = plan->cron.part[CRON_YEAR].raw.size > 0 || has_question_mark(plan);
    for (size_t i = 0; i < plan->cron.item_count; i++)
        found = found || plan->cron.items[i].kind > CRON_FROM;
    const struct text weekdays = plan->cron.part[CRON_WEEKDAY].raw;
    return found || (weekdays.size > 0 &&
                     (*weekdays.bytes == '+' || text_is(weekdays, "L") || text_is(weekdays, "l")));
}

static bool is_star_step(const struct cron *cron, enum cron_field field)
{
    const struct cron_item *first = cron->part[field].item;
    return first->kind == CRON_ALL && first->step > 1;
}

static bool has_star_step(const struct plan *plan)
{
    return is_either_day(plan) &&
           (is_star_step(&plan->cron, CRON_DAY) || is_star_step(&plan->cron, CRON_WEEKDAY));
}

static bool is_dst_affected(const struct plan *plan)
{
    for (size_t i = 0; i < MIN(plan->wanted, plan->run_count); i++)
        if (plan->runs[i].note != CRON_ORDINARY)
            return true;
    return false;
}

static const struct warning {
    const char *code;
    bool (*applies)(const struct plan *plan);
    const char *message;
} warnings[] = {
    { "dom_dow_or", is_either_day,
      "Day of month and day of week are both given: it runs when either matches" },
    { "star_step", has_star_step,
      "Vixie cron and its heirs want both day fields to match when one begins with *" },
    { "uneven_step", has_uneven_step,
      "A step does not divide its field evenly: the last interval before it starts again is "
      "shorter" },
    { "step_covers_field", has_covering_step,
      "A step is as long as its field: it matches the first value only" },
    { "short_month", has_missing_day,
      "Not every month given has that day; the others are skipped" },
    { "never_runs", never_runs, "There is no such time: it never runs" },
    { "every_minute_of_hour", is_every_minute_of_an_hour,
      "The minute is *: it runs 60 times in each hour given; for once, give a minute" },
    { "year_past", are_years_past, "Every year given is over" },
    { "seconds_field", has_seconds, "crontab(5) has no seconds" },
    { "nonstandard", is_nonstandard, "crontab(5) knows no L, W, #, ?, + or year" },
    { "dst_affected", is_dst_affected,
      "A change of clocks moves or repeats one of the runs; see the notes in runs" },
};

static void add_warnings(const struct plan *plan, cJSON *result)
{
    cJSON *list = json_list(result, "warnings");
    for (size_t i = 0; i < countof(warnings); i++) {
        bool is_about_fields =
            warnings[i].applies != never_runs && warnings[i].applies != is_dst_affected;
        if ((is_about_fields && plan->cron.kind != CRON_SCHEDULE) || !warnings[i].applies(plan))
            continue;
        cJSON *item = json_item(list);
        json_str(item, "code", warnings[i].code);
        json_str(item, "message", warnings[i].message);
    }
}

bool cron_explain(const struct job *job, cJSON *result, struct err *err)
{
    scoped(free_plan) struct plan plan = { 0 };
    scoped(buf_free) struct buf description = BUF(TEXT_BYTES);
    scoped(buf_free) struct buf normalized = BUF(TEXT_BYTES);

    if (!read_request(job, &plan, err))
        return false;
    find_runs(&plan);
    cron_describe(&plan.cron, &plan.wording, &description);
    cron_write(&plan.cron, &normalized);

    json_text_add(result, "expression", arg_text(job, "expression"));
    json_str(result, "description", buf_str(&description));
    add_run_list(&plan, result);
    json_str(result, "timezone", zone_name(plan.zone));
    json_time(result, "from", plan.from_ms);
    json_str(result, "format", plan.cron.format);
    json_str(result, "normalized", buf_str(&normalized));
    add_fields(&plan, result);
    add_runs(&plan, result);
    add_interval(&plan, result);
    json_num(result, "runs_per_day", cron_runs_per_day(&plan.cron, plan.from_year));
    json_bool(result, "never", never_runs(&plan));
    add_warnings(&plan, result);
    return true;
}
