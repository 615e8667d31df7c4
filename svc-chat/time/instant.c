/* svc-chat/time/instant.c - parses points in time. */
#include "instant.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/num.h"
#include "platform/snowflake.h"
#include "svc/args.h"
#include "text/json.h"

enum {
    ID_DIGITS_MIN = SNOWFLAKE_REAL_DIGITS,
    TAG_DIGITS_MAX = 13,
    GROUP_DIGITS_MAX = 12,
    DAY_SECONDS = 86400
};

#define SECONDS_END INT64_C(100000000000)        /* 10^11: from here numbers are milliseconds */
#define MS_END      INT64_C(100000000000000)     /* 10^14: from here they are ids */
#define OLDEST_MS   INT64_C(-62167219200000)     /* 0000-01-01T00:00:00.000Z */
#define NEWEST_MS   INT64_C(253402300799999)     /* 9999-12-31T23:59:59.999Z */
#define BEYOND_MS   INT64_C(1000000000000000000) /* out of range, and additions cannot overflow */

/* The context for reading a text. */
struct context {
    const struct zone *zone;
    int64_t now_ms;
};

int64_t instant_seconds(int64_t unix_ms)
{
    return unix_ms / 1000 - (unix_ms % 1000 < 0);
}

bool instant_in_range(int64_t unix_ms)
{
    return unix_ms >= OLDEST_MS && unix_ms <= NEWEST_MS;
}

/* ---- pieces; each function moves *at past what it read ---- */

static bool take_char(const char **at, const char *set)
{
    if (**at == '\0' || !strchr(set, **at))
        return false;
    (*at)++;
    return true;
}

/* From min to max digits. */
static bool take_digits(const char **at, size_t min, size_t max, int64_t *value)
{
    size_t size = strspn(*at, "0123456789");
    if (size < min || size > max || !num_parse((struct text){ *at, size }, INT64_MAX, value))
        return false;
    *at += size;
    return true;
}

static bool take_two(const char **at, int64_t *value)
{
    if (!isdigit((unsigned char)(*at)[0]) || !isdigit((unsigned char)(*at)[1]))
        return false;
    *value = ((*at)[0] - '0') * 10 + (*at)[1] - '0';
    *at += 2;
    return true;
}

/* ".123456": the first three digits are milliseconds, the rest is dropped. */
static bool take_fraction(const char **at, int64_t *ms, bool *has_rest)
{
    int64_t unit = 100;
    *ms = 0;
    *has_rest = false;
    if (!take_char(at, "."))
        return true;
    if (!isdigit((unsigned char)**at))
        return false;
    for (; isdigit((unsigned char)**at); (*at)++, unit /= 10) {
        *ms += (**at - '0') * unit;
        *has_rest |= unit == 0 && **at != '0';
    }
    return true;
}

/* ---- forms; each function parses the whole text or returns false ---- */

static bool read_now(const char *text, const struct context *context, struct instant *instant)
{
    instant->unix_ms = context->now_ms;
    return strcmp(text, "now") == 0;
}

/* Digits, a sign and a fraction, in exact arithmetic. */
static bool read_number(const char *text, const struct context *context, struct instant *instant)
{
    (void)context;
    int64_t whole, ms;
    bool has_rest;
    bool is_negative = take_char(&text, "-");

    if (!take_digits(&text, 1, 14, &whole) || whole >= MS_END)
        return false;
    if (!take_fraction(&text, &ms, &has_rest) || *text != '\0')
        return false;
    if (whole < SECONDS_END)
        whole = whole * 1000 + ms;
    else
        has_rest |= ms > 0; /* a fraction of a millisecond */
    instant->unix_ms = is_negative ? -whole - has_rest : whole;
    return true;
}

static bool read_id(const char *text, const struct context *context, struct instant *instant)
{
    (void)context;
    uint64_t id;
    if (strlen(text) < ID_DIGITS_MIN || !snowflake_parse(text_of(text), &id))
        return false;
    instant->unix_ms = snowflake_unix_ms(id);
    return true;
}

