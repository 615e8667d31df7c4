/* gateway/account/query-values.c - see query-values.h. */
#include "gateway/account/query-values.h"

#include <stdio.h>

#include "text/time/datetime.h"

enum { DATE_BYTES = sizeof("2026-11-23") - 1 };

bool query_time(struct text text, int64_t *ms)
{
    struct datetime time;
    if (!datetime_parse(text, &time) || (text.size != DATE_BYTES && !time.has_offset))
        return false;
    *ms = time.local_ms - (time.has_offset ? (int64_t)time.offset_s * 1000 : 0);
    return *ms >= 0;
}

void query_date_write(char out[static QUERY_TIME_BYTES], int64_t ms)
{
    struct date date = date_of_days(ms / 1000 / DAY_SECONDS);
    snprintf(out, QUERY_TIME_BYTES, "%04u-%02u-%02u", (unsigned)date.year % 10000,
             (unsigned)date.month % 100, (unsigned)date.day % 100);
}

void query_time_write(char out[static QUERY_TIME_BYTES], int64_t ms)
{
    char date[QUERY_TIME_BYTES];
    unsigned of_day = (unsigned)(ms % ((int64_t)DAY_SECONDS * 1000));
    query_date_write(date, ms);
    snprintf(out, QUERY_TIME_BYTES, "%.10sT%02u:%02u:%02u.%03uZ", date, of_day / 3600000 % 24,
             of_day / 60000 % 60, of_day / 1000 % 60, of_day % 1000);
}
