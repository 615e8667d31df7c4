/*
 * common/text/time/zone.h - time zones from the files of the system's tzdata package.
 *
 * This code reads the files itself (TZif, RFC 8536), because the C library supports one zone per
 * process, selected by TZ in the environment, which other threads read at the same time. A zone is
 * a series of spans with one offset each; after the file's table, the footer's yearly rule
 * continues without end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { ZONE_NAME_MAX = 64, ZONE_OFFSET_MAX_S = 26 * 3600 /* offsets are below that */ };

struct zone; /* never changes, so all threads may read it */

/*
 * The zone of an IANA name ("Europe/Paris"; in any case, also links), "UTC" or a fixed offset
 * ("+05:30"). Each call reads the file, which takes about 20 us, so a new tzdata takes effect
 * immediately. Errors: ERR_INVALID_TIMEZONE, also for files with leap seconds ("right/...").
 */
bool zone_load(const char *name, struct zone **zone, struct err *err) must_check;
void zone_free(struct zone **zone);

/* The same from the bytes of a TZif file, version 2 or later; false if they are invalid. */
bool zone_parse(struct text tzif, const char *name, struct zone **zone) must_check;

/* As spelled in the database; "+05:30" for a fixed offset. */
const char *zone_name(const struct zone *zone);

/*
 * A span of time with one offset; instants are Unix seconds. Consecutive spans may have the same
 * offset, if only name or daylight saving time change.
 */
struct zone_span {
    int64_t begin_s; /* INT64_MIN: no start */
    int64_t end_s;   /* the first instant after it; INT64_MAX: no end */
    int32_t offset_s;
    int32_t offset_before_s; /* of the previous span; for the first one, its own */
};

/* The span of an instant. */
void zone_span_at(const struct zone *zone, int64_t instant_s, struct zone_span *span);

enum zone_fit { ZONE_ONCE, ZONE_TWICE, ZONE_GAP };

/*
 * The instant of a local time. A time that occurs twice, when clocks go back, is its first instant.
 * A time that is skipped, when they go forward, uses the offset before the gap: 02:30 is then what
 * clocks show as 03:30.
 */
enum zone_fit zone_instant(const struct zone *zone, int64_t local_s, int64_t *instant_s);
