/*
 * svc-chat/time/instant.h - points in time as people write them to chat tools, and relative times.
 *
 *   now                        the reference instant
 *   1618953630, 1618953630.5   Unix seconds below 10^11, milliseconds below 10^14
 *   175928847299117063         an id of 17 to 20 digits: its creation time
 *   2021-04-20T21:20:30Z       RFC 3339, seconds are optional; local without an offset
 *   2021-04-20                 local midnight
 *   <t:1618953630:f>           the platform's tag
 *   +1d12h, -15m               from the reference instant; w, d, h, m, s in this order
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "local-time.h"
#include "svc/job.h"

#define INSTANT_STYLES "tTdDfFsSR" /* letters of a tag */

enum { INSTANT_RELATIVE_BYTES = 40 };

struct instant {
    int64_t unix_ms;
    char style;           /* of a tag; '\0': none */
    enum local_fold fold; /* of a local time */
    int32_t offset;       /* valid if there is a fold */
    int32_t other_offset;
};

/*
 * Read a JSON string or number; zone is the zone of local times. `field` is used in errors:
 * ERR_INVALID_TIMESTAMP, also for a value of another type; ERR_TIMESTAMP_OUT_OF_RANGE outside the
 * years 0000 to 9999; ERR_PRECISION_LOSS for an id sent as a number.
 */
bool instant_read(const cJSON *value, const char *field, const struct zone *zone, int64_t now_ms,
                  struct instant *instant, struct err *err) must_check;

/* The reference instant of a job: its field `now` in the forms above, read in UTC; else the
 * clock. */
bool instant_now(const struct job *job, int64_t *now_ms, struct err *err) must_check;

/* "3 hours ago", "in a day": as in the platform's clients, which round half up. */
void instant_relative(char out[static INSTANT_RELATIVE_BYTES], int64_t unix_ms, int64_t now_ms);

/* A local time, in seconds since 1970-01-01T00:00:00 local time, and its milliseconds. */
void instant_local(int64_t local_s, int64_t ms, const struct zone *zone, struct instant *instant);

/* Is it in the years 0000 to 9999? */
bool instant_in_range(int64_t unix_ms);

/* Milliseconds to seconds, rounded toward minus infinity. */
int64_t instant_seconds(int64_t unix_ms);
