/*
 * svc-utils/cron-explain/expression/fields.c - the grammar of one field. One pass, no backtracking.
 * Everything unknown is rejected: a guessed schedule would run at the wrong time.
 */
#include "fields.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

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

static bool reject_field(const struct cron_parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool reject_field(const struct cron_parser *parser, const char *format, ...)
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

static bool is_next(const struct cron_parser *parser, char upper)
{
    return parser->rest.size > 0 && toupper((unsigned char)*parser->rest.bytes) == upper;
}

static void skip_bytes(struct cron_parser *parser, size_t bytes)
{
    parser->rest.bytes += bytes;
    parser->rest.size -= bytes;
}

/* Note how the current item is written. */
static void note_form(struct cron_parser *parser, unsigned form)
{
    parser->cron->forms[parser->cron->item_count] |= form;
}

static bool take_next(struct cron_parser *parser, char upper)
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
static bool take_number(struct cron_parser *parser, const char *what, int min, int max, int *value)
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
static bool take_name(struct cron_parser *parser, int *value)
{
    const struct field *field = &fields[parser->field];
    for (int i = 0; field->names && i <= field->max - field->min; i++) {
        size_t length = strlen(field->names[i]);
        bool is_full = length > 3 && text_begins_any_case(parser->rest, field->names[i]);
        if (!is_full)
            length = 3;
        if (!begins_with(parser->rest, field->names[i], length))
            continue;
        note_form(parser, is_full ? CRON_FORM_FULL_NAME : CRON_FORM_NAME);
        skip_bytes(parser, length);
        *value = field->min + i;
        return true;
    }
    return reject_field(parser, "unknown name");
}

/* A year; before a step any number, which starts the count: 1/2 is every odd year. */
static bool take_year(struct cron_parser *parser, int *value)
{
    size_t digits = count_digits(parser->rest);
    bool is_start = digits < parser->rest.size && parser->rest.bytes[digits] == '/';
    return take_number(parser, "a value", is_start ? 0 : CRON_YEAR_MIN, CRON_YEAR_MAX, value);
}

static bool take_weekday(struct cron_parser *parser, int *value)
{
    switch (parser->numbering) {
    case CRON_SUNDAY_1:
        if (!take_number(parser, "a weekday counted from Sunday = 1", 1, 7, value))
            return false;
        (*value)--;
        return true;
    case CRON_MONDAY_0:
        if (!take_number(parser, "a weekday counted from Monday = 0", 0, 6, value))
            return false;
        (*value)++;
        return true;
    case CRON_SUNDAY_0:
        break;
    }
    if (!take_number(parser, "a value", 0, 7, value))
        return false;
    if (*value == 7)
        note_form(parser, CRON_FORM_SEVEN);
    return true;
}

/* A value; Sunday is 0 here, and the end of a range may be 7. */
static bool take_value(struct cron_parser *parser, int *value)
{
    const struct field *field = &fields[parser->field];
    if (parser->rest.size > 0 && isalpha((unsigned char)*parser->rest.bytes)) {
        if (is_next(parser, 'H') && parser->field != CRON_YEAR)
            return reject_field(parser, "H is Jenkins's: a number it derives from the job's name; "
                                        "replace it by a number");
        return take_name(parser, value);
    }
    if (parser->field == CRON_WEEKDAY)
        return take_weekday(parser, value);
    if (parser->field == CRON_YEAR && parser->rest.size > 0)
        return take_year(parser, value);
    return take_number(parser, "a value", field->min, field->max, value);
}

static int sunday_as_0(enum cron_field field, int value)
{
    return field == CRON_WEEKDAY && value == 7 ? 0 : value;
}

/* a or a-b */
static bool take_range(struct cron_parser *parser, struct cron_item *item)
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
        if (parser->field == CRON_WEEKDAY && item->from == 7 && item->to < 7)
            note_form(parser, CRON_FORM_WRAP);
    }
    item->from = sunday_as_0(parser->field, item->from);
    item->to = sunday_as_0(parser->field, item->to);
    return true;
}

/* ---- items ---- */

/* L, L-3, LW, L-3W */
static bool take_last_day(struct cron_parser *parser, struct cron_item *item)
{
    item->kind = CRON_LAST_DAY;
    if (take_next(parser, '-') && !take_number(parser, "days before the last", 0, 30, &item->nth))
        return false;
    if (take_next(parser, 'W'))
        item->kind = CRON_LAST_WORKDAY;
    return true;
}

