/*
 * svc-utils/cron-explain/parse.c - the grammar. One pass, no backtracking. Everything unknown is
 * rejected: a guessed schedule would run at the wrong time.
 */
#include "parse.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/table.h"

static const char *const months[] = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December",
};

static const char *const weekdays[] = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
};

static const struct field {
    const char *name;
    int min;
    int max;
    const char *const *names; /* NULL: numbers only */
} fields[CRON_FIELDS] = {
    [CRON_SECOND] = { "second", 0, 59, NULL },
    [CRON_MINUTE] = { "minute", 0, 59, NULL },
    [CRON_HOUR] = { "hour", 0, 23, NULL },
    [CRON_DAY] = { "day_of_month", 1, 31, NULL },
    [CRON_MONTH] = { "month", 1, 12, months },
    [CRON_WEEKDAY] = { "day_of_week", 0, 6, weekdays },
    [CRON_YEAR] = { "year", CRON_YEAR_MIN, CRON_YEAR_MAX, NULL },
};

static const struct macro {
    const char *name;
    const char *stands_for;
} macros[] = {
    { "@yearly", "0 0 1 1 *" },         { "@annually", "0 0 1 1 *" },
    { "@monthly", "0 0 1 * *" },        { "@weekly", "0 0 * * 0" },
    { "@daily", "0 0 * * *" },          { "@midnight", "0 0 * * *" },
    { "@hourly", "0 * * * *" },         { "@every_minute", "* * * * *" },
    { "@every_second", "* * * * * *" },
};

/* The position in one field. */
struct parser {
    struct cron *cron;
    struct text whole; /* the expression; character numbers count from its start */
    enum cron_field field;
    struct text rest; /* of the field */
    bool is_sunday_1;
    struct err *err;
};

int cron_min(enum cron_field field)
{
    return fields[field].min;
}

int cron_max(enum cron_field field)
{
    return fields[field].max;
}

const char *cron_field_name(enum cron_field field)
{
    return fields[field].name;
}

const char *cron_value_name(enum cron_field field, int value)
{
    return fields[field].names[value - fields[field].min];
}

