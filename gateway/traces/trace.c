/* gateway/traces/trace.c - continues or starts a trace. */
#include "gateway/traces/trace.h"

#include <sodium.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"

enum { FLAGS_AT = 53, DIGITS_TRACE = 32, DIGITS_SPAN = 16 };

static bool is_lower_hex(const char *digits, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (hex_digit(digits[i]) < 0 || (digits[i] >= 'A' && digits[i] <= 'F'))
            return false;
    return true;
}

static bool is_all_zero(const char *digits, size_t count)
{
    return strspn(digits, "0") >= count;
}

static bool is_valid(const char *header)
{
    return strlen(header) == TRACE_PARENT_BYTES - 1 && strncmp(header, "00-", 3) == 0 &&
           header[TRACE_SPAN_AT - 1] == '-' && header[FLAGS_AT - 1] == '-' &&
           is_lower_hex(header + TRACE_ID_AT, DIGITS_TRACE) &&
           is_lower_hex(header + TRACE_SPAN_AT, DIGITS_SPAN) &&
           is_lower_hex(header + FLAGS_AT, 2) && !is_all_zero(header + TRACE_ID_AT, DIGITS_TRACE) &&
           !is_all_zero(header + TRACE_SPAN_AT, DIGITS_SPAN);
}

void trace_continue(struct trace *trace, const char *header)
{
    uint8_t random[DIGITS_TRACE / 2 + DIGITS_SPAN / 2];
    char span[DIGITS_SPAN + 1];
    const char *flags = "00";

    trace->caller[0] = '\0';
    randombytes_buf(random, sizeof(random));
    hex_encode(span, random, DIGITS_SPAN / 2);
    if (header && is_valid(header)) {
        snprintf(trace->id, sizeof(trace->id), "%.32s", header + TRACE_ID_AT);
        snprintf(trace->caller, sizeof(trace->caller), "%.16s", header + TRACE_SPAN_AT);
        flags = header + FLAGS_AT;
    } else {
        hex_encode(trace->id, random + DIGITS_SPAN / 2, DIGITS_TRACE / 2);
    }
    snprintf(trace->parent, sizeof(trace->parent), "00-%s-%s-%.2s", trace->id, span, flags);
}
