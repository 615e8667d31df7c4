/*
 * gateway/traces/span.h - one timed part of a call, as OpenTelemetry's traces have it, and its
 * OTLP form (https://opentelemetry.io/docs/specs/otlp/ 1.x, "JSON Protobuf Encoding", read in
 * November 2026).
 *
 * A call is a span of kind server. Its children are the time in the queue, the time in the tool,
 * and its sub-jobs.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/codec/uuid.h"
#include "gateway/traces/trace.h"

enum span_kind { SPAN_INTERNAL = 1, SPAN_SERVER = 2 }; /* values of Span.SpanKind */

struct span {
    enum span_kind kind;
    const char *name;              /* literal or from the contracts, which outlive the span */
    char trace[TRACE_ID_BYTES];    /* lower-case hex */
    char id[TRACE_SPAN_BYTES];     /* lower-case hex */
    char parent[TRACE_SPAN_BYTES]; /* "": the trace starts here */
    int64_t start_us;              /* since 1970 */
    int64_t end_us;
    struct uuid call;
    struct uuid account;
    const char *tool;
    const char *error; /* its code, a literal; NULL: none */
    bool is_failure;   /* the error is ours, not the customer's */
    /* of a server span */
    const char *surface; /* rest, mcp */
    int status;          /* of the HTTP response */
    int64_t credits;     /* charged */
    int64_t ledger_us;   /* time waiting for the ledger */
};

/* Set trace, and parent to the span that traceparent names. traceparent: as trace_continue() makes
 * it. */
void span_set_parent(struct span *span, const char *traceparent);

/* Set a new random id. */
void span_set_id(struct span *span);

/* Append an ExportTraceServiceRequest in JSON. build: the version of this process. */
void spans_write(const struct span *spans, size_t count, const char *build, struct buf *out);
