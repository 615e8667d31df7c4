/*
 * common/text/time/datetime.h - days of the Gregorian calendar, also before 1582, and ISO 8601
 * times.
 *
 * Days count from 1970-01-01. A local time is counted in seconds or milliseconds as if it were UTC;
 * text/time/zone.h converts it to an instant.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/scoped.h"

enum { DAY_SECONDS = 86400, DATE_YEAR_MAX = 9999 };

struct date {
    int year;
    int month; /* 1..12 */
    int day;   /* 1..31 */
};

int64_t date_to_days(struct date date);
struct date date_of_days(int64_t days);
int date_weekday(int64_t days); /* 0 = Sunday */
int date_month_days(int year, int month);

struct datetime {
    int64_t local_ms;
    bool has_offset; /* else it is local to a zone that the text does not name */
    int32_t offset_s;
};

/*
 * A date; or a date, one of T, t and blank, hours and minutes, optional seconds with a fraction, of
 * which milliseconds count, and an optional Z, z or offset (zone_offset_parse()): "2026-11-21",
 * "2026-11-21T10:44", "2026-11-21 10:44:05.250+05:30". Years 0000 to 9999, no second 60. False for
 * any other text.
 */
bool datetime_parse(struct text text, struct datetime *datetime) must_check;

/* "+05:30" or "-05:00", hours to 23; false for any other text. */
bool zone_offset_parse(struct text text, int32_t *offset_s) must_check;

/* Append "YYYY-MM-DDTHH:MM:SS+05:30"; seconds of an offset are dropped, as ISO 8601 does not have
 * them. */
void datetime_format(struct buf *out, int64_t local_s, int32_t offset_s);