static bool read_tag(const char *text, const struct context *context, struct instant *instant)
{
    (void)context;
    int64_t seconds;
    if (strncmp(text, "<t:", 3) != 0)
        return false;
    text += 3;
    bool is_negative = take_char(&text, "-");
    if (!take_digits(&text, 1, TAG_DIGITS_MAX, &seconds))
        return false;
    if (take_char(&text, ":")) {
        instant->style = *text;
        if (!take_char(&text, INSTANT_STYLES))
            return false;
    }
    instant->unix_ms = (is_negative ? -seconds : seconds) * 1000;
    return strcmp(text, ">") == 0;
}

static bool read_relative(const char *text, const struct context *context, struct instant *instant)
{
    static const struct unit {
        const char *letter;
        int64_t ms;
    } units[] = {
        { "w", 604800000 }, { "d", 86400000 }, { "h", 3600000 }, { "m", 60000 }, { "s", 1000 },
    };
    int64_t sum = 0;
    size_t unit = 0;
    bool is_past = *text == '-';

    take_char(&text, "+-"); /* without a sign it is in the future */
    if (*text == '\0')
        return false;
    while (*text) {
        int64_t count;
        if (!take_digits(&text, 1, GROUP_DIGITS_MAX, &count))
            return false;
        while (unit < countof(units) && !take_char(&text, units[unit].letter))
            unit++;
        if (unit == countof(units))
            return false;
        sum = MIN(sum + MIN(count, BEYOND_MS / units[unit].ms) * units[unit].ms, BEYOND_MS);
        unit++;
    }
    instant->unix_ms = context->now_ms + (is_past ? -sum : sum);
    return true;
}

static bool take_date(const char **at, int64_t *seconds)
{
    int64_t year, month, day;
    if (!take_digits(at, 4, 4, &year) || !take_char(at, "-") || !take_digits(at, 2, 2, &month) ||
        !take_char(at, "-") || !take_digits(at, 2, 2, &day))
        return false;
    struct tm tm = { .tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day };
    *seconds = timegm(&tm); /* timegm() makes 1 March of 29 February 2021 */
    return tm.tm_mon == month - 1 && tm.tm_mday == day;
}

/* "16:20", "16:20:30.5"; a leap second becomes the start of the next minute. */
static bool take_time(const char **at, int64_t *seconds, int64_t *ms)
{
    int64_t hour, minute;
    int64_t second = 0;
    bool has_rest;

    *ms = 0;
    if (!take_digits(at, 2, 2, &hour) || !take_char(at, ":") || !take_digits(at, 2, 2, &minute))
        return false;
    if (take_char(at, ":") &&
        (!take_digits(at, 2, 2, &second) || !take_fraction(at, ms, &has_rest)))
        return false;
    *seconds = (hour * 60 + minute) * 60 + second;
    return hour <= 23 && minute <= 59 && second <= 60;
}

/* "Z", "-05:00", "-0500" or "-05". */
static bool take_offset(const char **at, int64_t *offset)
{
    int64_t hours, minutes;
    bool is_west = **at == '-';

    *offset = 0;
    if (take_char(at, "Zz"))
        return true;
    if (!take_char(at, "+-") || !take_two(at, &hours))
        return false;
    bool has_colon = take_char(at, ":"); /* ISO 8601 requires neither the colon nor minutes */
    if (!take_two(at, &minutes)) {
        if (has_colon)
            return false;
        minutes = 0;
    }
    if (hours > 23 || minutes > 59)
        return false;
    *offset = (hours * 60 + minutes) * (is_west ? -60 : 60);
    return true;
}

void instant_local(int64_t local_s, int64_t ms, const struct zone *zone, struct instant *instant)
{
    struct local_reading reading = local_read(zone, local_s);
    *instant = (struct instant){ .unix_ms = reading.unix_s * 1000 + ms,
                                 .fold = reading.fold,
                                 .offset = reading.offset,
                                 .other_offset = reading.other_offset };
}