static bool reject_field(const struct parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool reject_field(const struct parser *parser, const char *format, ...)
{
    char why[160];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    return err_set(parser->err, ERR_INVALID_EXPRESSION, "expression, %s field, character %d: %s",
                   fields[parser->field].name, (int)(parser->rest.bytes - parser->whole.bytes) + 1,
                   why);
}

static bool is_next(const struct parser *parser, char upper)
{
    return parser->rest.size > 0 && toupper((unsigned char)*parser->rest.bytes) == upper;
}

static void skip_bytes(struct parser *parser, size_t bytes)
{
    parser->rest.bytes += bytes;
    parser->rest.size -= bytes;
}

static bool take_next(struct parser *parser, char upper)
{
    if (!is_next(parser, upper))
        return false;
    skip_bytes(parser, 1);
    return true;
}

/* ---- values ---- */

static size_t count_digits(struct text text)
{
    size_t digits = 0;
    while (digits < text.size && isdigit((unsigned char)text.bytes[digits]))
        digits++;
    return digits;
}

/* Digits within min..max; `what` names the number in the message. */
static bool take_number(struct parser *parser, const char *what, int min, int max, int *value)
{
    size_t digits = count_digits(parser->rest);
    int64_t number;
    if (digits == 0 && parser->rest.size == 0)
        return reject_field(parser, "%s is missing", what);
    if (digits == 0)
        return reject_field(parser, "%s is expected", what);
    if (!num_parse((struct text){ parser->rest.bytes, digits }, max, &number) || number < min)
        return reject_field(parser, "%s must be from %d to %d", what, min, max);
    skip_bytes(parser, digits);
    *value = (int)number;
    return true;
}

static bool begins_with(struct text text, const char *name, size_t length)
{
    return text.size >= length && strncasecmp(text.bytes, name, length) == 0;
}

/* A full name or its first three letters. A weekday may be followed by L. */
static bool take_name(struct parser *parser, int *value)
{
    const struct field *field = &fields[parser->field];
    for (int i = 0; field->names && i <= field->max - field->min; i++) {
        size_t length = strlen(field->names[i]);
        if (!begins_with(parser->rest, field->names[i], length))
            length = 3;
        if (!begins_with(parser->rest, field->names[i], length))
            continue;
        skip_bytes(parser, length);
        *value = field->min + i;
        return true;
    }
    return reject_field(parser, "unknown name");
}

/* A value; Sunday is 0 here, and the end of a range may be 7. */
static bool take_value(struct parser *parser, int *value)
{
    const struct field *field = &fields[parser->field];
    bool is_weekday = parser->field == CRON_WEEKDAY;
    if (parser->rest.size > 0 && isalpha((unsigned char)*parser->rest.bytes))
        return take_name(parser, value);
    if (!is_weekday || !parser->is_sunday_1)
        return take_number(parser, "a value", field->min, is_weekday ? 7 : field->max, value);
    if (!take_number(parser, "a weekday counted from Sunday = 1", 1, 7, value))
        return false;
    (*value)--;
    return true;
}

static int sunday_as_0(enum cron_field field, int value)
{
    return field == CRON_WEEKDAY && value == 7 ? 0 : value;
}

/* a or a-b */
static bool take_range(struct parser *parser, struct cron_item *item)
{
    item->kind = CRON_VALUE;
    if (!take_value(parser, &item->from))
        return false;
    item->to = item->from;
    if (take_next(parser, '-')) {
        item->kind = CRON_RANGE;
        if (parser->field == CRON_DAY && take_next(parser, 'L'))
            item->to = CRON_TO_LAST_DAY;
        else if (!take_value(parser, &item->to))
            return false;
        if (parser->field == CRON_YEAR && item->to < item->from)
            return reject_field(parser, "the last year is before the first");
        if (parser->field == CRON_WEEKDAY && item->from == 0 && item->to == 7)
            item->to = 6; /* Sunday to Sunday is the whole week */
    }
    item->from = sunday_as_0(parser->field, item->from);
    item->to = sunday_as_0(parser->field, item->to);
    return true;
}

/* ---- items ---- */

/* L, L-3, LW, L-3W */
static bool take_last_day(struct parser *parser, struct cron_item *item)
{
    item->kind = CRON_LAST_DAY;
    if (take_next(parser, '-') && !take_number(parser, "days before the last", 0, 30, &item->nth))
        return false;
    if (take_next(parser, 'W'))
        item->kind = CRON_LAST_WORKDAY;
    return true;
}

/* WL means LW, and W15 means 15W */
static bool take_workday(struct parser *parser, struct cron_item *item)
{
    item->kind = CRON_LAST_WORKDAY;
    if (take_next(parser, 'L'))
        return true;
    item->kind = CRON_NEAR_DAY;
    return take_number(parser, "the day after W", 1, 31, &item->from);
}

/* L, L5, LFRI */
static bool take_last_weekday(struct parser *parser, struct cron_item *item)
{
    if (parser->rest.size == 0 || is_next(parser, ',')) {
        *item = (struct cron_item){ .kind = CRON_VALUE, .from = 6, .to = 6, .step = 1 };
        return true;
    }
    if (!take_range(parser, item))
        return false;
    item->kind = CRON_LAST_WEEKDAY;
    return true;
}

/* Suffixes of weekdays: #2, #L, L */
static bool take_nth(struct parser *parser, struct cron_item *item)
{
    bool is_counted = take_next(parser, '#');
    if (take_next(parser, 'L')) {
        item->kind = CRON_LAST_WEEKDAY;
        return true;
    }
    if (!is_counted)
        return true;
    item->kind = CRON_NTH_WEEKDAY;
    return take_number(parser, "the number after #", 1, 5, &item->nth);
}

static bool take_step(struct parser *parser, struct cron_item *item)
{
    const struct field *field = &fields[parser->field];
    if (!take_next(parser, '/'))
        return true;
    if (item->kind > CRON_RANGE)
        return reject_field(parser, "a step requires *, a value or a range before it");
    if (!take_number(parser, "the step", 1, field->max - field->min + 1, &item->step))
        return false;
    if (item->kind == CRON_VALUE) {
        item->kind = CRON_FROM;
        item->to = field->max;
    }
    return true;
}

/* Replace a step by its canonical form. */
static void normalize_item(enum cron_field field, struct cron_item *item)
{
    bool is_clock_or_day = field <= CRON_DAY;
    if (item->kind != CRON_FROM)
        return;
    if (item->from == fields[field].min && field != CRON_WEEKDAY)
        item->kind = CRON_ALL;
    else if (!is_clock_or_day || item->step == 1)
        item->kind = CRON_RANGE;
}

static bool take_base(struct parser *parser, struct cron_item *item)
{
    if (take_next(parser, '*')) {
        item->kind = CRON_ALL;
        return true;
    }
    if (parser->field == CRON_DAY && take_next(parser, 'L'))
        return take_last_day(parser, item);
    if (parser->field == CRON_DAY && take_next(parser, 'W'))
        return take_workday(parser, item);
    if (parser->field == CRON_WEEKDAY && take_next(parser, 'L'))
        return take_last_weekday(parser, item);
    if (!take_range(parser, item))
        return false;
    if (parser->field == CRON_WEEKDAY)
        return take_nth(parser, item);
    if (parser->field == CRON_DAY && is_next(parser, 'W')) {
        if (item->kind != CRON_VALUE)
            return reject_field(parser, "W requires a single day before it");
        skip_bytes(parser, 1);
        item->kind = CRON_NEAR_DAY;
    }
    return true;
}

static bool take_item(struct parser *parser)
{
    struct cron *cron = parser->cron;
    struct cron_item item = { .step = 1 };
    if (parser->rest.size == 0 || is_next(parser, ','))
        return reject_field(parser, "an item of the list is missing");
    if (!take_base(parser, &item) || !take_step(parser, &item))
        return false;
    if (parser->rest.size > 0 && !is_next(parser, ','))
        return reject_field(parser, "unexpected text");
    normalize_item(parser->field, &item);
    cron->items[cron->item_count++] =
        item; /* an item has at least two bytes, so items[] is large enough */
    cron->part[parser->field].count++;
    return true;
}

/* ---- sets ---- */

static void add_value(struct cron_part *part, enum cron_field field, int value)
{
    int index = value - fields[field].min;
    part->set.word[index / 64] |= UINT64_C(1) << index % 64;
}

static void add_item(struct cron_part *part, enum cron_field field, const struct cron_item *item)
{
    const struct field *limits = &fields[field];
    int count = limits->max - limits->min + 1;
    int from = item->kind == CRON_ALL ? limits->min : item->from;
    int to = item->kind == CRON_ALL ? limits->max : MIN(item->to, limits->max);
    if (item->kind > CRON_FROM)
        return;
    int span = to - from + (to < from ? count : 0);
    for (int i = 0; i <= span; i += item->step)
        add_value(part, field, limits->min + (from - limits->min + i) % count);
}

/* ---- fields ---- */

static bool parse_field(struct parser *parser, enum cron_field field, struct text raw)
{
    struct cron_part *part = &parser->cron->part[field];
    parser->field = field;
    parser->rest = raw;
    part->raw = raw;
    part->item = &parser->cron->items[parser->cron->item_count];
    if (field == CRON_WEEKDAY && take_next(parser, '+'))
        parser->cron->is_and = true;
    if (text_is(parser->rest, "?"))
        parser->rest = TEXT("*");
    do {
        if (!take_item(parser))
            return false;
    } while (take_next(parser, ','));
    for (size_t i = 0; i < part->count; i++)
        add_item(part, field, &part->item[i]);
    return true;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static struct text trim_blanks(struct text text)
{
    while (text.size > 0 && is_blank(text.bytes[0]))
        text = (struct text){ text.bytes + 1, text.size - 1 };
    while (text.size > 0 && is_blank(text.bytes[text.size - 1]))
        text.size--;
    return text;
}

static size_t word_bytes(struct text text)
{
    size_t size = 0;
    while (size < text.size && !is_blank(text.bytes[size]))
        size++;
    return size;
}

/* Take the first word and the blanks after it. */
static struct text take_word(struct text *text)
{
    struct text word = { text->bytes, word_bytes(*text) };
    *text = trim_blanks((struct text){ text->bytes + word.size, text->size - word.size });
    return word;
}

static bool has_four_digits(struct text word)
{
    for (; word.size >= 4; word.bytes++, word.size--)
        if (count_digits(word) >= 4)
            return true;
    return false;
}

/* With six fields, either the first is seconds or the last is the year. */
static bool ends_in_year(const struct text words[static CRON_FIELDS])
{
    return has_four_digits(words[5]) || text_is(words[2], "?") || text_is(words[4], "?");
}

static bool parse_fields(struct parser *parser, struct text text)
{
    static const char *const formats[2][2] = { { "standard", "year" },
                                               { "seconds", "seconds_year" } };
    struct text words[CRON_FIELDS];
    size_t count = 0;
    for (; text.size > 0 && count < CRON_FIELDS; count++)
        words[count] = take_word(&text);
    if (count < 5 || text.size > 0)
        return err_set(parser->err, ERR_INVALID_EXPRESSION,
                       "expression must have 5 to 7 fields ([second] minute hour day month weekday "
                       "[year]) or be a macro such as @daily; it has %s%zu",
                       text.size > 0 ? "more than " : "", count);

    bool has_year = count == 7 || (count == 6 && ends_in_year(words));
    bool has_second = count == 7 || (count == 6 && !has_year);
    parser->cron->format = formats[has_second][has_year];
    const struct text *word = words;
    for (enum cron_field field = CRON_SECOND; field < CRON_FIELDS; field++) {
        bool is_given = field == CRON_SECOND ? has_second : field == CRON_YEAR ? has_year : true;
        struct text absent = field == CRON_SECOND ? TEXT("0") : TEXT("*");
        if (!parse_field(parser, field, is_given ? *word++ : absent))
            return false;
        if (!is_given)
            parser->cron->part[field].raw = TEXT("");
    }
    return true;
}

/* ---- macros and the prefix ---- */

static bool reject_every(const struct parser *parser)
{
    return err_set(
        parser->err, ERR_INVALID_EXPRESSION,
        "expression: @every requires a time such as 90s, 30m, 1h30m or 1d, from 1s to %dh",
        CRON_EVERY_MAX_S / 3600);
}

/* 1d12h30m: days, hours, minutes and seconds in this order, each at most once. */
static bool parse_every(struct parser *parser, struct text time)
{
    static const struct unit {
        char letter;
        int seconds;
    } units[] = { { 'D', 86400 }, { 'H', 3600 }, { 'M', 60 }, { 'S', 1 } };
    int64_t sum_s = 0;

    for (size_t i = 0; i < countof(units) && time.size > 0; i++) {
        size_t digits = count_digits(time);
        int64_t number;
        if (digits == time.size || toupper((unsigned char)time.bytes[digits]) != units[i].letter)
            continue;
        if (!num_parse((struct text){ time.bytes, digits }, CRON_EVERY_MAX_S, &number))
            return reject_every(parser);
        sum_s += number * units[i].seconds;
        time = (struct text){ time.bytes + digits + 1, time.size - digits - 1 };
    }
    if (time.size > 0 || sum_s < 1 || sum_s > CRON_EVERY_MAX_S)
        return reject_every(parser);
    parser->cron->kind = CRON_EVERY;
    parser->cron->every_s = sum_s;
    return true;
}

static bool parse_macro(struct parser *parser, struct text text)
{
    struct text name = take_word(&text);
    bool ok = false;
    if (name.size == strlen("@every") && begins_with(name, "@every", name.size)) {
        ok = parse_every(parser, text);
    } else if (text.size > 0) {
        ok = err_set(parser->err, ERR_INVALID_EXPRESSION, "expression: nothing may follow a macro");
    } else if (name.size == strlen("@reboot") && begins_with(name, "@reboot", name.size)) {
        parser->cron->kind = CRON_REBOOT;
        ok = true;
    } else {
        const struct macro *macro = macros;
        while (macro < macros + countof(macros) &&
               !(name.size == strlen(macro->name) && begins_with(name, macro->name, name.size)))
            macro++;
        ok = macro < macros + countof(macros)
                 ? parse_fields(parser, text_of(macro->stands_for))
                 : err_set(parser->err, ERR_INVALID_EXPRESSION,
                           "expression: unknown macro; use @yearly, @monthly, @weekly, @daily, "
                           "@hourly, @every_minute, @every_second, @every <time> or @reboot");
    }
    parser->cron->format = "macro";
    return ok;
}

static bool take_zone(struct parser *parser, struct text *text)
{
    static const char *const prefixes[] = { "TZ=", "CRON_TZ=" };
    for (size_t i = 0; i < countof(prefixes); i++) {
        size_t length = strlen(prefixes[i]);
        if (text->size < length || memcmp(text->bytes, prefixes[i], length) != 0)
            continue;
        struct text word = take_word(text);
        word = (struct text){ word.bytes + length, word.size - length };
        if (word.size == 0 || word.size > ZONE_NAME_MAX)
            return err_set(parser->err, ERR_INVALID_TIMEZONE,
                           "the time zone of %s must have 1 to %d characters", prefixes[i],
                           ZONE_NAME_MAX);
        memcpy(parser->cron->zone, word.bytes, word.size);
        return true;
    }
    return true;
}

/* ---- EventBridge ---- */

static bool reject_rate(const struct parser *parser)
{
    return err_set(parser->err, ERR_INVALID_EXPRESSION,
                   "expression: rate() requires a whole number of minutes, hours or days, at most "
                   "366 days, such as rate(5 minutes)");
}

static bool parse_rate(struct parser *parser, struct text text)
{
    static const struct unit {
        const char *name;
        int seconds;
    } units[] = { { "minute", 60 },  { "minutes", 60 }, { "hour", 3600 },
                  { "hours", 3600 }, { "day", 86400 },  { "days", 86400 } };
    struct text number = take_word(&text);
    int64_t count;
    if (!num_parse(number, CRON_EVERY_MAX_S / 60, &count) || count < 1)
        return reject_rate(parser);
    for (size_t i = 0; i < countof(units); i++)
        if (text.size == strlen(units[i].name) && begins_with(text, units[i].name, text.size))
            parser->cron->every_s = count * units[i].seconds;
    if (parser->cron->every_s == 0 || parser->cron->every_s > CRON_EVERY_MAX_S)
        return reject_rate(parser);
    parser->cron->kind = CRON_EVERY;
    parser->cron->format = "macro";
    return true;
}

/* Strip name( and ) and the blanks inside. False if the text has another form. */
static bool take_call(struct text *text, const char *name)
{
    size_t length = strlen(name);
    if (!begins_with(*text, name, length) || text->bytes[text->size - 1] != ')')
        return false;
    *text = trim_blanks((struct text){ text->bytes + length, text->size - length - 1 });
    return true;
}

static bool parse_schedule(struct parser *parser, struct text text)
{
    if (take_call(&text, "rate("))
        return parse_rate(parser, text);
    if (take_call(&text, "cron("))
        parser->is_sunday_1 = true;
    else if (text.size > 0 && *text.bytes == '@')
        return parse_macro(parser, text);
    parser->cron->is_sunday_1 = parser->is_sunday_1;
    return parse_fields(parser, text);
}

bool cron_parse(struct text expression, bool is_sunday_1, struct cron *cron, struct err *err)
{
    struct parser parser = {
        .cron = cron, .whole = expression, .is_sunday_1 = is_sunday_1, .err = err
    };
    *cron = (struct cron){ 0 };
    struct text text = trim_blanks(expression);
    if (text.size > CRON_BYTES_MAX)
        return err_set(err, ERR_INVALID_EXPRESSION, "expression must have at most %d bytes",
                       CRON_BYTES_MAX);
    if (!take_zone(&parser, &text))
        return false;
    return parse_schedule(&parser, text);
}
