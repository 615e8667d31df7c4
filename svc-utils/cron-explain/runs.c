/*
 * svc-utils/cron-explain/runs.c - finds the next run.
 *
 * - Dates are found month by month as bit masks of days.
 * - Times of day come from the sets of hours, minutes and seconds.
 * - Local time becomes UTC by spans with one UTC offset each. Inside a span, local time and UTC
 *   advance together; skipped and repeated times are only where two spans meet.
 */
#include "runs.h"

#include "base/num.h"
#include "text/time/datetime.h"

enum {
    CYCLE_YEARS = 400,
    /* time zone tables may have exceptions until this year; then their rules repeat */
    TABLES_END_YEAR = 2100,
    STEPS = 8, /* linear steps from a run to the last run before an instant; then binary search */
};

#define LAST_INSTANT INT64_C(253402300799) /* 9999-12-31T23:59:59Z */

/* ---- days ---- */

/* 0 for a day beyond the 31st, such as the fifth weekday of a short month. */
static uint32_t day_bit(int day)
{
    return day >= 1 && day <= 31 ? UINT32_C(1) << day : 0;
}

/* The weekday (Monday to Friday) nearest to a day, within its month; 0 if the month lacks the
 * day. */
static int nearest_workday(int day, int first_weekday, int month_days)
{
    if (day < 1 || day > month_days)
        return 0;
    int weekday = (first_weekday + day - 1) % 7;
    if (weekday == 6)
        return day > 1 ? day - 1 : day + 2;
    if (weekday == 0)
        return day < month_days ? day + 1 : day - 2;
    return day;
}

static uint32_t days_of_month_field(const struct cron *cron, int first_weekday, int month_days)
{
    const struct cron_part *part = &cron->part[CRON_DAY];
    uint32_t days = (uint32_t)(part->set.word[0] << 1);
    for (size_t i = 0; i < part->count; i++) {
        const struct cron_item *item = &part->item[i];
        int last = month_days - item->nth;
        if (item->kind == CRON_LAST_DAY)
            days |= day_bit(last);
        if (item->kind == CRON_LAST_WORKDAY)
            days |= day_bit(nearest_workday(last, first_weekday, month_days));
        if (item->kind == CRON_NEAR_DAY)
            days |= day_bit(nearest_workday(item->from, first_weekday, month_days));
    }
    return days;
}

/* Days of the nth weekdays of an item; nth 0 is the last. */
static uint32_t nth_weekdays(const struct cron_item *item, int first_weekday, int month_days)
{
    uint32_t days = 0;
    int span = (item->to - item->from + 7) % 7;
    for (int i = 0; i <= span; i++) {
        int weekday = (item->from + i) % 7;
        int first = 1 + (weekday - first_weekday + 7) % 7;
        int last = first + (month_days - first) / 7 * 7;
        days |= day_bit(item->kind == CRON_LAST_WEEKDAY ? last : first + 7 * (item->nth - 1));
    }
    return days;
}

static uint32_t days_of_weekday_field(const struct cron *cron, int first_weekday, int month_days)
{
    const struct cron_part *part = &cron->part[CRON_WEEKDAY];
    uint32_t days = 0;
    for (int day = 1; day <= month_days; day++)
        if (part->set.word[0] >> (first_weekday + day - 1) % 7 & 1)
            days |= day_bit(day);
    for (size_t i = 0; i < part->count; i++)
        if (part->item[i].kind == CRON_NTH_WEEKDAY || part->item[i].kind == CRON_LAST_WEEKDAY)
            days |= nth_weekdays(&part->item[i], first_weekday, month_days);
    return days;
}

uint32_t cron_days(const struct cron *cron, int year, int month)
{
    int month_days = date_month_days(year, month);
    int first_weekday = date_weekday(date_to_days((struct date){ year, month, 1 }));
    uint32_t all = (uint32_t)((UINT64_C(1) << (month_days + 1)) - 2);
    bool has_day = cron_is_restricted(cron, CRON_DAY);
    bool has_weekday = cron_is_restricted(cron, CRON_WEEKDAY);
    uint32_t by_day = has_day ? days_of_month_field(cron, first_weekday, month_days) : all;
    uint32_t by_weekday =
        has_weekday ? days_of_weekday_field(cron, first_weekday, month_days) : all;

    bool is_either = has_day && has_weekday && !cron->is_and;
    return all & (is_either ? by_day | by_weekday : by_day & by_weekday);
}

