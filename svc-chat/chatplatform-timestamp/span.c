/* svc-chat/chatplatform-timestamp/span.c - "in 2 hours", "5 minutes ago": distances from now. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "phrase-parts.h"

#define SECOND_MS INT64_C(1000)
#define YEAR_END  INT64_C(10000)
#define DAY_MS    (PHRASE_DAY_SECONDS * SECOND_MS)

static const struct unit {
    const char *names;
    const char *name; /* of one */
    int64_t ms;       /* 0: months */
    int64_t months;
} units[] = {
    { "s sec secs second seconds", "second", SECOND_MS, 0 },
    { "m min mins minute minutes", "minute", 60 * SECOND_MS, 0 },
    { "h hr hrs hour hours", "hour", 3600 * SECOND_MS, 0 },
    { "d day days", "day", DAY_MS, 0 },
    { "w wk wks week weeks", "week", 7 * DAY_MS, 0 },
    { "fortnight fortnights", "fortnight", 14 * DAY_MS, 0 },
    { "mo mos month months", "month", 0, 1 },
    { "y yr yrs year years", "year", 0, 12 },
};

static const struct {
    const char *names;
    int64_t count;
} counts[] = {
    { "a an one", 1 }, { "two", 2 },     { "three", 3 },    { "four", 4 },    { "five", 5 },
    { "six", 6 },      { "seven", 7 },   { "eight", 8 },    { "nine", 9 },    { "ten", 10 },
    { "eleven", 11 },  { "twelve", 12 }, { "fifteen", 15 }, { "twenty", 20 }, { "thirty", 30 },
    { "forty", 40 },   { "ninety", 90 },
};

static const struct unit *find_unit(const struct piece *piece)
{
    for (size_t i = 0; i < countof(units); i++)
        if (piece_is_one_of(piece, units[i].names))
            return &units[i];
    return NULL;
}

/* "30", "1.5", "an", "half an", in tenths of a unit. */
static bool take_tenths(struct pieces *pieces, int64_t *tenths)
{
    const struct piece *piece = pieces_peek(pieces, 0);
    if (pieces_take(pieces, "half")) {
        *tenths = 5;
        return pieces_take(pieces, "a") || pieces_take(pieces, "an");
    }
    if (piece->kind == PIECE_NUMBER) {
        const struct piece *fraction = pieces_peek(pieces, 2);
        *tenths = piece->number * 10;
        pieces->next++;
        if (!piece_is(pieces_peek(pieces, 0), ".") || fraction->digits != 1)
            return true;
        *tenths += fraction->number;
        pieces->next += 2;
        return true;
    }
    for (size_t i = 0; i < countof(counts); i++)
        if (piece_is_one_of(piece, counts[i].names)) {
            *tenths = counts[i].count * 10;
            pieces->next++;
            return true;
        }
    return false;
}

/* "an hour and a half" */
static int64_t take_half(struct pieces *pieces)
{
    if (!piece_is(pieces_peek(pieces, 0), "and") || !piece_is(pieces_peek(pieces, 1), "a") ||
        !piece_is(pieces_peek(pieces, 2), "half"))
        return 0;
    pieces->next += 3;
    return 5;
}

static void add_words(struct span *span, int64_t tenths, const struct unit *unit)
{
    size_t size = strlen(span->words);
    char fraction[] = { '.', (char)('0' + tenths % 10), '\0' };
    snprintf(span->words + size, sizeof(span->words) - size, "%s%" PRId64 "%s %s%s",
             size ? ", " : "", tenths / 10, tenths % 10 ? fraction : "", unit->name,
             tenths == 10 ? "" : "s");
}

/* One count and its unit; a smaller unit than the one before. */
static bool take_group(struct pieces *pieces, const struct unit **last, struct span *span)
{
    struct pieces from = *pieces;
    int64_t tenths;

    if (!take_tenths(pieces, &tenths)) {
        *pieces = from;
        return false;
    }
    const struct unit *unit = find_unit(pieces_peek(pieces, 0));
    if (!unit || (*last && unit >= *last)) {
        *pieces = from;
        return false;
    }
    pieces->next++;
    tenths += take_half(pieces);
    if (unit->months && tenths * unit->months % 10 != 0) { /* half a month has no length */
        *pieces = from;
        return false;
    }
    span->ms += tenths * (unit->ms / 10);
    span->months += tenths * unit->months / 10;
    span->has_days_only &= unit->ms >= DAY_MS || unit->months > 0;
    add_words(span, tenths, unit);
    *last = unit;
    return true;
}

