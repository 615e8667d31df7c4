/* svc-chat/posix-tz.c - POSIX TZ strings. */
#include "posix-tz.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "base/num.h"

enum { HOUR = 3600, DAY = 86400, HOURS_MAX = 167 /* RFC 8536: within a week */ };

/* ---- reading; each moves *at behind what it read ---- */

static bool read_int(const char **at, int max, int *value)
{
    int64_t number;
    size_t size = strspn(*at, "0123456789");
    if (!num_parse((struct text){ *at, size }, max, &number))
        return false;
    *value = (int)number;
    *at += size;
    return true;
}

static bool skip(const char **at, char wanted)
{
    if (**at != wanted)
        return false;
    (*at)++;
    return true;
}

/* "CST", or "<-03>" for what is no word. */
static bool skip_name(const char **at)
{
    const char *start = *at;
    if (skip(at, '<')) {
        *at += strcspn(*at, ">");
        return skip(at, '>');
    }
    while (isalpha((unsigned char)**at))
        (*at)++;
    return *at > start;
}

/* "6", "-5:45", "3:00:00". */
static bool read_time(const char **at, int32_t *seconds)
{
    int hours;
    int minutes = 0;
    int rest = 0;
    bool is_negative = **at == '-';

    if (**at == '-' || **at == '+')
        (*at)++;
    if (!read_int(at, HOURS_MAX, &hours) || (skip(at, ':') && !read_int(at, 59, &minutes)) ||
        (skip(at, ':') && !read_int(at, 59, &rest)))
        return false;
    *seconds = hours * HOUR + minutes * 60 + rest;
    if (is_negative)
        *seconds = -*seconds;
    return true;
}

/* ",M3.2.0/2", ",J60" or ",59". */
static bool read_day(const char **at, struct posix_tz_day *day)
{
    bool ok;
    if (!skip(at, ','))
        return false;
    if (skip(at, 'M')) {
        day->kind = TZ_MONTH_WEEK_DAY;
        ok = read_int(at, 12, &day->month) && day->month > 0 && skip(at, '.') &&
             read_int(at, 5, &day->week) && day->week > 0 && skip(at, '.') &&
             read_int(at, 6, &day->day);
    } else {
        day->kind = skip(at, 'J') ? TZ_JULIAN : TZ_DAY_OF_YEAR;
        ok = read_int(at, 365, &day->day) && (day->kind == TZ_DAY_OF_YEAR || day->day > 0);
    }
    day->second_of_day = 2 * HOUR;
    return ok && (!skip(at, '/') || read_time(at, &day->second_of_day));
}

/* POSIX counts west of Greenwich, we count east. */
static bool read_offset(const char **at, int32_t *offset)
{
    int32_t west;
    if (!read_time(at, &west))
        return false;
    *offset = -west;
    return true;
}

bool posix_tz_parse(const char *text, struct posix_tz *rule)
{
    struct posix_tz read = { 0 };
    if (!skip_name(&text) || !read_offset(&text, &read.offset))
        return false;
    if (*text != '\0') {
        read.has_summer = true;
        read.summer_offset = read.offset + HOUR;
        if (!skip_name(&text) || (*text != ',' && !read_offset(&text, &read.summer_offset)) ||
            !read_day(&text, &read.start) || !read_day(&text, &read.end) || *text != '\0')
            return false;
    }
    *rule = read;
    return true;
}

/* ---- asking ---- */

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* The day's beginning by a clock of that zone, as if it were UTC. */
static int64_t day_start(const struct posix_tz_day *day, int year)
{
    struct tm tm = { .tm_year = year - 1900, .tm_mday = 1 };
    if (day->kind == TZ_DAY_OF_YEAR)
        return timegm(&tm) + (int64_t)day->day * DAY;
    if (day->kind == TZ_JULIAN)
        return timegm(&tm) + (int64_t)(day->day - 1 + (day->day >= 60 && is_leap(year))) * DAY;
    tm.tm_mon = day->month - 1;
    int64_t first = timegm(&tm); /* fills tm_wday */
    struct tm next = { .tm_year = tm.tm_year, .tm_mon = day->month, .tm_mday = 1 };
    int64_t days_of_month = (timegm(&next) - first) / DAY;
    int64_t mday = (day->day - tm.tm_wday + 7) % 7 + (day->week - 1) * 7;
    return first + (mday < days_of_month ? mday : mday - 7) * DAY;
}

int32_t posix_tz_offset(const struct posix_tz *rule, int64_t unix_s)
{
    if (!rule->has_summer)
        return rule->offset;
    struct tm local;
    time_t local_s = unix_s + rule->offset;
    gmtime_r(&local_s, &local);
    int year = local.tm_year + 1900;
    int64_t start = day_start(&rule->start, year) + rule->start.second_of_day - rule->offset;
    int64_t end = day_start(&rule->end, year) + rule->end.second_of_day - rule->summer_offset;
    bool is_summer =
        start < end ? unix_s >= start && unix_s < end : unix_s >= start || unix_s < end;
    return is_summer ? rule->summer_offset : rule->offset;
}
