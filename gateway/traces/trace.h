/* gateway/traces/trace.h - W3C Trace Context (Recommendation of 2021-11-23), header traceparent. */
#pragma once

/* Sizes with the NUL, and where ids are in a traceparent. */
enum {
    TRACE_PARENT_BYTES = 56,
    TRACE_ID_BYTES = 33,
    TRACE_SPAN_BYTES = 17,
    TRACE_ID_AT = 3,
    TRACE_SPAN_AT = 36,
};

struct trace {
    char id[TRACE_ID_BYTES];         /* 32 hex digits */
    char caller[TRACE_SPAN_BYTES];   /* the caller's span id; "": the trace starts here */
    char parent[TRACE_PARENT_BYTES]; /* "00-<trace id>-<our span id>-<flags>" */
};

/* Continue the caller's trace with a new span; start a trace if header is NULL or not of version 00
 * (section 3.2). */
void trace_continue(struct trace *trace, const char *header);
