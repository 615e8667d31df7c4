/* svc-utils/cron-explain/runs.h - when a schedule runs, through leap years and changes of clocks.
 */
#pragma once

#include "parse.h"

/* What becomes of times that are skipped when clocks go forward. */
enum cron_dst {
    CRON_RUN_AFTER, /* one run at the first instant after the gap */
    CRON_SHIFT,     /* each run later by the length of the gap */
    CRON_SKIP,
};

enum cron_note { CRON_ORDINARY, CRON_IN_GAP, CRON_TWICE_FIRST, CRON_TWICE_SECOND };

struct cron_run {
    int64_t at_s; /* since 1970-01-01T00:00:00Z */
    int32_t offset_s;
    enum cron_note note;
};

/*
 * The first run after an instant, to the end of the year 9999; false when there is none. A date
 * that does not come within 400 years, after which the calendar repeats, never comes, so the work
 * is bounded. A schedule of fixed times runs once when clocks go back, one with intervals in its
 * second, minute or hour runs on.
 */
bool cron_next(const struct cron *cron, const struct zone *zone, enum cron_dst dst, int64_t after_s,
               struct cron_run *run);

/* The last run before an instant, not before 1970; false when there is none, and for what is not
 * counted from the calendar (@every, @reboot). */
bool cron_previous(const struct cron *cron, const struct zone *zone, enum cron_dst dst,
                   int64_t before_s, struct cron_run *run);

/*
 * The first run within 366 days after an instant that a change of clocks moves, drops or has come
 * twice; false when there is none. A schedule for every hour is never moved: the hour that is
 * skipped or repeated is one like the others.
 */
bool cron_next_change(const struct cron *cron, const struct zone *zone, int64_t after_s,
                      struct cron_run *run);

/* The days of a month on which it runs: bit 1 to 31. */
uint32_t cron_days(const struct cron *cron, int year, int month);

/* Runs a day over 400 years (or the years of the year field, from first_year on, if those are
 * fewer), without changes of clocks. */
double cron_runs_per_day(const struct cron *cron, int first_year);