static bool read_date(const char *text, const struct context *context, struct instant *instant)
{
    int64_t day, offset;
    int64_t second = 0;
    int64_t ms = 0;

    if (!take_date(&text, &day) || (take_char(&text, "Tt ") && !take_time(&text, &second, &ms)))
        return false;
    if (*text == '\0') {
        instant_local(day + second, ms, context->zone, instant);
        return true;
    }
    instant->unix_ms = (day + second) * 1000 + ms;
    if (!take_offset(&text, &offset) || *text != '\0')
        return false;
    instant->unix_ms -= offset * 1000;
    return true;
}

/*
 * "Tue, 20 Apr 2021 21:20:30 +0000"; weekday and seconds are optional (RFC 5322, 3.3, and "GMT" or
 * "UT" of its section 4.3).
 */
static bool read_mail_date(const char *text, const struct context *context, struct instant *instant)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    static const char days[] = "SunMonTueWedThuFriSat";
    int64_t day, year, second, ms, offset;
    (void)context;

    for (size_t i = 0; i < 7; i++)
        if (strncasecmp(text, days + 3 * i, 3) == 0 && text[3] == ',')
            text += 4 + strspn(text + 4, " ");
    if (!take_digits(&text, 1, 2, &day) || !take_char(&text, " -"))
        return false;
    size_t month = 0;
    while (month < 12 && strncasecmp(text, months + 3 * month, 3) != 0)
        month++;
    if (month == 12)
        return false;
    text += 3;
    if (!take_char(&text, " -") || !take_digits(&text, 4, 4, &year) || !take_char(&text, " ") ||
        !take_time(&text, &second, &ms) || !take_char(&text, " "))
        return false;
    struct tm tm = { .tm_year = (int)year - 1900, .tm_mon = (int)month, .tm_mday = (int)day };
    int64_t midnight = timegm(&tm);
    bool is_utc =
        strcasecmp(text, "GMT") == 0 || strcasecmp(text, "UTC") == 0 || strcasecmp(text, "UT") == 0;
    offset = 0;
    if (tm.tm_mday != day || (!is_utc && (!take_offset(&text, &offset) || *text != '\0')))
        return false;
    instant->unix_ms = (midnight + second - offset) * 1000 + ms;
    return true;
}

/* "today", "tomorrow 18:00", "yesterday at 9:30": days in the time zone. */
static bool read_day(const char *text, const struct context *context, struct instant *instant)
{
    static const struct day {
        const char *name;
        int days;
    } names[] = { { "yesterday", -1 }, { "today", 0 }, { "tomorrow", 1 } };
    int64_t second = 0;
    int64_t ms = 0;

    for (size_t i = 0; i < countof(names); i++) {
        size_t size = strlen(names[i].name);
        if (strncasecmp(text, names[i].name, size) != 0)
            continue;
        text += size;
        if (*text == ' ') {
            text += strspn(text, " ");
            text += strncasecmp(text, "at ", 3) == 0 ? 3 : 0;
            if (!take_time(&text, &second, &ms))
                return false;
        }
        if (*text != '\0')
            return false;
        int64_t now = instant_seconds(context->now_ms);
        int64_t local = now + local_offset(context->zone, now);
        int64_t midnight = local - ((local % DAY_SECONDS + DAY_SECONDS) % DAY_SECONDS);
        instant_local(midnight + names[i].days * DAY_SECONDS + second, ms, context->zone, instant);
        return true;
    }
    return false;
}

/* ---- all forms ---- */

static bool read_text(const char *text, const struct context *context, struct instant *instant)
{
    static bool (*const forms[])(const char *, const struct context *, struct instant *) = {
        read_now,      read_number, read_id,        read_tag,
        read_relative, read_date,   read_mail_date, read_day,
    };
    for (size_t i = 0; i < countof(forms); i++) {
        *instant = (struct instant){ 0 };
        if (forms[i](text, context, instant))
            return true;
    }
    return false;
}

