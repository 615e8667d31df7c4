/* svc-chat/chatplatform-timestamp/moment.c - a day, a time and a zone in any order. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "phrase-parts.h"

enum { NOTES_MAX = 4, HALF_DAY_HOURS = 12, ZONE_TEXT_BYTES = 16 };

static const char *const weekdays[] = { "Sunday",   "Monday", "Tuesday", "Wednesday",
                                        "Thursday", "Friday", "Saturday" };

enum near { NEAR_FIRST, NEAR_NEXT, NEAR_LAST };

/* What was read, before it is one instant. */
struct moment {
    bool has_day;
    int64_t day_offset; /* from today */
    bool has_fixed_day; /* selected by a span */
    int64_t fixed_day;
    bool has_weekday;
    int weekday;
    enum near near;
    struct date date;
    bool has_time;
    bool is_midnight; /* the word, which may mean the coming one */
    bool is_tonight;
    int64_t second;
    bool has_zone;
    int32_t offset;
    const char *notes[NOTES_MAX];
    size_t note_count;
    const char *problem; /* NULL: none */
};

static void add_note(struct moment *moment, const char *note)
{
    if (moment->note_count < NOTES_MAX)
        moment->notes[moment->note_count++] = note;
}

static bool reject(struct moment *moment, const char *problem)
{
    moment->problem = problem;
    return false;
}

/* ---- the time ---- */

/* The hour of a 12-hour clock. */
static bool take_half_day(struct pieces *pieces, struct moment *moment, int64_t *hour)
{
    const struct piece *half = pieces_peek(pieces, 0);
    bool is_pm = piece_is_one_of(half, "pm p");
    if (!is_pm && !piece_is_one_of(half, "am a")) {
        if (moment->is_tonight && *hour >= 1 && *hour < HALF_DAY_HOURS)
            *hour += HALF_DAY_HOURS;
        return true;
    }
    pieces->next++;
    if (*hour < 1 || *hour > HALF_DAY_HOURS)
        return reject(moment, "timestamp has an hour with am or pm that is not 1 to 12");
    *hour = *hour % HALF_DAY_HOURS + (is_pm ? HALF_DAY_HOURS : 0);
    return true;
}

/* ":30"; a dot only before am and pm */
static bool take_sixtieth(struct pieces *pieces, int64_t *value)
{
    const struct piece *mark = pieces_peek(pieces, 0);
    const struct piece *number = pieces_peek(pieces, 1);
    bool has_dot = piece_is(mark, ".") && piece_is_one_of(pieces_peek(pieces, 2), "am pm");
    if ((!has_dot && !piece_is(mark, ":")) || number->kind != PIECE_NUMBER || number->digits != 2 ||
        number->number > 59)
        return false;
    *value = number->number;
    pieces->next += 2;
    return true;
}

static bool take_clock(struct pieces *pieces, struct moment *moment)
{
    const struct piece *first = pieces_peek(pieces, 0);
    int64_t hour = first->number;
    int64_t minute = 0;
    int64_t second = 0;

    if (moment->has_time || first->kind != PIECE_NUMBER || first->digits > 2 || hour > 23)
        return false;
    pieces->next++;
    bool has_minute = take_sixtieth(pieces, &minute);
    if (has_minute)
        take_sixtieth(pieces, &second);
    bool has_half = piece_is_one_of(pieces_peek(pieces, 0), "am pm a p");
    if (!has_minute && !has_half && !moment->is_tonight)
        return reject(moment,
                      "timestamp has an hour without am, pm or minutes: write 5pm or 17:00");
    if (!take_half_day(pieces, moment, &hour))
        return false;
    moment->has_time = true;
    moment->second = (hour * 60 + minute) * 60 + second;
    return true;
}

static bool take_time_word(struct pieces *pieces, struct moment *moment)
{
    bool is_noon = piece_is_one_of(pieces_peek(pieces, 0), "noon midday");
    if (moment->has_time || (!is_noon && !piece_is(pieces_peek(pieces, 0), "midnight")))
        return false;
    pieces->next++;
    moment->has_time = true;
    moment->is_midnight = !is_noon;
    moment->second = is_noon ? PHRASE_DAY_SECONDS / 2 : 0;
    return true;
}

/* ---- the day ---- */

static bool take_day_word(struct pieces *pieces, struct moment *moment)
{
    static const struct {
        const char *name;
        int64_t offset;
    } days[] = { { "yesterday", -1 }, { "today", 0 }, { "tonight", 0 }, { "tomorrow", 1 } };
    int64_t extra = 0;
    struct pieces from = *pieces;

    if (pieces_take(pieces, "day")) {
        bool is_after = pieces_take(pieces, "after");
        if (!is_after && !pieces_take(pieces, "before")) {
            *pieces = from;
            return false;
        }
        extra = is_after ? 1 : -1;
    }
    for (size_t i = 0; i < countof(days); i++) {
        if (!piece_is(pieces_peek(pieces, 0), days[i].name) || days[i].offset * extra < 0)
            continue;
        moment->has_day = true;
        moment->day_offset = days[i].offset + extra;
        moment->is_tonight = piece_is(pieces_peek(pieces, 0), "tonight");
        pieces->next++;
        return true;
    }
    *pieces = from;
    return false;
}