static bool take_groups(struct pieces *pieces, struct span *span)
{
    const struct unit *last = NULL;
    if (!take_group(pieces, &last, span))
        return false;
    for (;;) {
        struct pieces from = *pieces;
        pieces_take(pieces, ",");
        pieces_take(pieces, "and");
        if (!take_group(pieces, &last, span)) {
            *pieces = from;
            return true;
        }
    }
}

/* "next week", "last month": one unit of days or more. */
static bool take_neighbor(struct pieces *pieces, struct span *span)
{
    bool is_next = piece_is(pieces_peek(pieces, 0), "next");
    const struct unit *unit = find_unit(pieces_peek(pieces, 1));
    if ((!is_next && !piece_is(pieces_peek(pieces, 0), "last")) || !unit ||
        pieces_peek(pieces, 1)->word[1] == '\0' || (unit->ms < 7 * DAY_MS && !unit->months))
        return false;
    pieces->next += 2;
    span->ms = unit->ms;
    span->months = unit->months;
    span->is_past = !is_next;
    add_words(span, 10, unit);
    return true;
}

/* "ago", "from now", "later"; false if it contradicts `in` or a sign. */
static bool take_direction(struct pieces *pieces, bool has_direction, struct span *span)
{
    if (pieces_take(pieces, "ago")) {
        span->is_past = true;
        return !has_direction;
    }
    if (piece_is(pieces_peek(pieces, 0), "from") &&
        piece_is_one_of(pieces_peek(pieces, 1), "now today")) {
        pieces->next += 2;
        return !has_direction;
    }
    if (pieces_take(pieces, "later"))
        return !has_direction;
    return true;
}

bool span_take(struct pieces *pieces, struct span *span)
{
    struct pieces from = *pieces;
    *span = (struct span){ .has_days_only = true };

    if (take_neighbor(pieces, span))
        return true;
    bool is_past = pieces_take(pieces, "-");
    bool has_direction = is_past || pieces_take(pieces, "+") || pieces_take(pieces, "in");
    if (take_groups(pieces, span) && take_direction(pieces, has_direction, span)) {
        span->is_past |= is_past;
        return true;
    }
    *pieces = from;
    return false;
}

int64_t phrase_local(const struct phrase_context *context, int64_t unix_s)
{
    return unix_s + local_offset(context->zone, unix_s);
}

/* The same time of day, `months` later; the last day of a month that is too short. */
static int64_t add_months(int64_t local_s, int64_t months)
{
    time_t local = local_s;
    struct tm tm;
    int64_t days;
    gmtime_r(&local, &tm);
    int64_t month = (tm.tm_year + INT64_C(1900)) * 12 + tm.tm_mon + months;
    int64_t day = tm.tm_mday;
    month = MAX(MIN(month, YEAR_END * 12), -12); /* the caller rejects other years */
    while (!date_days(month / 12, (month % 12 + 12) % 12 + 1, day, &days))
        day--;
    int64_t second = ((local_s % PHRASE_DAY_SECONDS) + PHRASE_DAY_SECONDS) % PHRASE_DAY_SECONDS;
    return days * PHRASE_DAY_SECONDS + second;
}

void span_resolve(const struct span *span, const struct phrase_context *context,
                  struct instant *instant)
{
    int64_t sign = span->is_past ? -1 : 1;
    int64_t ms = context->now_ms - instant_seconds(context->now_ms) * 1000;

    *instant = (struct instant){ .unix_ms = context->now_ms };
    if (span->months > 0) {
        int64_t local = phrase_local(context, instant_seconds(context->now_ms));
        instant_local(add_months(local, sign * span->months), ms, context->zone, instant);
    }
    instant->unix_ms += sign * span->ms;
}
