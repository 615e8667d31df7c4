/*
 * svc-email/message/mail-date.h - dates in mail: RFC 5322 section 3.3, its obsolete forms (4.3),
 * and other forms that servers and clients write.
 *
 *     Fri, 7 Feb 2003 10:18:12 -0800 (PST)     Friday, 7-Feb-03 10:18 PST
 *     Fri Feb 07 10:18:12 2003 -0800           Feb 7 2003 10:18:12
 *     2/7/2003 10:18:12 AM -0800               2003-02-07T10:18:12.5Z m=+0.01
 *
 * Weekdays, even wrong ones, and comments are ignored.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum mail_date_fit {
    MAIL_DATE_NONE, /* not a date, or an impossible one: 32 Jan, 24:43, zone +2500, year 1899 */
    MAIL_DATE_UNKNOWN_ZONE, /* its zone's name is unknown: read as UTC, and off by up to a day */
    MAIL_DATE_NO_ZONE,      /* read as UTC */
    MAIL_DATE_WHOLE,
};

/* Whether the date is a point in time, so that delays can be computed from it. */
static inline bool mail_date_is_exact(enum mail_date_fit fit)
{
    return fit == MAIL_DATE_NO_ZONE || fit == MAIL_DATE_WHOLE;
}

/* The time of a date, in seconds since 1970-01-01T00:00:00Z. */
enum mail_date_fit mail_date_read(struct text text, int64_t *seconds);

/* Whether it is the name of a weekday, short or long, with or without a comma. */
bool mail_date_is_weekday(struct text word);
