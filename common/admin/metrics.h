/*
 * common/admin/metrics.h - counters, gauges and histograms in Prometheus text format 0.0.4.
 *
 * A process makes one struct metrics, registers its metrics, and updates them through lock-free
 * handles, which live as long as the metrics. All functions may be called from any thread at any
 * time.
 *
 *     struct labels labels = { "tool", tool };
 *     struct counter *jobs = metrics_counter(metrics, "jobs_total", "Jobs by outcome.", labels);
 *     counter_add(jobs, 1);
 *
 * - Label values come from bounded sets (tool, group, status), never from a customer.
 * - Registering a name again with other label values adds a series. With the same values it returns
 *   the existing handle, except for metrics_gauge_of(), where that is a bug.
 * - Another help text, type or label name is a bug, and so is a name outside
 *   [a-zA-Z_:][a-zA-Z0-9_:]*.
 * - Names, help texts, labels and values are copied.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct metrics;
struct counter;
struct gauge;
struct histogram;

/* At most three labels; leave out unused ones. */
struct labels {
    const char *name1;
    const char *value1;
    const char *name2;
    const char *value2;
    const char *name3;
    const char *value3;
};

#define NO_LABELS ((struct labels){ 0 })

/*
 * The metrics of this process, starting with tollgate_build_info{version,build} and process_*:
 * resident memory, CPU seconds, open file descriptors, and start time (of this call).
 */
struct metrics *metrics_new(const char *version, const char *build);
void metrics_free(struct metrics **metrics);

/* A number that only grows; its name ends in _total. */
struct counter *metrics_counter(struct metrics *metrics, const char *name, const char *help,
                                struct labels labels);
void counter_add(struct counter *counter, uint64_t more);

/* A number that goes up and down. */
struct gauge *metrics_gauge(struct metrics *metrics, const char *name, const char *help,
                            struct labels labels);
void gauge_set(struct gauge *gauge, int64_t value);
void gauge_add(struct gauge *gauge, int64_t more);

/* A gauge that is read when metrics_write() runs, in that thread; it must not block. */
typedef double gauge_read(void *arg);
void metrics_gauge_of(struct metrics *metrics, const char *name, const char *help,
                      struct labels labels, gauge_read *read, void *arg);

/* Durations, in buckets from 1 ms to 180 s, more than the longest time budget of a tool; its name
 * ends in _seconds. */
struct histogram *metrics_histogram(struct metrics *metrics, const char *name, const char *help,
                                    struct labels labels);
void histogram_add(struct histogram *histogram, int64_t duration_us);

/* Append everything, in order of registration; false if it does not fit. */
bool metrics_write(struct metrics *metrics, struct buf *out);
