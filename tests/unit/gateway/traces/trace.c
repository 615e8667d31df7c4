/* tests/unit/gateway/traces/trace.c - traces continued and started. */
#include "gateway/traces/trace.h"

#include <sodium.h>
#include <string.h>

#include "rows.h"

#define ID   "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN "00f067aa0ba902b7"

static const struct row {
    const char *name;
    const char *header;
    const char *want_flags; /* NULL: a new trace starts */
} rows[] = {
    { "sampled", "00-" ID "-" SPAN "-01", "01" },
    { "not sampled", "00-" ID "-" SPAN "-00", "00" },
    { "flags from the future", "00-" ID "-" SPAN "-ff", "ff" },
    { "absent", NULL, NULL },
    { "empty", "", NULL },
    { "a later version", "01-" ID "-" SPAN "-01", NULL },
    { "version ff", "ff-" ID "-" SPAN "-01", NULL },
    { "upper case", "00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN "-01", NULL },
    { "trace id of zeros", "00-00000000000000000000000000000000-" SPAN "-01", NULL },
    { "span id of zeros", "00-" ID "-0000000000000000-01", NULL },
    { "no hex in the trace id", "00-4bf92f3577b34da6a3ce929d0e0e473g-" SPAN "-01", NULL },
    { "no hex in the span id", "00-" ID "-00f067aa0ba902bz-01", NULL },
    { "no hex in the flags", "00-" ID "-" SPAN "-0x", NULL },
    { "upper case flags", "00-" ID "-" SPAN "-FF", NULL },
    { "too short", "00-" ID "-" SPAN "-0", NULL },
    { "too long", "00-" ID "-" SPAN "-011", NULL },
    { "more behind", "00-" ID "-" SPAN "-01-x", NULL },
    { "dots instead of dashes", "00." ID "." SPAN ".01", NULL },
    { "a dot before the span", "00-" ID "." SPAN "-01", NULL },
    { "a dot before the flags", "00-" ID "-" SPAN ".01", NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct trace trace;
    struct trace other;

    trace_continue(&trace, row->header);
    trace_continue(&other, row->header);
    assert_int_equal(strlen(trace.parent), TRACE_PARENT_BYTES - 1);
    assert_memory_equal(trace.parent, "00-", 3);
    assert_memory_equal(trace.parent + 3, trace.id, 32);
    assert_int_equal(strspn(trace.id, "0123456789abcdef"), 32);
    assert_int_equal(strspn(trace.parent + 36, "0123456789abcdef"), 16);
    assert_string_equal(trace.parent + 53, row->want_flags ? row->want_flags : "00");
    assert_string_not_equal(trace.parent, other.parent); /* each request is a separate span */
    if (row->want_flags)
        assert_string_equal(trace.id, ID);
    else
        assert_string_not_equal(trace.id, other.id);
    assert_null(strstr(trace.parent, SPAN));
}

int main(void)
{
    if (sodium_init() < 0)
        return 1;
    return RUN_ROWS(rows, check);
}
