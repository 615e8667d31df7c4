/* gateway/account/query-values.h - dates and times in queries about an account, and for SQL. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* A date, or a time with an offset (RFC 3339), in milliseconds since 1970. */
bool query_time(struct text text, int64_t *ms) must_check;

/* The inverse, in UTC: "2026-11-23T10:44:00.000Z", and only its date. */
enum { QUERY_TIME_BYTES = sizeof("2026-11-23T10:44:00.000Z") };
void query_time_write(char out[static QUERY_TIME_BYTES], int64_t ms);
void query_date_write(char out[static QUERY_TIME_BYTES], int64_t ms);
