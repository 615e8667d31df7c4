/* svc-chat/chatplatform-timestamp/date.c - "24.12.2026", "12/24/2026", "Dec 24th", "24 December".
 */
#include <string.h>

#include "base/num.h"
#include "phrase-parts.h"

enum { DAYS_TO_1970 = 865259 }; /* from 1 January of the year -399 */

static const struct {
    const char *names;
} months[] = {
    { "jan january" }, { "feb february" }, { "mar march" },
    { "apr april" },   { "may" },          { "jun june" },
    { "jul july" },    { "aug august" },   { "sep sept september" },
    { "oct october" }, { "nov november" }, { "dec december" },
};

int phrase_month(const struct piece *piece)
{
    for (size_t i = 0; i < countof(months); i++)
        if (piece_is_one_of(piece, months[i].names))
            return (int)i + 1;
    return 0;
}

bool date_days(int64_t year, int64_t month, int64_t day, int64_t *days)
{
    static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    if (month < 1 || month > 12 || day < 1 || day > lengths[month - 1] + (is_leap && month == 2))
        return false;
    int64_t past = year + 399; /* years are at least -1 */
    *days = past * 365 + past / 4 - past / 100 + past / 400 + before[month - 1] +
            (is_leap && month > 2) + day - 1 - DAYS_TO_1970;
    return true;
}

static bool is_year(const struct piece *piece)
{
    return piece->kind == PIECE_NUMBER && (piece->digits == 4 || piece->digits == 2);
}

static int64_t year_of(const struct piece *piece)
{
    return piece->number + (piece->digits == 2 ? 2000 : 0);
}

/* The ending of "24th". */
static void skip_ordinal(struct pieces *pieces)
{
    const struct piece *piece = pieces_peek(pieces, 0);
    if (piece->is_glued && piece_is_one_of(piece, "st nd rd th"))
        pieces->next++;
}

/* A year of four digits that is not the hour of 20:00. */
static void take_year(struct pieces *pieces, struct date *date)
{
    size_t comma = piece_is(pieces_peek(pieces, 0), ",");
    const struct piece *year = pieces_peek(pieces, comma);
    if (year->kind != PIECE_NUMBER || year->digits != 4)
        return;
    date->has_year = true;
    date->year = year->number;
    pieces->next += comma + 1;
}

static bool take_day(struct pieces *pieces, struct date *date)
{
    const struct piece *day = pieces_peek(pieces, 0);
    if (day->kind != PIECE_NUMBER || day->digits > 2)
        return false;
    date->day = day->number;
    pieces->next++;
    skip_ordinal(pieces);
    return true;
}

static bool take_month(struct pieces *pieces, struct date *date)
{
    date->month = phrase_month(pieces_peek(pieces, 0));
    if (date->month == 0)
        return false;
    pieces->next++;
    pieces_take(pieces, ".");
    return true;
}

/* "24 December 2026", "24th of December", "Dec 24th, 2026", "24-Dec-2026" */
static bool take_named(struct pieces *pieces, struct date *date)
{
    if (take_month(pieces, date)) {
        if (!take_day(pieces, date))
            return false;
    } else {
        if (!take_day(pieces, date))
            return false;
        pieces_take(pieces, ".");
        pieces_take(pieces, "-");
        pieces_take(pieces, "of");
        if (!take_month(pieces, date))
            return false;
        pieces_take(pieces, "-");
    }
    take_year(pieces, date);
    return true;
}

/* Day and month of 03/04: their values decide, else the order of the reader. */
static void order_date(int64_t first, int64_t second, char mark, enum phrase_order order,
                       struct date *date)
{
    bool is_month_first = second > 12 && first <= 12;
    if (mark != '.' && first <= 12 && second <= 12 && first != second) {
        date->is_ambiguous = order == ORDER_UNKNOWN;
        is_month_first = order == ORDER_MONTH_DAY;
    }
    if (mark == '.')
        is_month_first = false; /* nobody writes months first with dots */
    date->month = is_month_first ? first : second;
    date->day = is_month_first ? second : first;
    date->note = is_month_first ? "read as month, day" : "read as day, month";
}

/* 2026/12/24 */
static bool take_year_first(struct pieces *pieces, struct date *date)
{
    const struct piece *year = pieces_peek(pieces, 0);
    const struct piece *month = pieces_peek(pieces, 2);
    const struct piece *day = pieces_peek(pieces, 4);
    const struct piece *mark = pieces_peek(pieces, 1);

    if (year->kind != PIECE_NUMBER || year->digits != 4 || mark->kind != PIECE_MARK ||
        !strchr("./-", mark->word[0]) || !piece_is(pieces_peek(pieces, 3), mark->word) ||
        month->kind != PIECE_NUMBER || day->kind != PIECE_NUMBER)
        return false;
    *date = (struct date){
        .has_year = true, .year = year->number, .month = month->number, .day = day->number
    };
    pieces->next += 5;
    return true;
}

/* 24.12.2026, 24.12., 12/24/26, 24/12 */
static bool take_numbers(struct pieces *pieces, enum phrase_order order, struct date *date)
{
    const struct piece *first = pieces_peek(pieces, 0);
    const struct piece *mark = pieces_peek(pieces, 1);
    const struct piece *second = pieces_peek(pieces, 2);

    if (first->kind != PIECE_NUMBER || second->kind != PIECE_NUMBER || first->digits > 2 ||
        second->digits > 2 || mark->kind != PIECE_MARK || !strchr("./-", mark->word[0]) ||
        piece_is_one_of(pieces_peek(pieces, 3), "am pm")) /* 6.30pm */
        return false;
    const struct piece *end = pieces_peek(pieces, 3);
    const struct piece *year = pieces_peek(pieces, 4);
    bool has_mark = piece_is(end, mark->word) && end->is_glued;
    if (has_mark && year->is_glued && is_year(year)) {
        date->has_year = true;
        date->year = year_of(year);
        pieces->next += 5;
    } else if (mark->word[0] == '-') {
        return false;
    } else {
        pieces->next += has_mark && mark->word[0] == '.' ? 4 : 3;
        if (mark->word[0] == '.')
            take_year(pieces, date);
    }
    order_date(first->number, second->number, mark->word[0], order, date);
    return true;
}

void date_take(struct pieces *pieces, enum phrase_order order, struct date *date)
{
    struct pieces from = *pieces;
    *date = (struct date){ 0 };
    date->is_found = take_year_first(pieces, date) || take_numbers(pieces, order, date);
    if (date->is_found)
        return;
    *pieces = from;
    date->is_found = take_named(pieces, date);
    if (!date->is_found)
        *pieces = from;
}
