/*
 * svc-utils/cron-explain/expression/parse.c - from an expression to its fields: how many there are
 * and which, macros, and the time zone before them. fields.c has the grammar of one field.
 */
#include "parse.h"

#include <ctype.h>
#include <string.h>

#include "base/num.h"
#include "eventbridge.h"
#include "fields.h"

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

static size_t count_digits(struct text text)
{
    size_t digits = 0;
    while (digits < text.size && isdigit((unsigned char)text.bytes[digits]))
        digits++;
    return digits;
}

static bool has_four_digits(struct text word)
{
    for (; word.size >= 4; word.bytes++, word.size--)
        if (count_digits(word) >= 4)
            return true;
    return false;
}

/*
 * With six fields, either the first is seconds or the last is the year. Four digits, a ? and names
 * decide: they fit only one of the two.
 */
static bool ends_in_year(const struct text words[static CRON_FIELDS])
{
    return has_four_digits(words[5]) || text_is(words[2], "?") || text_is(words[4], "?") ||
           cron_has_name(words[4], CRON_WEEKDAY) || cron_has_name(words[3], CRON_MONTH);
}

static bool parse_fields(struct cron_parser *parser, struct text text)
{
    struct text words[CRON_FIELDS];
    size_t count = cron_split(&text, words);
    if (count < 5 || text.size > 0)
        return err_set(parser->err, ERR_INVALID_EXPRESSION,
                       "expression must have 5 to 7 fields ([second] minute hour day month weekday "
                       "[year]) or be a macro such as @daily; it has %s%zu",
                       text.size > 0 ? "more than " : "", count);

    bool has_year = count == 7 || (count == 6 && ends_in_year(words));
    return cron_parse_layout(parser, words, count == 7 || (count == 6 && !has_year), has_year);
}

/* ---- macros and the prefix ---- */

static bool reject_every(const struct cron_parser *parser)
{
    return err_set(
        parser->err, ERR_INVALID_EXPRESSION,
        "expression: @every requires a time such as 90s, 30m, 1h30m or 1d, from 1s to %dh",
        CRON_EVERY_MAX_S / 3600);
}

/* 1d12h30m: days, hours, minutes and seconds in this order, each at most once. */
static bool parse_every(struct cron_parser *parser, struct text time)
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

static bool parse_macro(struct cron_parser *parser, struct text text)
{
    struct text name = cron_take_word(&text);
    bool ok = false;
    if (text_is_any_case(name, "@every")) {
        ok = parse_every(parser, text);
    } else if (text.size > 0) {
        ok = err_set(parser->err, ERR_INVALID_EXPRESSION, "expression: nothing may follow a macro");
    } else if (text_is_any_case(name, "@reboot")) {
        parser->cron->kind = CRON_REBOOT;
        ok = true;
    } else {
        const struct macro *macro = macros;
        while (macro < macros + countof(macros) && !text_is_any_case(name, macro->name))
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

static bool reject_zone(struct err *err)
{
    return err_set(err, ERR_INVALID_TIMEZONE,
                   "the time zone in expression must have 1 to %d characters", ZONE_NAME_MAX);
}

static bool take_zone(struct cron_parser *parser, struct text *text)
{
    static const char *const prefixes[] = { "TZ=", "CRON_TZ=" };
    for (size_t i = 0; i < countof(prefixes); i++) {
        size_t length = strlen(prefixes[i]);
        if (text->size < length || memcmp(text->bytes, prefixes[i], length) != 0)
            continue;
        struct text word = cron_take_word(text);
        word = (struct text){ word.bytes + length, word.size - length };
        if (word.size == 0 || word.size > ZONE_NAME_MAX)
            return reject_zone(parser->err);
        memcpy(parser->cron->zone, word.bytes, word.size);
        return true;
    }
    return true;
}

static bool parse_schedule(struct cron_parser *parser, struct text text)
{
    bool is_call;
    if (!cron_parse_call(parser, text, &is_call))
        return false;
    if (is_call)
        return true;
    parser->cron->numbering = parser->numbering;
    return text.size > 0 && *text.bytes == '@' ? parse_macro(parser, text)
                                               : parse_fields(parser, text);
}

bool cron_parse(struct text expression, enum cron_numbering numbering, struct cron *cron,
                struct err *err)
{
    struct cron_parser parser = {
        .cron = cron, .whole = expression, .numbering = numbering, .err = err
    };
    *cron = (struct cron){ 0 };
    struct text text = cron_trim(expression);
    if (text.size > CRON_BYTES_MAX)
        return err_set(err, ERR_TOO_LONG, "expression must have at most %d bytes", CRON_BYTES_MAX);
    return take_zone(&parser, &text) && parse_schedule(&parser, text);
}
