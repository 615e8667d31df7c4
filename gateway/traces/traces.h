/*
 * gateway/traces/traces.h - sends spans of a sample of calls to an OpenTelemetry collector, by
 * OTLP/HTTP, and never delays a call.
 *
 * A call's thread copies its spans into a ring, without waiting. One thread sends them, each second
 * or when 512 wait. What does not fit, or what the collector does not take, is dropped and counted:
 * nobody is charged by traces, and a second try would need memory.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "admin/metrics.h"
#include "base/err.h"
#include "gateway/traces/span.h"

struct egress; /* net/egress.h */
struct traces;

struct traces_options {
    struct egress *egress; /* must outlive the thread */
    const char *url;       /* of the collector, "http://collector:4318/v1/traces" */
    int64_t per_million;   /* of the traces, 0 to 1000000 */
    struct metrics *metrics;
};

/* Start the thread. Errors: ERR_INVALID_VALUE for a URL that is not HTTP. */
bool traces_start(const struct traces_options *options, struct traces **traces,
                  struct err *err) must_check;

/* Send what waits, for at most 2 s, then stop the thread. NULL is allowed. */
void traces_stop(struct traces **traces);

/*
 * Is a trace in the sample? The same trace is in the sample of all gateways, as it depends only on
 * the trace id (its last 7 hex digits). NULL: no. A caller's flag "sampled" does not count, or each
 * customer could have all calls traced.
 */
bool traces_sample(const struct traces *traces, const char *trace_id);

/* Add spans, from any thread. */
void traces_add(struct traces *traces, const struct span *spans, size_t count);
