/*
 * portal/base/times.h - times and days for pages: in UTC, with the exact time in <time datetime>.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/*
 * Add a time from sql_rows() ("2026-11-23T14:02:11.5Z"; NULL: nothing is added) for
 * pages/parts/time.html: an object {iso, shown: "2026-11-23 14:02:11"}.
 */
void time_add(cJSON *object, const char *name, const char *rfc3339);

enum { DAY_BYTES = 11 };

/* Days since 1970-01-01 of "2026-11-23"; false for anything else. */
bool day_parse(struct text text, int64_t *days) must_check;

/* The inverse, for years 0 to 9999. */
void day_write(int64_t days, char out[static DAY_BYTES]);
