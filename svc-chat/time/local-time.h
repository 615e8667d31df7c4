/* svc-chat/time/local-time.h - local time in a time zone, based on text/time/zone.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "text/time/zone.h"

enum { LOCAL_OFFSET_BYTES = 16 };

/* Seconds that local time is ahead of UTC at an instant; a NULL zone is UTC. */
int32_t local_offset(const struct zone *zone, int64_t unix_s);

enum local_fold {
    FOLD_NONE,
    FOLD_GAP,     /* this local time is skipped: it is moved by the length of the gap */
    FOLD_OVERLAP, /* this local time occurs twice: the first is used */
};

/* How a local time was read. */
struct local_reading {
    int64_t unix_s;
    enum local_fold fold;
    int32_t offset;       /* offset used */
    int32_t other_offset; /* the other side of a gap or overlap */
};

/* Read a local time, given as seconds since 1970-01-01T00:00:00 local time. */
struct local_reading local_read(const struct zone *zone, int64_t local_s);

/* "-05:00"; offsets before standard time may have seconds, "-05:50:36". */
void local_format_offset(char out[static LOCAL_OFFSET_BYTES], int32_t offset);