static int weekday_of(const struct piece *piece)
{
    static const char *const names[] = {
        "sun sunday", "mon monday",  "tue tues tuesday", "wed wednesday", "thu thur thurs thursday",
        "fri friday", "sat saturday"
    };
    for (size_t i = 0; i < countof(names); i++)
        if (piece_is_one_of(piece, names[i]))
            return (int)i;
    return -1;
}

static bool take_weekday(struct pieces *pieces, struct moment *moment)
{
    size_t size = piece_is_one_of(pieces_peek(pieces, 0), "next last this coming") ? 1 : 0;
    int weekday = weekday_of(pieces_peek(pieces, size));
    if (moment->has_weekday || weekday < 0)
        return false;
    if (piece_is(pieces_peek(pieces, 0), "next"))
        moment->near = NEAR_NEXT;
    else if (piece_is(pieces_peek(pieces, 0), "last"))
        moment->near = NEAR_LAST;
    moment->has_weekday = true;
    moment->weekday = weekday;
    pieces->next += size + 1;
    return true;
}

static bool take_date(struct pieces *pieces, enum phrase_order order, struct moment *moment)
{
    struct pieces from = *pieces;
    struct date date;
    if (moment->date.is_found)
        return false;
    date_take(pieces, order, &date);
    if (!date.is_found) {
        *pieces = from;
        return false;
    }
    moment->date = date;
    if (date.note)
        add_note(moment, date.note);
    if (date.is_ambiguous)
        return reject(moment, "timestamp has a date that is valid as day/month and as month/day: "
                              "set locale to en-GB or en-US, or write YYYY-MM-DD");
    return true;
}

/* ---- the zone ---- */

/* "+2", "-05:00", "+0530", behind UTC or a time. */
static bool take_offset(struct pieces *pieces, int32_t *offset)
{
    bool is_west = piece_is(pieces_peek(pieces, 0), "-");
    const struct piece *number = pieces_peek(pieces, 1);
    int64_t minutes = 0;

    if ((!is_west && !piece_is(pieces_peek(pieces, 0), "+")) || number->kind != PIECE_NUMBER ||
        (number->digits != 4 && number->digits > 2) || number->number > 2359 ||
        (number->digits <= 2 && number->number > 23))
        return false;
    int64_t hours = number->digits == 4 ? number->number / 100 : number->number;
    minutes = number->digits == 4 ? number->number % 100 : 0;
    pieces->next += 2;
    if (number->digits <= 2)
        take_sixtieth(pieces, &minutes);
    *offset = (int32_t)((hours * 60 + minutes) * (is_west ? -60 : 60));
    return true;
}

/* Names of zones that mean one offset: RFC 5322, 4.3, and those of central and eastern Europe. */
static const struct {
    const char *names;
    int hours;
} zones[] = {
    { "utc gmt ut z", 0 }, { "est", -5 }, { "edt", -4 }, { "cst", -6 }, { "cdt", -5 },
    { "mst", -7 },         { "mdt", -6 }, { "pst", -8 }, { "pdt", -7 }, { "cet", 1 },
    { "cest", 2 },         { "eet", 2 },  { "eest", 3 },
};

static bool take_zone(struct pieces *pieces, struct moment *moment)
{
    if (moment->has_zone)
        return false;
    moment->has_zone = moment->has_time && take_offset(pieces, &moment->offset);
    for (size_t i = 0; !moment->has_zone && i < countof(zones); i++) {
        if (!piece_is_one_of(pieces_peek(pieces, 0), zones[i].names))
            continue;
        moment->has_zone = true;
        moment->offset = zones[i].hours * 3600;
        pieces->next++;
        if (zones[i].hours == 0)
            take_offset(pieces, &moment->offset);
    }
    return moment->has_zone;
}

/* ---- all parts ---- */

/* The year behind the time: "Thu Dec 24 18:00:00 UTC 2026". */
static bool take_late_year(struct pieces *pieces, struct moment *moment)
{
    const struct piece *year = pieces_peek(pieces, 0);
    if (!moment->date.is_found || moment->date.has_year || !moment->has_time ||
        year->kind != PIECE_NUMBER || year->digits != 4 ||
        pieces_peek(pieces, 1)->kind != PIECE_END)
        return false;
    moment->date.has_year = true;
    moment->date.year = year->number;
    pieces->next++;
    return true;
}

static bool skip_filler(struct pieces *pieces)
{
    const struct piece *piece = pieces_peek(pieces, 0);
    if (!piece_is_one_of(piece, "at on the uhr") && !piece_is(piece, ",") && !piece_is(piece, "@"))
        return false;
    pieces->next++;
    return true;
}

