/*
 * common/text/time/zone.h - time zones, from the files that the system's tzdata package installs.
 *
 * Read by ourselves (TZif, RFC 8536): the C library knows one zone a process, chosen by TZ in the
 * environment, which other threads read at the same time. A zone is a span after span of one
 * offset each; the span after the file's table follow its footer's yearly rule, without end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { ZONE_NAME_MAX = 64, ZONE_OFFSET_MAX_S = 26 * 3600 /* offsets are smaller than that */ };

struct zone; /* never changes, so all threads may read it */

/*
 * The zone of an IANA name ("Europe/Paris"; case does not matter, links are names), "UTC" or a
 * fixed offset ("+05:30"). The file is read at each call, which costs some 20 us, so a new tzdata
 * counts at once. Errors: ERR_INVALID_TIMEZONE, also for the files with leap seconds ("right/...").
 */
bool zone_load(const char *name, struct zone **zone, struct err *err) must_check;
void zone_free(struct zone **zone);

/* The same from bytes of a TZif file, version 2 or later; false when they are none. */
bool zone_parse(struct text tzif, const char *name, struct zone **zone) must_check;

/* As the database spells it; "+05:30" for a fixed offset. */
const char *zone_name(const struct zone *zone);

/* A span of time with one offset; instants are seconds since 1970-01-01T00:00:00Z. Two spans that
 * follow each other may have the same offset, where only name or daylight saving change. */
struct zone_span {
    int64_t begin_s; /* INT64_MIN: since ever */
    int64_t end_s;   /* the first instant after it; INT64_MAX: for ever */
    int32_t offset_s;
    int32_t offset_before_s; /* of the span before; the same for the first */
};

/* The span that an instant is in. */
void zone_span_at(const struct zone *zone, int64_t instant_s, struct zone_span *span);

enum zone_fit { ZONE_ONCE, ZONE_TWICE, ZONE_GAP };

/*
 * The instant of a local time. One that comes twice, when clocks go back, is its first instant;
 * one that is skipped, when they go forward, counts by the offset before the gap, so that 02:30 is
 * what clocks then show as 03:30.
 */
enum zone_fit zone_instant(const struct zone *zone, int64_t local_s, int64_t *instant_s);
