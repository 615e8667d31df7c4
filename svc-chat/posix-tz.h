/*
 * svc-chat/posix-tz.h - the rule for the time after a zone file's last transition: a POSIX TZ
 * string such as "CST6CDT,M3.2.0,M11.1.0" (POSIX.1 Base Definitions 8.3; RFC 8536 section 3.3.1).
 */
#ifndef SVC_CHAT_POSIX_TZ_H
#define SVC_CHAT_POSIX_TZ_H

#include <stdbool.h>
#include <stdint.h>

/* A day of every year, and a time of that day. */
struct posix_tz_day {
    enum { TZ_MONTH_WEEK_DAY, TZ_JULIAN, TZ_DAY_OF_YEAR } kind;
    int month, week;       /* 1..12; 1..5, where 5 is the last */
    int day;               /* weekday from Sunday 0; 1..365 without 29 February; 0..365 with it */
    int32_t second_of_day; /* of local time; may be negative or beyond the day */
};

/* Zero is UTC. */
struct posix_tz {
    int32_t offset; /* seconds ahead of UTC */
    bool has_summer;
    int32_t summer_offset;
    struct posix_tz_day start; /* by the clock that ends then */
    struct posix_tz_day end;
};

bool posix_tz_parse(const char *text, struct posix_tz *rule);

/* Seconds ahead of UTC at an instant. */
int32_t posix_tz_offset(const struct posix_tz *rule, int64_t unix_s);

#endif