/* ---- local times ---- */

/* The first matching time of day at or after from_s; -1 if the day has none left. */
static int next_time(const struct cron *cron, int from_s)
{
    int first_minute = cron_next_value(cron, CRON_MINUTE, 0);
    int first_second = cron_next_value(cron, CRON_SECOND, 0);
    int from_hour = from_s / 3600;
    int from_minute = from_s / 60 % 60;

    int hour = cron_next_value(cron, CRON_HOUR, from_hour);
    if (hour == from_hour) {
        int second = cron_next_value(cron, CRON_SECOND, from_s % 60);
        if (second >= 0 && cron_has(cron, CRON_MINUTE, from_minute))
            return hour * 3600 + from_minute * 60 + second;
        int minute = cron_next_value(cron, CRON_MINUTE, from_minute + 1);
        if (minute >= 0)
            return hour * 3600 + minute * 60 + first_second;
        hour = cron_next_value(cron, CRON_HOUR, from_hour + 1);
    }
    return hour >= 0 ? hour * 3600 + first_minute * 60 + first_second : -1;
}

/* The first matching year from `year`; above 9999 if not found. */
static int next_year(const struct cron *cron, int year)
{
    if (year < CRON_YEAR_MIN)
        return cron_is_restricted(cron, CRON_YEAR) ? cron_next_value(cron, CRON_YEAR, 0) : year;
    int found = year <= CRON_YEAR_MAX ? cron_next_value(cron, CRON_YEAR, year) : -1;
    return found >= 0 ? found : CRON_YEAR_MAX + 1;
}

/* The first matching day at or after a date. */
static bool next_day(const struct cron *cron, struct date from, int64_t *day)
{
    int last_year = cron_is_restricted(cron, CRON_YEAR)
                        ? CRON_YEAR_MAX
                        : MIN(from.year + CYCLE_YEARS, CRON_YEAR_MAX);
    for (int year = next_year(cron, from.year); year <= last_year;
         year = next_year(cron, year + 1)) {
        int month = cron_next_value(cron, CRON_MONTH, year == from.year ? from.month : 1);
        for (; month >= 0; month = cron_next_value(cron, CRON_MONTH, month + 1)) {
            bool is_first = year == from.year && month == from.month;
            uint32_t days = cron_days(cron, year, month);
            if (is_first)
                days &= ~(day_bit(from.day) - 1);
            if (days) {
                *day = date_to_days((struct date){ year, month, __builtin_ctz(days) });
                return true;
            }
        }
    }
    return false;
}

static int64_t day_of(int64_t local_s)
{
    return local_s / DAY_SECONDS - (local_s % DAY_SECONDS < 0);
}

/* The first matching local time at or after from_s. */
static bool next_local(const struct cron *cron, int64_t from_s, int64_t *local_s)
{
    int64_t from_day = day_of(from_s);
    int64_t day;
    if (!next_day(cron, date_of_days(from_day), &day))
        return false;
    int time_s = next_time(cron, day == from_day ? (int)(from_s - day * DAY_SECONDS) : 0);
    if (time_s < 0) {
        if (!next_day(cron, date_of_days(day + 1), &day))
            return false;
        time_s = next_time(cron, 0);
    }
    *local_s = day * DAY_SECONDS + time_s;
    return true;
}

/* ---- instants ---- */

static bool is_interval(const struct cron *cron)
{
    return !cron_is_plain(cron, CRON_SECOND) || !cron_is_plain(cron, CRON_MINUTE) ||
           !cron_is_plain(cron, CRON_HOUR);
}

/* The run for times in the gap before a span. */
static bool next_moved(const struct cron *cron, const struct zone_span *span, enum cron_dst dst,
                       int64_t after_s, int64_t *at_s)
{
    int64_t gap_s = span->offset_s - span->offset_before_s;
    int64_t local_s;
    if (gap_s <= 0 || after_s + 1 >= span->begin_s + gap_s || dst == CRON_SKIP ||
        !cron_is_restricted(cron, CRON_HOUR))
        return false;
    int64_t from_s = dst == CRON_SHIFT ? MAX(after_s + 1, span->begin_s) : span->begin_s;
    if ((dst == CRON_RUN_AFTER && after_s >= span->begin_s) ||
        !next_local(cron, from_s + span->offset_before_s, &local_s) ||
        local_s >= span->begin_s + span->offset_s)
        return false;
    *at_s = dst == CRON_SHIFT ? local_s - span->offset_before_s : span->begin_s;
    return true;
}