/* WL means LW, and W15 means 15W */
static bool take_workday(struct cron_parser *parser, struct cron_item *item)
{
    note_form(parser, CRON_FORM_REVERSED);
    item->kind = CRON_LAST_WORKDAY;
    if (take_next(parser, 'L'))
        return true;
    item->kind = CRON_NEAR_DAY;
    return take_number(parser, "the day after W", 1, 31, &item->from);
}

/* L, L5, LFRI */
static bool take_last_weekday(struct cron_parser *parser, struct cron_item *item)
{
    if (parser->rest.size == 0 || is_next(parser, ',')) {
        *item = (struct cron_item){ .kind = CRON_VALUE, .from = 6, .to = 6, .step = 1 };
        note_form(parser, CRON_FORM_LAST_OF_WEEK);
        return true;
    }
    note_form(parser, CRON_FORM_REVERSED);
    if (!take_range(parser, item))
        return false;
    item->kind = CRON_LAST_WEEKDAY;
    return true;
}

/* Suffixes of weekdays: #2, #L, L */
static bool take_nth(struct cron_parser *parser, struct cron_item *item)
{
    bool is_counted = take_next(parser, '#');
    if (take_next(parser, 'L')) {
        item->kind = CRON_LAST_WEEKDAY;
        if (is_counted)
            note_form(parser, CRON_FORM_HASH_L);
        return true;
    }
    if (!is_counted)
        return true;
    item->kind = CRON_NTH_WEEKDAY;
    return take_number(parser, "the number after #", 1, 5, &item->nth);
}

/* The value at the end of the field. */
static int last_value(const struct cron_parser *parser)
{
    bool is_from_monday = parser->field == CRON_WEEKDAY && parser->numbering == CRON_MONDAY_0;
    return is_from_monday ? 0 : fields[parser->field].max;
}

static bool take_step(struct cron_parser *parser, struct cron_item *item)
{
    const struct field *field = &fields[parser->field];
    if (!take_next(parser, '/'))
        return true;
    if (item->kind > CRON_RANGE)
        return reject_field(parser, "a step requires *, a value or a range before it");
    if (!take_number(parser, "the step", 1, field->max - field->min + 1, &item->step))
        return false;
    if (item->kind == CRON_VALUE) {
        note_form(parser, CRON_FORM_OPEN_STEP);
        item->kind = CRON_FROM;
        item->to = last_value(parser);
    }
    return true;
}

/* Replace a step by its canonical form. */
static void normalize_item(enum cron_field field, struct cron_item *item)
{
    bool is_clock_or_day = field <= CRON_DAY;
    if (item->kind != CRON_FROM)
        return;
    if (item->from < fields[field].min)
        item->kind = item->step == 1 ? CRON_ALL : CRON_FROM;
    else if (item->from == fields[field].min && field != CRON_WEEKDAY)
        item->kind = CRON_ALL;
    else if (!is_clock_or_day || item->step == 1)
        item->kind = CRON_RANGE;
}

static bool take_base(struct cron_parser *parser, struct cron_item *item)
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

/* The position of a value in its field. */
static int place_of(const struct cron_parser *parser, int value)
{
    bool is_from_monday = parser->field == CRON_WEEKDAY && parser->numbering == CRON_MONDAY_0;
    return is_from_monday ? (value + 6) % 7 : value;
}

/* Note a range that crosses the end of its field; one that ends on Sunday has its own forms. */
static void note_wrap(struct cron_parser *parser, const struct cron_item *item)
{
    unsigned forms = parser->cron->forms[parser->cron->item_count];
    bool is_to_sunday = parser->field == CRON_WEEKDAY && item->to == 0;
    if (item->kind < CRON_RANGE || (forms & (CRON_FORM_OPEN_STEP | CRON_FORM_SEVEN)) ||
        place_of(parser, item->to) >= place_of(parser, item->from))
        return;
    note_form(parser, !is_to_sunday                                    ? CRON_FORM_WRAP
                      : isdigit((unsigned char)parser->rest.bytes[-1]) ? CRON_FORM_TO_ZERO
                                                                       : CRON_FORM_TO_SUNDAY);
}

