/* svc-chat/time/local-time.c - UTC offsets, and local times that occur twice or never. */
#include "local-time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_SECONDS = 86400 };

int32_t local_offset(const struct zone *zone, int64_t unix_s)
{
    struct zone_span span = { .offset_s = 0 };
    if (zone)
        zone_span_at(zone, unix_s, &span);
    return span.offset_s;
}

struct local_reading local_read(const struct zone *zone, int64_t local_s)
{
    /* two clock changes are more than two days apart */
    int32_t before = local_offset(zone, local_s - DAY_SECONDS);
    int32_t after = local_offset(zone, local_s + DAY_SECONDS);
    bool fits_before = local_offset(zone, local_s - before) == before;
    bool fits_after = local_offset(zone, local_s - after) == after;

    if (fits_before && fits_after && before != after)
        return (struct local_reading){ local_s - before, FOLD_OVERLAP, before, after };
    if (fits_after)
        return (struct local_reading){ local_s - after, FOLD_NONE, after, after };
    return (struct local_reading){ local_s - before, fits_before ? FOLD_NONE : FOLD_GAP, before,
                                   fits_before ? before : after };
}

void local_format_offset(char out[static LOCAL_OFFSET_BYTES], int32_t offset)
{
    char text[64];
    int seconds = abs(offset);
    size_t size = (size_t)snprintf(text, sizeof(text), "%c%02d:%02d:%02d", offset < 0 ? '-' : '+',
                                   seconds / 3600, seconds / 60 % 60, seconds % 60);
    if (seconds % 60 == 0)
        text[size - strlen(":00")] = '\0';
    snprintf(out, LOCAL_OFFSET_BYTES, "%.15s", text);
}
