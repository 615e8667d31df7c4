/*
 * svc-chat/platform/snowflake.h - the platform's ids: 42 bits of milliseconds since the start of
 * 2015, then 10 bits of origin and a counter of 12 bits (platform documentation, "Snowflakes").
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum {
    SNOWFLAKE_TEXT_BYTES = 21,  /* 20 digits and a NUL */
    SNOWFLAKE_REAL_DIGITS = 17, /* of the oldest real ids */
    SNOWFLAKE_TIME_SHIFT = 22,
};

#define SNOWFLAKE_EPOCH_MS INT64_C(1420070400000)
#define SNOWFLAKE_MS_END   (INT64_C(1) << 42) /* exclusive limit of milliseconds */

/* "0" or digits without a leading zero, at most 2^64 - 1. */
bool snowflake_parse(struct text digits, uint64_t *id);

/*
 * An id from JSON: a text, or an integer that a double holds exactly. `field` is used in errors.
 * Errors: ERR_PRECISION_LOSS for a number above 2^53 - 1, else ERR_INVALID_SNOWFLAKE.
 */
bool snowflake_read(const cJSON *value, const char *field, uint64_t *id,
                    struct err *err) must_check;

/* Its creation time in Unix milliseconds. */
int64_t snowflake_unix_ms(uint64_t id);

/* Does it have fewer digits than any real id? */
bool snowflake_is_short(uint64_t id);

/* A member with the id as a string: a JSON number cannot hold 64 bits. */
void snowflake_add(cJSON *object, const char *name, uint64_t id);