static bool take_item(struct cron_parser *parser)
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
    note_wrap(parser, &item);
    if (parser->numbering == CRON_MONDAY_0 && parser->field == CRON_WEEKDAY &&
        item.kind == CRON_ALL && item.step > 1)
        item = (struct cron_item){ CRON_RANGE, 1, 0, item.step, 0 };
    cron->items[cron->item_count++] =
        item; /* an item has at least two bytes, so items[] is large enough */
    cron->part[parser->field].count++;
    return true;
}

/* ---- sets ---- */

/* Add a value; true if the set already has it. */
static bool add_value(struct cron_part *part, enum cron_field field, int value)
{
    int index = value - fields[field].min;
    uint64_t *word = &part->set.word[index / 64];
    bool is_repeated = *word >> index % 64 & 1;
    *word |= UINT64_C(1) << index % 64;
    return is_repeated;
}

/* Add the values of an item; true if the set already has one of them. */
static bool add_item(struct cron_part *part, enum cron_field field, const struct cron_item *item)
{
    const struct field *limits = &fields[field];
    int count = limits->max - limits->min + 1;
    int from = item->kind == CRON_ALL ? limits->min : item->from;
    int to = item->kind == CRON_ALL ? limits->max : MIN(item->to, limits->max);
    bool is_repeated = false;
    if (item->kind > CRON_FROM)
        return false;
    if (from < limits->min) /* a year before the first */
        from += (limits->min - from + item->step - 1) / item->step * item->step;
    int span = to - from + (to < from ? count : 0);
    for (int i = 0; i <= span; i += item->step)
        is_repeated |= add_value(part, field, limits->min + (from - limits->min + i) % count);
    return is_repeated;
}

void cron_fill_set(struct cron *cron, enum cron_field field)
{
    struct cron_part *part = &cron->part[field];
    part->set = (struct cron_set){ 0 };
    for (size_t i = 0; i < part->count; i++)
        if (add_item(part, field, &part->item[i]))
            cron->forms[part->item - cron->items + (ptrdiff_t)i] |= CRON_FORM_REPEATED;
}

/* ---- fields ---- */

bool cron_parse_field(struct cron_parser *parser, enum cron_field field, struct text raw)
{
    struct cron_part *part = &parser->cron->part[field];
    parser->field = field;
    parser->rest = raw;
    part->raw = raw;
    part->item = &parser->cron->items[parser->cron->item_count];
    if (field == CRON_WEEKDAY && take_next(parser, '+'))
        parser->cron->is_and = true;
    if (text_is(parser->rest, "?")) {
        note_form(parser, CRON_FORM_ANY);
        parser->rest = TEXT("*");
    }
    do {
        if (!take_item(parser))
            return false;
    } while (take_next(parser, ','));
    cron_fill_set(parser->cron, field);
    return true;
}

bool cron_parse_layout(struct cron_parser *parser, const struct text *word, bool has_second,
                       bool has_year)
{
    static const char *const formats[2][2] = { { "standard", "year" },
                                               { "seconds", "seconds_year" } };
    parser->cron->format = formats[has_second][has_year];
    for (enum cron_field field = CRON_SECOND; field < CRON_FIELDS; field++) {
        bool is_given = field == CRON_SECOND ? has_second : field == CRON_YEAR ? has_year : true;
        struct text absent = field == CRON_SECOND ? TEXT("0") : TEXT("*");
        if (!cron_parse_field(parser, field, is_given ? *word++ : absent))
            return false;
        if (!is_given)
            parser->cron->part[field].raw = TEXT("");
    }
    return true;
}

bool cron_has_name(struct text word, enum cron_field field)
{
    for (size_t at = 0; at < word.size; at++)
        for (int i = 0; i <= fields[field].max - fields[field].min; i++)
            if (begins_with(text_skip(word, at), fields[field].names[i], 3))
                return true;
    return false;
}

/* ---- words ---- */

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

struct text cron_trim(struct text text)
{
    return text_strip(text, " \t", " \t");
}

struct text cron_take_word(struct text *text)
{
    struct text word = { text->bytes, 0 };
    while (word.size < text->size && !is_blank(word.bytes[word.size]))
        word.size++;
    *text = cron_trim(text_skip(*text, word.size));
    return word;
}

size_t cron_split(struct text *text, struct text words[static CRON_FIELDS])
{
    size_t count = 0;
    for (; text->size > 0 && count < CRON_FIELDS; count++)
        words[count] = cron_take_word(text);
    return count;
}
