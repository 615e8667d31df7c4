/* svc-utils/cron-explain/runs.h - when a schedule runs, with leap years and clock changes. */
#pragma once

#include "cron-explain/expression/cron.h"

/* How to run at times that clocks skip. */
enum cron_dst {
    CRON_RUN_AFTER, /* run once, at the first instant after the gap */
    CRON_SHIFT,     /* run later, by the length of the gap */
    CRON_SKIP,
};

enum cron_note { CRON_ORDINARY, CRON_IN_GAP, CRON_TWICE_FIRST, CRON_TWICE_SECOND };

struct cron_run {
    int64_t at_s; /* Unix seconds */
    int32_t offset_s;
    enum cron_note note;
};

/*
 * The first run after an instant, until the end of the year 9999; false if not found.
 *
 * - The search is bounded: the calendar repeats after 400 years, so a date that does not occur in
 *   400 years never occurs.
 * - When clocks go back, a schedule with fixed times runs once. A schedule with intervals in its
 *   second, minute or hour keeps running.
 */
bool cron_next(const struct cron *cron, const struct zone *zone, enum cron_dst dst, int64_t after_s,
               struct cron_run *run);

/*
 * The last run before an instant, not before 1970. False if not found, and for schedules
 * without a calendar (@every, @reboot).
 */
bool cron_previous(const struct cron *cron, const struct zone *zone, enum cron_dst dst,
                   int64_t before_s, struct cron_run *run);

/*
 * The first run within 366 days after an instant that a clock change moves, drops or repeats; false
 * if not found. An hourly schedule is never affected: a skipped or repeated hour is one of
 * many.
 */
bool cron_next_change(const struct cron *cron, const struct zone *zone, int64_t after_s,
                      struct cron_run *run);

/* The days of a month with a run, as bits 1 to 31. */
uint32_t cron_days(const struct cron *cron, int year, int month);

/*
 * Average runs per day over 400 years, or over the years of the year field from first_year if there
 * are fewer. Clock changes are ignored.
 */
double cron_runs_per_day(const struct cron *cron, int first_year);