/* Did the end of the previous span already have this local time? */
static bool is_repeat(const struct zone_span *span, int64_t at_s)
{
    return at_s >= span->begin_s && at_s < span->begin_s + (span->offset_before_s - span->offset_s);
}

static enum cron_note run_note(const struct zone *zone, const struct zone_span *span, int64_t at_s)
{
    struct zone_span next;
    if (is_repeat(span, at_s))
        return CRON_TWICE_SECOND;
    if (span->end_s - at_s > ZONE_OFFSET_MAX_S)
        return CRON_ORDINARY;
    zone_span_at(zone, span->end_s, &next);
    return is_repeat(&next, at_s + span->offset_s - next.offset_s) ? CRON_TWICE_FIRST
                                                                   : CRON_ORDINARY;
}

/* The run in a span by the span's own local time. */
static bool next_regular(const struct cron *cron, const struct zone_span *span, int64_t after_s,
                         int64_t *at_s)
{
    int64_t first_s = MAX(after_s + 1, span->begin_s);
    int64_t local_s;
    if (is_repeat(span, first_s) && !is_interval(cron)) /* it ran at the first occurrence */
        first_s = span->begin_s + (span->offset_before_s - span->offset_s);
    if (!next_local(cron, first_s + span->offset_s, &local_s))
        return false;
    *at_s = local_s - span->offset_s;
    return *at_s < span->end_s;
}

static bool next_in_span(const struct cron *cron, const struct zone *zone,
                         const struct zone_span *span, enum cron_dst dst, int64_t after_s,
                         struct cron_run *run)
{
    int64_t regular_s = INT64_MAX;
    int64_t moved_s = INT64_MAX;
    bool has_regular = next_regular(cron, span, after_s, &regular_s);
    bool has_moved = next_moved(cron, span, dst, after_s, &moved_s);
    if (has_moved && (!has_regular || moved_s < regular_s)) {
        *run = (struct cron_run){ moved_s, span->offset_s, CRON_IN_GAP };
        return true;
    }
    if (has_regular)
        *run = (struct cron_run){ regular_s, span->offset_s, run_note(zone, span, regular_s) };
    return has_regular;
}

static bool next_scheduled(const struct cron *cron, const struct zone *zone, enum cron_dst dst,
                           int64_t after_s, struct cron_run *run)
{
    struct zone_span span;
    int64_t local_s;
    int first_year = MAX(date_of_days(day_of(after_s)).year, TABLES_END_YEAR);
    int64_t end_s = date_to_days((struct date){ first_year + CYCLE_YEARS, 1, 1 }) * DAY_SECONDS;
    if (cron_is_restricted(cron, CRON_YEAR) || end_s > LAST_INSTANT)
        end_s = LAST_INSTANT;

    while (after_s < end_s && next_local(cron, after_s + 1 - ZONE_OFFSET_MAX_S, &local_s)) {
        after_s = MAX(after_s, local_s - ZONE_OFFSET_MAX_S);
        zone_span_at(zone, after_s + 1, &span);
        if (next_in_span(cron, zone, &span, dst, after_s, run))
            return run->at_s <= LAST_INSTANT;
        if (span.end_s == INT64_MAX)
            return false;
        after_s = span.end_s - 1;
    }
    return false;
}

bool cron_next(const struct cron *cron, const struct zone *zone, enum cron_dst dst, int64_t after_s,
               struct cron_run *run)
{
    struct zone_span span;
    if (cron->kind == CRON_REBOOT)
        return false;
    if (cron->kind == CRON_SCHEDULE)
        return next_scheduled(cron, zone, dst, after_s, run);
    int64_t at_s = after_s + cron->every_s;
    if (at_s > LAST_INSTANT)
        return false;
    zone_span_at(zone, at_s, &span);
    *run = (struct cron_run){ at_s, span.offset_s, run_note(zone, &span, at_s) };
    return true;
}

/* ---- previous runs ---- */

/* The first run in [from_s, before_s); false if not found. */
static bool runs_between(const struct cron *cron, const struct zone *zone, enum cron_dst dst,
                         int64_t from_s, int64_t before_s, struct cron_run *run)
{
    return cron_next(cron, zone, dst, from_s - 1, run) && run->at_s < before_s;
}

