/*
 * common/base/os/clock.h - the two clocks, both of which tests can set.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Monotonic time in milliseconds or microseconds: for deadlines and durations. */
int64_t clock_ms(void);
int64_t clock_us(void);

/* Milliseconds since 1970-01-01T00:00:00Z, for what people read. */
int64_t clock_wall_ms(void);

/* Stop both clocks at the given times (tests only); clock_run() restarts them. */
void clock_stop(int64_t monotonic_ms, int64_t wall_ms);
void clock_run(void);

/* Is a wall time in the years 0000 to 9999? RFC 3339 cannot express others. */
bool clock_has_text(int64_t wall_ms);

/* "YYYY-MM-DDTHH:MM:SS.mmmZ" (RFC 3339, UTC) of such a wall time. */
enum { CLOCK_TEXT_BYTES = 25 };
void clock_format(char out[static CLOCK_TEXT_BYTES], int64_t wall_ms);