/* A JSON number. The addend keeps 1618953630.123, which a double cannot hold exactly, at .123. */
static bool read_double(double number, const char *field, struct instant *instant, struct err *err)
{
    uint64_t id;
    *instant = (struct instant){ 0 };
    if (fabs(number) < (double)MS_END) {
        bool is_seconds = fabs(number) < (double)SECONDS_END;
        instant->unix_ms = (int64_t)floor(is_seconds ? number * 1000 + 0.0005 : number);
        return true;
    }
    /* an id as a number: doubles hold fewer digits than ids have */
    cJSON node = { .type = cJSON_Number, .valuedouble = number };
    struct err why = { 0 };
    if (!snowflake_read(&node, field, &id, &why) && why.kind == ERR_PRECISION_LOSS)
        return err_set(err, why.kind, "%s", why.message);
    return err_set(err, ERR_INVALID_TIMESTAMP,
                   "%s must be below 10^14 as a number: seconds, or milliseconds from 10^11",
                   field);
}

bool instant_read(const cJSON *value, const char *field, const struct zone *zone, int64_t now_ms,
                  struct instant *instant, struct err *err)
{
    const struct context context = { zone, now_ms };
    const char *text = json_text(value, "");
    struct instant read;

    if (json_is(value, cJSON_Number)) {
        if (!read_double(value->valuedouble, field, &read, err))
            return false;
    } else if (!text || !read_text(text, &context, &read)) {
        return err_set(
            err, ERR_INVALID_TIMESTAMP,
            "%s must be now, Unix seconds or milliseconds, an id, an RFC 3339 time, a date, <t:…>, "
            "an RFC 2822 time, an offset such as +1d12h or 2h, or tomorrow 18:00",
            field);
    }
    if (!instant_in_range(read.unix_ms))
        return err_set(err, ERR_TIMESTAMP_OUT_OF_RANGE, "%s must be in the years 0000 to 9999",
                       field);
    *instant = read;
    return true;
}

bool instant_now(const struct job *job, int64_t *now_ms, struct err *err)
{
    struct instant instant;
    *now_ms = job->now_ms;
    if (!arg_has(job, "now"))
        return true;
    if (!instant_read(arg_any(job, "now"), "now", NULL, job->now_ms, &instant, err))
        return false;
    *now_ms = instant.unix_ms;
    return true;
}

/* ---- relative text ---- */

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

/*
 * One step of the scale: below `end`, the text is `words` or a rounded count of units. Months have
 * 30.4375 days, years 365.25.
 */
static const struct step {
    int64_t end;
    const char *words; /* NULL: count */
    int64_t unit;
    const char *units;
} steps[] = {
    { 45 * SECOND, "a few seconds", 0, NULL },
    { 90 * SECOND, "a minute", 0, NULL },
    { 45 * MINUTE, NULL, MINUTE, "minutes" },
    { 90 * MINUTE, "an hour", 0, NULL },
    { 22 * HOUR, NULL, HOUR, "hours" },
    { 36 * HOUR, "a day", 0, NULL },
    { 26 * DAY, NULL, DAY, "days" },
    { 45 * DAY + 15 * HOUR + 45 * MINUTE, "a month", 0, NULL }, /* 1.5 months: no "1 months" */
    { 320 * DAY, NULL, 2629800 * SECOND, "months" },
    { 548 * DAY, "a year", 0, NULL },
    { INT64_MAX, NULL, 31557600 * SECOND, "years" },
};

void instant_relative(char out[static INSTANT_RELATIVE_BYTES], int64_t unix_ms, int64_t now_ms)
{
    char words[INSTANT_RELATIVE_BYTES - sizeof("in  ago")];
    int64_t distance = unix_ms > now_ms ? unix_ms - now_ms : now_ms - unix_ms;
    const struct step *step = steps;

    while (distance >= step->end)
        step++;
    if (step->words)
        snprintf(words, sizeof(words), "%s", step->words);
    else
        snprintf(words, sizeof(words), "%d %s",
                 (int)((2 * distance + step->unit) / (2 * step->unit)), step->units);
    snprintf(out, INSTANT_RELATIVE_BYTES, unix_ms > now_ms ? "in %s" : "%s ago", words);
}
