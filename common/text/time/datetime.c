/* common/text/time/datetime.c - the Gregorian calendar and ISO 8601. */
#include "text/time/datetime.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/text.h"

enum {
    CYCLE_YEARS = 400, /* dates and weekdays repeat after this */
    CYCLE_DAYS = 146097,
    DAYS_TO_1970 = 719468, /* from 0000-03-01: years that begin in March end with the leap day */
};

int64_t date_to_days(struct date date)
{
    int64_t year = date.month > 2 ? date.year : date.year - 1;
    int64_t cycle = (year >= 0 ? year : year - CYCLE_YEARS + 1) / CYCLE_YEARS;
    int64_t year_of_cycle = year - cycle * CYCLE_YEARS;
    int64_t month_from_march = (date.month + 9) % 12;
    int64_t day_of_year = (153 * month_from_march + 2) / 5 + date.day - 1;
    int64_t day_of_cycle =
        year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year;
    return cycle * CYCLE_DAYS + day_of_cycle - DAYS_TO_1970;
}

struct date date_of_days(int64_t days)
{
    days += DAYS_TO_1970;
    int64_t cycle = (days >= 0 ? days : days - CYCLE_DAYS + 1) / CYCLE_DAYS;
    int64_t day_of_cycle = days - cycle * CYCLE_DAYS;
    int64_t year_of_cycle = (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36524 -
                             day_of_cycle / (CYCLE_DAYS - 1)) /
                            365;
    int64_t day_of_year =
        day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    int month = (int)(month_from_march + 2) % 12 + 1;
    return (struct date){
        .year = (int)(cycle * CYCLE_YEARS + year_of_cycle + (month <= 2)),
        .month = month,
        .day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1),
    };
}

int date_weekday(int64_t days)
{
    int64_t weekday = (days + 4) % 7; /* 1970-01-01 was a Thursday */
    return (int)(weekday < 0 ? weekday + 7 : weekday);
}

int date_month_days(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && is_leap);
}

/* ---- ISO 8601 ---- */

/* Exactly this number of digits, within min..max. */
static bool take_number(struct text *text, size_t digits, int min, int max, int *value)
{
    int64_t number;
    if (text->size < digits || !num_parse((struct text){ text->bytes, digits }, max, &number) ||
        number < min)
        return false;
    text->bytes += digits;
    text->size -= digits;
    *value = (int)number;
    return true;
}

static bool take_date(struct text *text, int64_t *days)
{
    struct date date;
    if (!take_number(text, 4, 0, DATE_YEAR_MAX, &date.year) || !text_take_byte(text, "-") ||
        !take_number(text, 2, 1, 12, &date.month) || !text_take_byte(text, "-") ||
        !take_number(text, 2, 1, date_month_days(date.year, date.month), &date.day))
        return false;
    *days = date_to_days(date);
    return true;
}

/* ".25" is 250 ms; further digits are dropped. */
static bool take_fraction(struct text *text, int *ms)
{
    int unit = 100;
    int digit;
    if (!take_number(text, 1, 0, 9, &digit))
        return false;
    do {
        *ms += digit * unit;
        unit /= 10;
    } while (take_number(text, 1, 0, 9, &digit));
    return true;
}

static bool take_time(struct text *text, int64_t *time_ms)
{
    int hour;
    int minute;
    int second = 0;
    int ms = 0;
    if (!take_number(text, 2, 0, 23, &hour) || !text_take_byte(text, ":") ||
        !take_number(text, 2, 0, 59, &minute))
        return false;
    if (text_take_byte(text, ":")) {
        if (!take_number(text, 2, 0, 59, &second))
            return false;
        if (text_take_byte(text, ".,") && !take_fraction(text, &ms))
            return false;
    }
    *time_ms = ((hour * 60 + minute) * 60 + second) * 1000 + ms;
    return true;
}

bool zone_offset_parse(struct text text, int32_t *offset_s)
{
    bool is_west = text.size > 0 && *text.bytes == '-';
    int hours;
    int minutes;
    if (!text_take_byte(&text, "+-") || !take_number(&text, 2, 0, 23, &hours) ||
        !text_take_byte(&text, ":") || !take_number(&text, 2, 0, 59, &minutes) || text.size > 0)
        return false;
    *offset_s = (is_west ? -60 : 60) * (hours * 60 + minutes);
    return true;
}

bool datetime_parse(struct text text, struct datetime *datetime)
{
    struct datetime found = { 0 };
    int64_t days;
    int64_t time_ms = 0;
    if (!take_date(&text, &days))
        return false;
    if (text.size > 0) {
        if (!text_take_byte(&text, "Tt ") || !take_time(&text, &time_ms))
            return false;
        found.has_offset = text.size > 0;
        if (found.has_offset && !(text_take_byte(&text, "Zz") && text.size == 0) &&
            !zone_offset_parse(text, &found.offset_s))
            return false;
    }
    found.local_ms = days * DAY_SECONDS * 1000 + time_ms;
    *datetime = found;
    return true;
}

void datetime_format(struct buf *out, int64_t local_s, int32_t offset_s)
{
    int64_t days = local_s / DAY_SECONDS - (local_s % DAY_SECONDS < 0);
    int second = (int)(local_s - days * DAY_SECONDS);
    struct date date = date_of_days(days);
    int minutes = abs(offset_s) / 60;
    buf_format(out, "%04d-%02d-%02dT%02d:%02d:%02d%c%02d:%02d", date.year, date.month, date.day,
               second / 3600, second / 60 % 60, second % 60, offset_s < 0 ? '-' : '+', minutes / 60,
               minutes % 60);
}
