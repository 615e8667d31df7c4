/*
 * svc-chat/time/local-time.h - what the clocks of a time zone show: text/time/zone.h in the terms
 * of a message.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "text/time/zone.h"

enum { LOCAL_OFFSET_BYTES = 16 };

/* Seconds that local time is ahead of UTC at an instant; a zone that is NULL is UTC. */
int32_t local_offset(const struct zone *zone, int64_t unix_s);

enum local_fold {
    FOLD_NONE,
    FOLD_GAP,     /* the clock jumps over this local time: it is moved on by the jump */
    FOLD_OVERLAP, /* the clock shows this local time twice: the first is taken */
};

/* What a local time stands for. */
struct local_reading {
    int64_t unix_s;
    enum local_fold fold;
    int32_t offset;       /* it was read with */
    int32_t other_offset; /* the other side of a gap or overlap */
};

/* Read a local time, given as seconds since 1970 of a clock that shows it. */
struct local_reading local_read(const struct zone *zone, int64_t local_s);

/* "-05:00"; offsets of before standard time may end in seconds, "-05:50:36". */
void local_format_offset(char out[static LOCAL_OFFSET_BYTES], int32_t offset);
