/*
 * svc-utils/cron-explain/expression/eventbridge.c - the schedule expressions of Amazon EventBridge,
 * by its user guides ("Schedule types in EventBridge Scheduler" and "Rate expressions reference",
 * read on 2026-11-27).
 */
#include "eventbridge.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "text/time/datetime.h"

enum { AWS_FIELDS = 6, AWS_DAY = 2, AWS_WEEKDAY = 4, AWS_YEAR_MAX = 2199 };

/* Strip name( and ) and the blanks inside. False if the text has another form. */
static bool take_call(struct text *text, const char *name)
{
    size_t length = strlen(name);
    if (!text_begins_any_case(*text, name) || text->bytes[text->size - 1] != ')')
        return false;
    *text = cron_trim((struct text){ text->bytes + length, text->size - length - 1 });
    return true;
}

/* ---- rate() ---- */

static bool reject_rate(const struct cron_parser *parser)
{
    return err_set(parser->err, ERR_INVALID_EXPRESSION,
                   "expression: rate() requires a whole number of minutes, hours or days, at most "
                   "366 days, such as rate(5 minutes)");
}

static bool parse_rate(struct cron_parser *parser, struct text text)
{
    static const struct unit {
        const char *one, *many;
        int seconds;
    } units[] = { { "minute", "minutes", 60 },
                  { "hour", "hours", 3600 },
                  { "day", "days", 86400 } };
    struct text number = cron_take_word(&text);
    int64_t count;
    if (!num_parse(number, CRON_EVERY_MAX_S / 60, &count) || count < 1)
        return reject_rate(parser);
    for (size_t i = 0; i < countof(units); i++) {
        const char *right = count == 1 ? units[i].one : units[i].many;
        if (text_is_any_case(text, count == 1 ? units[i].many : units[i].one))
            return err_set(parser->err, ERR_INVALID_EXPRESSION,
                           "expression: EventBridge requires the singular after 1 and the plural "
                           "after larger numbers: rate(%d %s)",
                           (int)count, right);
        if (text_is_any_case(text, right))
            parser->cron->every_s = count * units[i].seconds;
    }
    if (parser->cron->every_s == 0 || parser->cron->every_s > CRON_EVERY_MAX_S)
        return reject_rate(parser);
    parser->cron->kind = CRON_EVERY;
    parser->cron->format = "macro";
    return true;
}

/* ---- at() ---- */

/* at(2026-11-20T13:00:00): one run, which fields express. */
static bool parse_at(struct cron_parser *parser, struct text text)
{
    struct datetime time;
    struct cron *cron = parser->cron;
    struct text words[CRON_FIELDS];
    if (text.size != strlen("yyyy-mm-ddThh:mm:ss") || text.bytes[10] != 'T' ||
        !datetime_parse(text, &time))
        return err_set(parser->err, ERR_INVALID_EXPRESSION,
                       "expression: at() requires a valid date and time without an offset, such as "
                       "at(2026-11-20T13:00:00); give the zone in timezone");
    if (time.local_ms < 0)
        return err_set(parser->err, ERR_INVALID_EXPRESSION,
                       "expression: the year of at() must be from %d to %d", CRON_YEAR_MIN,
                       CRON_YEAR_MAX);
    int64_t seconds = time.local_ms / 1000;
    int in_day = (int)(seconds % DAY_SECONDS);
    struct date date = date_of_days(seconds / DAY_SECONDS);
    scoped(buf_free) struct buf fields = BUF(CRON_AT_BYTES - 1);
    buf_format(&fields, "%d %d %d %d %d ? %d", in_day % 60, in_day / 60 % 60, in_day / 3600,
               date.day, date.month, date.year);
    memcpy(cron->expanded, buf_str(&fields), fields.size);
    struct text rest = { cron->expanded, fields.size };
    cron_split(&rest, words);
    bool ok = cron_parse_layout(parser, words, true, true);
    cron->format = "macro";
    return ok;
}

/* ---- cron() ---- */

/* Append cron(...) with other day fields. */
static void write_call(const struct text *words, const char *day, const char *weekday,
                       struct buf *out)
{
    buf_add_str(out, "cron(");
    for (size_t i = 0; i < AWS_FIELDS; i++) {
        struct text word = i == AWS_DAY && day           ? text_of(day)
                           : i == AWS_WEEKDAY && weekday ? text_of(weekday)
                                                         : words[i];
        buf_format(out, "%s%.*s", i > 0 ? " " : "", (int)word.size, word.bytes);
    }
    buf_add_byte(out, ')');
}

/* Exactly one of the day fields must be ?. */
static bool check_days(const struct cron_parser *parser, const struct text *words)
{
    bool has_day = !text_is(words[AWS_DAY], "?");
    bool has_weekday = !text_is(words[AWS_WEEKDAY], "?");
    bool is_any_day = !has_day || text_is(words[AWS_DAY], "*");
    bool is_any_weekday = !has_weekday || text_is(words[AWS_WEEKDAY], "*");
    scoped(buf_free) struct buf lines = BUF(2 * CRON_BYTES_MAX);
    if (has_day != has_weekday)
        return true;
    if (!is_any_day || is_any_weekday)
        write_call(words, has_day ? NULL : "*", "?", &lines);
    if (!is_any_day && !is_any_weekday)
        buf_add_str(&lines, " or ");
    if (!is_any_weekday)
        write_call(words, "?", NULL, &lines);
    return err_set(parser->err, ERR_INVALID_EXPRESSION,
                   "expression: in EventBridge's cron(), exactly one of day_of_month (field 3) and "
                   "day_of_week (field 5, 1 = Sunday) must be ?: write %s",
                   buf_str(&lines));
}

static bool check_years(struct cron_parser *parser)
{
    const struct cron_part *years = &parser->cron->part[CRON_YEAR];
    for (size_t i = 0; i < years->count; i++)
        if (years->item[i].from > AWS_YEAR_MAX ||
            (years->item[i].to > AWS_YEAR_MAX && years->item[i].to < CRON_YEAR_MAX))
            return err_set(parser->err, ERR_INVALID_EXPRESSION,
                           "expression, year field: EventBridge allows %d to %d", CRON_YEAR_MIN,
                           AWS_YEAR_MAX);
    return true;
}

/* Six fixed fields; the second is 0, and weekdays count from Sunday = 1. */
static bool parse_cron(struct cron_parser *parser, struct text text)
{
    struct text words[CRON_FIELDS];
    size_t count = cron_split(&text, words);
    if (count != AWS_FIELDS || text.size > 0)
        return err_set(parser->err, ERR_INVALID_EXPRESSION,
                       "expression: EventBridge's cron() has six fields, minute hour day_of_month "
                       "month day_of_week year, one of the day fields being ?, such as "
                       "cron(0 10 ? * MON-FRI *); it has %s%zu",
                       text.size > 0 ? "more than " : "", count);
    parser->numbering = parser->cron->numbering = CRON_SUNDAY_1;
    return cron_parse_layout(parser, words, false, true) && check_days(parser, words) &&
           check_years(parser);
}

bool cron_parse_call(struct cron_parser *parser, struct text text, bool *is_call)
{
    static const struct call {
        const char *name;
        bool (*parse)(struct cron_parser *parser, struct text text);
    } calls[] = { { "cron(", parse_cron }, { "rate(", parse_rate }, { "at(", parse_at } };
    for (size_t i = 0; i < countof(calls); i++)
        if (take_call(&text, calls[i].name)) {
            *is_call = parser->cron->is_call = true;
            return calls[i].parse(parser, text);
        }
    *is_call = false;
    return true;
}