/* The last run in [run->at_s, before_s), where *run is a run: some linear steps, then bisection. */
static void to_last(const struct cron *cron, const struct zone *zone, enum cron_dst dst,
                    int64_t before_s, struct cron_run *run)
{
    struct cron_run later;
    int64_t end_s = before_s;
    for (int i = 0; i < STEPS; i++) {
        if (!runs_between(cron, zone, dst, run->at_s + 1, before_s, &later))
            return;
        *run = later;
    }
    while (end_s - run->at_s > 1) {
        int64_t middle_s = run->at_s + (end_s - run->at_s) / 2;
        if (runs_between(cron, zone, dst, middle_s, before_s, &later))
            *run = later;
        else
            end_s = middle_s;
    }
}

/* Go back in steps that double until an interval has a run. */
bool cron_previous(const struct cron *cron, const struct zone *zone, enum cron_dst dst,
                   int64_t before_s, struct cron_run *run)
{
    if (cron->kind != CRON_SCHEDULE)
        return false;
    for (int64_t step_s = cron_is_plain(cron, CRON_SECOND) ? 60 : 1;; step_s *= 4) {
        if (runs_between(cron, zone, dst, MAX(before_s - step_s, 0), before_s, run))
            break;
        if (step_s >= before_s)
            return false;
    }
    to_last(cron, zone, dst, before_s, run);
    return true;
}

/* ---- clock changes ---- */

/* The run that the start of a span moves or repeats. */
static bool is_changed_at(const struct cron *cron, const struct zone *zone,
                          const struct zone_span *span, struct cron_run *run)
{
    int64_t back_s = span->offset_before_s - span->offset_s;
    int64_t from_s = back_s > 0 ? span->begin_s - back_s : span->begin_s;
    return back_s != 0 && cron_next(cron, zone, CRON_RUN_AFTER, from_s - 1, run) &&
           run->at_s <= span->begin_s + MAX(back_s, 0) && run->note != CRON_ORDINARY;
}

bool cron_next_change(const struct cron *cron, const struct zone *zone, int64_t after_s,
                      struct cron_run *run)
{
    int64_t end_s = after_s + 366 * DAY_SECONDS;
    struct zone_span span;
    if (cron->kind != CRON_SCHEDULE || !cron_is_restricted(cron, CRON_HOUR))
        return false;
    zone_span_at(zone, after_s, &span);
    while (span.end_s < end_s) {
        zone_span_at(zone, span.end_s, &span);
        if (is_changed_at(cron, zone, &span, run) && run->at_s > after_s)
            return true;
    }
    return false;
}

/* ---- averages ---- */

static int count_values(const struct cron *cron, enum cron_field field)
{
    int count = 0;
    for (int value = 0; (value = cron_next_value(cron, field, value)) >= 0; value++)
        count++;
    return count;
}

static int run_days_of(const struct cron *cron, int year)
{
    int days = 0;
    for (int month = 1; month <= 12; month++)
        if (cron_has(cron, CRON_MONTH, month))
            days += __builtin_popcount(cron_days(cron, year, month));
    return days;
}

double cron_runs_per_day(const struct cron *cron, int first_year)
{
    /* by kind of year, which is its length and its first weekday; 0: not counted yet */
    int run_days_plus_1[14] = { 0 };
    int64_t run_days = 0;
    int64_t all_days = 0;
    int year = next_year(cron, first_year);
    if (cron->kind != CRON_SCHEDULE)
        return cron->kind == CRON_EVERY ? DAY_SECONDS / (double)cron->every_s : 0;
    for (int i = 0; i < CYCLE_YEARS && year <= CRON_YEAR_MAX;
         i++, year = next_year(cron, year + 1)) {
        bool is_leap = date_month_days(year, 2) == 29;
        int first_weekday = date_weekday(date_to_days((struct date){ year, 1, 1 }));
        int *plus_1 = &run_days_plus_1[7 * is_leap + first_weekday];
        if (*plus_1 == 0)
            *plus_1 = run_days_of(cron, year) + 1;
        run_days += *plus_1 - 1;
        all_days += 365 + is_leap;
    }
    double times = (double)count_values(cron, CRON_HOUR) * count_values(cron, CRON_MINUTE) *
                   count_values(cron, CRON_SECOND);
    return all_days > 0 ? (double)run_days * times / (double)all_days : 0;
}
