/*
 * svc-chat/zone.h - time zones, from the system's files (TZif, RFC 8536) and never from the
 * process's own TZ, so that each call may have another. A zone is NULL for UTC.
 */
#ifndef SVC_CHAT_ZONE_H
#define SVC_CHAT_ZONE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { ZONE_OFFSET_BYTES = 16 };

struct zone; /* does not change once opened: several threads may read it */

/* Open "UTC", an IANA name such as "America/Chicago", or an offset as "+05:30". Errors:
 * ERR_INVALID_TIMEZONE. */
bool zone_open(const char *name, struct zone **zone, struct err *err) must_check;
void zone_free(struct zone **zone);

/* Seconds that local time is ahead of UTC at an instant. */
int32_t zone_offset(const struct zone *zone, int64_t unix_s);

enum zone_fold {
    ZONE_PLAIN,
    ZONE_GAP,     /* the clock jumps over this local time: it is moved on by the jump */
    ZONE_OVERLAP, /* the clock shows this local time twice: the first is taken */
};

/* What a local time stands for. */
struct zone_reading {
    int64_t unix_s;
    enum zone_fold fold;
    int32_t offset;       /* it was read with */
    int32_t other_offset; /* the other side of a gap or overlap */
};

/* Read a local time, given as seconds since 1970 of a clock that shows it. */
struct zone_reading zone_read(const struct zone *zone, int64_t local_s);

/* "-05:00"; offsets of before standard time may end in seconds, "-05:50:36". */
void zone_format_offset(char out[static ZONE_OFFSET_BYTES], int32_t offset);

#endif
