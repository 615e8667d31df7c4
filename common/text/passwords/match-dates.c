/* common/text/passwords/match-dates.c - years, and dates in any order with or without
 * separators. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "text/passwords/match.h"

enum {
    YEAR_SPACE_LEAST = 20,
    FIRST_RECENT_YEAR = 1900,
    DATE_YEAR_FIRST = 1000,
    DATE_YEAR_LAST = 2050,
};

static double year_space(const struct phrase *phrase, int year)
{
    return MAX(abs(year - phrase->this_year), YEAR_SPACE_LEAST);
}

/* The number in `length` digits; -1 if one is not a digit. */
static int number_at(const struct phrase *phrase, size_t start, size_t digits)
{
    int number = 0;
    for (size_t i = start; i < start + digits; i++) {
        if (!ascii_is_digit(phrase->points[i]))
            return -1;
        number = 10 * number + (int)(phrase->points[i] - '0');
    }
    return number;
}

void match_years(const struct phrase *phrase, struct matches *matches)
{
    for (size_t start = 0; start + 4 <= phrase->length; start++) {
        int year = number_at(phrase, start, 4);
        if (year < FIRST_RECENT_YEAR || year > phrase->this_year)
            continue;
        matches_add(matches, phrase,
                    (struct match){ .pattern = PATTERN_YEAR,
                                    .start = start,
                                    .length = 4,
                                    .guesses = year_space(phrase, year) });
        start += 3;
    }
}

/* ---- three numbers as a date ---- */

static bool is_day_and_month(int a, int b)
{
    return a >= 1 && b >= 1 && ((a <= 31 && b <= 12) || (b <= 31 && a <= 12));
}

static bool is_long_year(int number)
{
    return number >= DATE_YEAR_FIRST && number <= DATE_YEAR_LAST;
}

/* Numbers that are not a date in any order. */
static bool is_no_date(const int number[static 3])
{
    int over_31 = 0;
    int over_12 = 0;
    int zero = 0;
    for (int i = 0; i < 3; i++) {
        if ((number[i] > 99 && number[i] < DATE_YEAR_FIRST) || number[i] > DATE_YEAR_LAST)
            return true;
        over_31 += number[i] > 31;
        over_12 += number[i] > 12;
        zero += number[i] == 0;
    }
    return number[1] > 31 || number[1] == 0 || over_31 >= 2 || over_12 == 3 || zero >= 2;
}

static int full_year(int year)
{
    if (year > 99)
        return year;
    return year > 50 ? year + 1900 : year + 2000;
}

/* The year of a date, at its end or beginning; 0 if it is not a date. A year of four digits
 * decides. */
static int year_of(const int number[static 3])
{
    if (is_no_date(number))
        return 0;
    if (is_long_year(number[2]))
        return is_day_and_month(number[0], number[1]) ? number[2] : 0;
    if (is_long_year(number[0]))
        return is_day_and_month(number[1], number[2]) ? number[0] : 0;
    if (is_day_and_month(number[0], number[1]))
        return full_year(number[2]);
    return is_day_and_month(number[1], number[2]) ? full_year(number[0]) : 0;
}

static void add_date(const struct phrase *phrase, size_t start, size_t length, int year,
                     bool has_separators, struct matches *dates)
{
    matches_add(
        dates, phrase,
        (struct match){ .pattern = PATTERN_DATE,
                        .start = start,
                        .length = length,
                        .guesses = year_space(phrase, year) * 365 * (has_separators ? 4 : 1) });
}

/* ---- without separators ---- */

/* Splits of the digits in three: lengths of the first two numbers. */
static const struct split {
    size_t length, first, second;
} splits[] = {
    { 4, 1, 1 }, { 4, 2, 1 }, { 5, 1, 2 }, { 5, 2, 1 }, { 6, 1, 1 }, { 6, 2, 2 }, { 6, 4, 1 },
    { 7, 1, 2 }, { 7, 2, 1 }, { 7, 4, 1 }, { 7, 4, 2 }, { 8, 2, 2 }, { 8, 4, 2 },
};

/* Of all readings of the digits, the year closest to now; 0: none. */
static int nearest_year(const struct phrase *phrase, size_t start, size_t length)
{
    int nearest = 0;
    for (size_t i = 0; i < countof(splits); i++) {
        const struct split *split = &splits[i];
        if (split->length != length)
            continue;
        size_t third = start + split->first + split->second;
        const int number[] = { number_at(phrase, start, split->first),
                               number_at(phrase, start + split->first, split->second),
                               number_at(phrase, third, start + length - third) };
        int year = year_of(number);
        if (year != 0 &&
            (nearest == 0 || abs(year - phrase->this_year) < abs(nearest - phrase->this_year)))
            nearest = year;
    }
    return nearest;
}

static void find_digits(const struct phrase *phrase, size_t start, struct matches *dates)
{
    for (size_t length = 4; length <= 8 && start + length <= phrase->length; length++) {
        if (number_at(phrase, start, length) < 0)
            return;
        int year = nearest_year(phrase, start, length);
        if (year != 0)
            add_date(phrase, start, length, year, false, dates);
    }
}

/* ---- with the same separator twice ---- */

static bool is_separator(uint32_t point)
{
    return point > 0 && point < 128 && strchr(" \t\n\v\f\r/\\_.-", (int)point);
}

/* Each number has all digits up to its separator. */
static void try_separated(const struct phrase *phrase, size_t start, const struct split *split,
                          struct matches *dates)
{
    size_t second = start + split->first + 1;
    size_t third = second + split->second + 1;
    if (start + split->length > phrase->length)
        return;
    uint32_t separator = phrase->points[second - 1];
    const int number[] = { number_at(phrase, start, split->first),
                           number_at(phrase, second, split->second),
                           number_at(phrase, third, start + split->length - third) };
    if (!is_separator(separator) || phrase->points[third - 1] != separator || number[0] < 0 ||
        number[1] < 0 || number[2] < 0)
        return;
    int year = year_of(number);
    if (year != 0)
        add_date(phrase, start, split->length, year, true, dates);
}

static void find_separated(const struct phrase *phrase, size_t start, struct matches *dates)
{
    for (size_t first = 1; first <= 4; first++)
        for (size_t second = 1; second <= 2; second++)
            for (size_t third = 1; third <= 4; third++) {
                size_t length = first + second + third + 2;
                if (length >= 6 && length <= 10)
                    try_separated(phrase, start, &(struct split){ length, first, second }, dates);
            }
}

/* ---- all dates ---- */

static bool is_within_another(const struct matches *dates, size_t index)
{
    const struct match *date = &dates->item[index];
    for (size_t i = 0; i < dates->count; i++) {
        const struct match *other = &dates->item[i];
        if (i != index && other->start <= date->start &&
            other->start + other->length >= date->start + date->length)
            return true;
    }
    return false;
}

void match_dates(const struct phrase *phrase, struct matches *matches)
{
    scoped(matches_free) struct matches dates = { 0 };
    for (size_t start = 0; start < phrase->length; start++) {
        find_digits(phrase, start, &dates);
        find_separated(phrase, start, &dates);
    }
    for (size_t i = 0; i < dates.count; i++)
        if (!is_within_another(&dates, i))
            matches_add(matches, phrase, dates.item[i]);
}
