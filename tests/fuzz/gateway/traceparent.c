/* tests/fuzz/gateway/traceparent.c - any text as the header traceparent: what we send on is valid,
 * and continues the trace exactly if the header was valid (W3C Trace Context, section 3.2). */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "../target.h"
#include "base/mem.h"
#include "base/scoped.h"
#include "gateway/traces/trace.h"

static const char pattern[] = "00-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx";

/* The pattern, a position at a time; an id of zeros alone is invalid. */
static bool is_valid(const char *header)
{
    for (size_t i = 0; i < sizeof(pattern); i++)
        if (pattern[i] == 'x' ? !header[i] || !strchr("0123456789abcdef", header[i])
                              : header[i] != pattern[i])
            return false;
    return strncmp(header + 3, "00000000000000000000000000000000", 32) != 0 &&
           strncmp(header + 36, "0000000000000000", 16) != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(mem_free) char *header = mem_dup(bytes, size);
    struct trace trace;
    struct trace next;
    trace_continue(&trace, header);
    bool is_same = strlen(header) > 35 && strncmp(header + 3, trace.id, 32) == 0;
    assert(is_valid(trace.parent) && strncmp(trace.parent + 3, trace.id, 32) == 0);
    assert(strlen(trace.id) == 32 && is_same == is_valid(header));
    assert(strcmp(trace.parent + 53, is_same ? header + 53 : "00") == 0);
    trace_continue(&next, trace.parent);
    assert(strcmp(next.id, trace.id) == 0 && strcmp(next.parent, trace.parent) != 0);
    return 0;
}