static bool take_parts(struct pieces *pieces, enum phrase_order order, struct moment *moment)
{
    while (pieces_peek(pieces, 0)->kind != PIECE_END) {
        if (skip_filler(pieces) || take_time_word(pieces, moment) || take_zone(pieces, moment))
            continue;
        if ((!moment->has_day && take_day_word(pieces, moment)) || take_weekday(pieces, moment) ||
            take_date(pieces, order, moment) || take_late_year(pieces, moment))
            continue;
        if (moment->problem || !take_clock(pieces, moment))
            return false;
    }
    size_t days =
        moment->has_day + moment->has_fixed_day + (moment->date.is_found || moment->has_weekday);
    return days <= 1 && (days == 1 || moment->has_time);
}

/* ---- which day it is ---- */

static bool resolve_date(struct moment *moment, int64_t today, int64_t *day)
{
    const struct date *date = &moment->date;
    if (date->has_year)
        return date_days(date->year, date->month, date->day, day);
    time_t now = today * PHRASE_DAY_SECONDS;
    struct tm tm;
    gmtime_r(&now, &tm);
    add_note(moment, "no year: the next such date");
    for (int years = 0; years <= 8; years++) /* 29 February may be eight years away */
        if (date_days(tm.tm_year + INT64_C(1900) + years, date->month, date->day, day) &&
            *day >= today)
            return true;
    return false;
}

static int64_t resolve_weekday(struct moment *moment, int64_t today, int64_t now_of_day)
{
    int64_t ahead = ((moment->weekday - (today + 4)) % 7 + 7) % 7; /* 1970 began on a Thursday */
    if (moment->near == NEAR_LAST) {
        add_note(moment, "last: before today");
        return today - 7 + ahead;
    }
    if (moment->near == NEAR_NEXT) {
        add_note(moment, "next: the first one after today");
        return today + (ahead == 0 ? 7 : ahead);
    }
    add_note(moment, "weekday: the first one that is not past");
    return today + (ahead == 0 && moment->second < now_of_day ? 7 : ahead);
}

static bool resolve_day(struct moment *moment, int64_t local_now, int64_t *day)
{
    int64_t now_of_day = (local_now % PHRASE_DAY_SECONDS + PHRASE_DAY_SECONDS) % PHRASE_DAY_SECONDS;
    int64_t today = (local_now - now_of_day) / PHRASE_DAY_SECONDS;

    if (moment->is_tonight && !moment->has_time)
        return reject(moment, "timestamp says tonight without a time: write tonight 20:00");
    *day = today + moment->day_offset;
    if (moment->has_fixed_day) {
        *day = moment->fixed_day;
    } else if (moment->date.is_found) {
        if (!resolve_date(moment, today, day))
            return reject(moment, "timestamp must have a day that exists");
        if (moment->has_weekday && ((*day + 4) % 7 + 7) % 7 != moment->weekday)
            return reject(moment, "timestamp has a weekday that its date does not have");
    } else if (moment->has_weekday) {
        *day = resolve_weekday(moment, today, now_of_day);
    } else if (!moment->has_day && moment->is_midnight) {
        add_note(moment, "midnight: the next one");
        *day = today + 1;
    } else if (!moment->has_day) {
        add_note(moment, "no day: today");
    }
    if (moment->is_midnight && (moment->has_day || moment->date.is_found || moment->has_weekday))
        add_note(moment, "midnight: the start of that day");
    return true;
}

static void describe(const struct moment *moment, int64_t local_s, const char *zone,
                     struct buf *reading)
{
    char offset[LOCAL_OFFSET_BYTES];
    time_t local = local_s;
    struct tm tm;
    gmtime_r(&local, &tm);
    buf_format(reading, "%s %04d-%02d-%02d %02d:%02d", weekdays[tm.tm_wday], tm.tm_year + 1900,
               tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min);
    if (tm.tm_sec)
        buf_format(reading, ":%02d", tm.tm_sec);
    if (moment->has_zone)
        local_format_offset(offset, moment->offset);
    buf_format(reading, " in %s%s", moment->has_zone ? "UTC" : zone,
               moment->has_zone ? offset : "");
    for (size_t i = 0; i < moment->note_count; i++)
        buf_format(reading, "; %s", moment->notes[i]);
}

enum phrase_fit moment_read(struct pieces *pieces, const int64_t *day,
                            const struct phrase_context *context, struct instant *instant,
                            struct buf *reading, struct err *err)
{
    struct moment moment = { .has_fixed_day = day != NULL, .fixed_day = day ? *day : 0 };
    int64_t on_day = 0;

    bool ok = take_parts(pieces, context->order, &moment);
    if (ok) {
        int64_t now = instant_seconds(context->now_ms);
        ok = resolve_day(
            &moment, moment.has_zone ? now + moment.offset : phrase_local(context, now), &on_day);
    }
    if (!ok && !moment.problem)
        return PHRASE_UNKNOWN;
    if (!ok) {
        err_set(err, ERR_INVALID_TIMESTAMP, "%s", moment.problem);
        return PHRASE_REJECTED;
    }
    int64_t local_s = on_day * PHRASE_DAY_SECONDS + moment.second;
    if (moment.has_zone)
        *instant = (struct instant){ .unix_ms = (local_s - moment.offset) * 1000 };
    else
        instant_local(local_s, 0, context->zone, instant);
    describe(&moment, local_s, context->zone_name, reading);
    return PHRASE_READ;
}
