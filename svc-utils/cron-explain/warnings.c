/* svc-utils/cron-explain/warnings.c - finds what in a schedule is probably not intended. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "plan.h"
#include "text/json.h"
#include "text/time/datetime.h"

static bool is_either_day(const struct plan *plan)
{
    return cron_is_restricted(&plan->cron, CRON_DAY) &&
           cron_is_restricted(&plan->cron, CRON_WEEKDAY) && !plan->cron.is_and;
}

/* Is there an item with a step over the whole field for which the rule is true? */
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

static bool step_covers_field(int values, int step)
{
    return step == values;
}

/* Days of the month are exempt: every month restarts the step. */
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
    return has_step(plan, CRON_WEEKDAY, step_covers_field);
}

/* A day that some of the months do not have, or not in every year. */
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

bool plan_never_runs(const struct plan *plan)
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
        found = found || plan->cron.items[i].kind > CRON_FROM ||
                plan->cron.items[i].to == CRON_TO_LAST_DAY;
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

/* Quartz and its derivatives require six or seven fields and a ? for one of the day fields. */
static bool is_like_quartz(const struct plan *plan)
{
    struct text weekdays = plan->cron.part[CRON_WEEKDAY].raw;
    bool has_digit = false;
    for (size_t i = 0; i < weekdays.size; i++) {
        bool is_count = i > 0 && (weekdays.bytes[i - 1] == '#' || weekdays.bytes[i - 1] == '/');
        has_digit |= !is_count && weekdays.bytes[i] >= '0' && weekdays.bytes[i] <= '9';
    }
    bool is_long =
        plan->cron.part[CRON_SECOND].raw.size > 0 || plan->cron.part[CRON_YEAR].raw.size > 0;
    return has_digit && is_long && has_question_mark(plan) && plan->cron.numbering != CRON_SUNDAY_1;
}

/*
 * The intended nth weekday, if the expression has seven consecutive days of the month (or the rest
 * of the month) and one weekday: 1 to 4, or 5 for the last; else 0.
 */
static int meant_nth(const struct plan *plan)
{
    const struct cron_part *days = &plan->cron.part[CRON_DAY];
    const struct cron_part *weekdays = &plan->cron.part[CRON_WEEKDAY];
    const struct cron_item *range = days->item;
    if (!is_either_day(plan) || days->count != 1 || weekdays->count != 1 ||
        range->kind != CRON_RANGE || range->step > 1 || weekdays->item->kind != CRON_VALUE)
        return 0;
    if (range->to >= 31 && (range->from == 25 || range->from == 24))
        return 5;
    return range->from % 7 == 1 && range->to == range->from + 6 ? range->from / 7 + 1 : 0;
}

static bool is_nth_weekday(const struct plan *plan)
{
    return meant_nth(plan) > 0;
}

static bool is_dst_affected(const struct plan *plan)
{
    if (plan->is_changed)
        return true;
    for (size_t i = 0; i < MIN(plan->wanted, plan->run_count); i++)
        if (plan->runs[i].note != CRON_ORDINARY)
            return true;
    return false;
}

/* ---- suggestions ---- */

/* The fields as written, except one or two. */
static void write_with(const struct plan *plan, enum cron_field field, const char *value,
                       const char *weekday, struct buf *out)
{
    for (enum cron_field i = CRON_SECOND; i < CRON_FIELDS; i++) {
        struct text raw = plan->cron.part[i].raw;
        if (i == field)
            raw = text_of(value);
        if (i == CRON_WEEKDAY && weekday)
            raw = text_of(weekday);
        if (raw.size > 0)
            buf_format(out, "%s%.*s", out->size > 0 ? " " : "", (int)raw.size, raw.bytes);
    }
}

static void suggest_nth(const struct plan *plan, struct buf *out)
{
    int nth = meant_nth(plan);
    struct text raw = plan->cron.part[CRON_WEEKDAY].raw;
    scoped(mem_free) char *weekday = nth == 5
                                         ? str_format("%.*sL", (int)raw.size, raw.bytes)
                                         : str_format("%.*s#%d", (int)raw.size, raw.bytes, nth);
    write_with(plan, CRON_DAY, "*", weekday, out);
}

static void suggest_minute(const struct plan *plan, struct buf *out)
{
    write_with(plan, CRON_MINUTE, "0", NULL, out);
}

/* ---- the list ---- */

static const struct warning {
    const char *code;
    bool (*applies)(const struct plan *plan);
    const char *message;
} warnings[] = {
#define WARNING(code, applies, message) { code, applies, message },
#include "warnings.def"
#undef WARNING
};

static const struct suggestion {
    bool (*applies)(const struct plan *plan); /* of the warning */
    void (*write)(const struct plan *plan, struct buf *out);
} suggestions[] = {
    { is_nth_weekday, suggest_nth },
    { is_every_minute_of_an_hour, suggest_minute },
};

static void add_suggestion(const struct plan *plan, const struct warning *warning, cJSON *item)
{
    for (size_t i = 0; i < countof(suggestions); i++) {
        scoped(buf_free) struct buf expression = BUF(2 * CRON_BYTES_MAX);
        if (suggestions[i].applies != warning->applies)
            continue;
        suggestions[i].write(plan, &expression);
        json_str(item, "suggestion", buf_str(&expression));
    }
}

void plan_warn(const struct plan *plan, cJSON *result)
{
    cJSON *list = json_list(result, "warnings");
    for (size_t i = 0; i < countof(warnings); i++) {
        bool is_about_fields =
            warnings[i].applies != plan_never_runs && warnings[i].applies != is_dst_affected;
        if ((is_about_fields && plan->cron.kind != CRON_SCHEDULE) || !warnings[i].applies(plan))
            continue;
        cJSON *item = json_item(list);
        json_str(item, "code", warnings[i].code);
        json_str(item, "message", warnings[i].message);
        add_suggestion(plan, &warnings[i], item);
    }
}
