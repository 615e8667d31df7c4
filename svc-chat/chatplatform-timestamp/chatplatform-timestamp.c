/*
 * svc-chat/chatplatform-timestamp/chatplatform-timestamp.c - the tag for a point in time, with
 * previews.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/scoped.h"
#include "phrase.h"
#include "platform/snowflake.h"
#include "svc/args.h"
#include "text/json.h"
#include "time/instant.h"
#include "time/local-time.h"
#include "tools.h"

enum { DAY_SECONDS = 86400, TEXT_BYTES = 80 };

static const char *const weekdays[] = { "Sunday",   "Monday", "Tuesday", "Wednesday",
                                        "Thursday", "Friday", "Saturday" };
static const char *const months[] = { "January",   "February", "March",    "April",
                                      "May",       "June",     "July",     "August",
                                      "September", "October",  "November", "December" };

/* In the order of style.format. */
static const char *const locales[] = { "docs", "en-US", "en-GB" };

static const struct style {
    char letter;
    const char *name;
    const char *format[countof(locales)]; /* NULL: relative text */
} styles[] = {
#define STYLE(letter, name, docs, us, gb) { letter, name, { docs, us, gb } },
#include "timestamp-style.def"
#undef STYLE
};

/* A point in time, and how to show it. */
struct view {
    struct instant instant;
    const struct zone *zone;
    int64_t now_ms;
    size_t locale;                      /* index into locales */
    char reading[PHRASE_READING_BYTES]; /* of a phrase; "": none */
    const struct style *style;
    int32_t offset;  /* of the zone at that time */
    struct tm local; /* local time there */
};

/* ---- formatting ---- */

static void format_letter(struct buf *out, char letter, const struct tm *tm)
{
    switch (letter) {
    case 'H':
        buf_format(out, "%02d", tm->tm_hour);
        break;
    case 'M':
        buf_format(out, "%02d", tm->tm_min);
        break;
    case 'S':
        buf_format(out, "%02d", tm->tm_sec);
        break;
    case 'h':
        buf_format(out, "%d", (tm->tm_hour + 11) % 12 + 1);
        break;
    case 'p':
        buf_add_str(out, tm->tm_hour < 12 ? "AM" : "PM");
        break;
    case 'd':
        buf_format(out, "%02d", tm->tm_mday);
        break;
    case 'e':
        buf_format(out, "%d", tm->tm_mday);
        break;
    case 'm':
        buf_format(out, "%02d", tm->tm_mon + 1);
        break;
    case 'B':
        buf_add_str(out, months[tm->tm_mon]);
        break;
    case 'Y':
        buf_format(out, "%04d", tm->tm_year + 1900);
        break;
    case 'A':
        buf_add_str(out, weekdays[tm->tm_wday]);
        break;
    default:
        buf_add_byte(out, letter);
    }
}

/* By the letters of timestamp-style.def. */
static void format_time(struct buf *out, const char *format, const struct tm *tm)
{
    for (; *format; format++) {
        if (*format != '{') {
            format_letter(out, *format, tm);
            continue;
        }
        size_t size = strcspn(++format, "}");
        buf_add(out, format, size);
        format += size;
    }
}

static void add_preview(cJSON *out, const struct view *view, const struct style *style)
{
    scoped(buf_free) struct buf text = BUF(TEXT_BYTES);
    char relative[INSTANT_RELATIVE_BYTES];
    const char *format = style->format[view->locale];

    if (format) {
        format_time(&text, format, &view->local);
    } else {
        instant_relative(relative, view->instant.unix_ms, view->now_ms);
        buf_add_str(&text, relative);
    }
    json_str(out, "preview", buf_str(&text));
}

static void add_tag(cJSON *out, const char *name, const struct view *view, char letter)
{
    char tag[TEXT_BYTES];
    int64_t seconds = instant_seconds(view->instant.unix_ms);
    if (letter)
        snprintf(tag, sizeof(tag), "<t:%" PRId64 ":%c>", seconds, letter);
    else
        snprintf(tag, sizeof(tag), "<t:%" PRId64 ">", seconds);
    json_str(out, name, tag);
}

/* ISO 8601: a week belongs to the year of its Thursday. */
static void add_iso_week(cJSON *out, const struct view *view)
{
    char week[TEXT_BYTES];
    struct tm tm;
    int64_t local_s = instant_seconds(view->instant.unix_ms) + view->offset;
    time_t thursday = local_s + (3 - (view->local.tm_wday + 6) % 7) * DAY_SECONDS;
    gmtime_r(&thursday, &tm);
    snprintf(week, sizeof(week), "%04d-W%02d", tm.tm_year + 1900, tm.tm_yday / 7 + 1);
    json_str(out, "iso_week", week);
}

/* ---- the request ---- */

static const struct style *find_style(const char *letter)
{
    for (size_t i = 0; i < countof(styles); i++)
        if (letter[0] == styles[i].letter && letter[1] == '\0')
            return &styles[i];
    return NULL;
}

static bool read_style(const struct job *job, struct view *view, struct err *err)
{
    char of_tag[] = { view->instant.style ? view->instant.style : 'f', '\0' };
    view->style = find_style(arg_has(job, "style") ? arg_str(job, "style") : of_tag);
    if (view->style)
        return true;
    return err_set(err, ERR_INVALID_STYLE,
                   "style must be one of t, T, d, D, f, F, s, S, R (case-sensitive)");
}

static size_t locale_of(const char *name)
{
    size_t locale = 0;
    while (strcmp(locales[locale], name) != 0)
        locale++; /* the contract allows only these locales */
    return locale;
}

/* Read the local time, which must have a year of four digits. */
static bool read_clock(struct view *view, struct err *err)
{
    int64_t seconds = instant_seconds(view->instant.unix_ms);
    view->offset = local_offset(view->zone, seconds);
    time_t local_s = seconds + view->offset;
    gmtime_r(&local_s, &view->local);
    if (view->local.tm_year >= -1900 && view->local.tm_year <= 9999 - 1900)
        return true;
    return err_set(err, ERR_TIMESTAMP_OUT_OF_RANGE,
                   "timestamp must be in the years 0000 to 9999, also in its timezone");
}

static enum phrase_order order_of(const char *locale)
{
    if (strcmp(locale, "en-US") == 0)
        return ORDER_MONTH_DAY;
    return strcmp(locale, "en-GB") == 0 ? ORDER_DAY_MONTH : ORDER_UNKNOWN;
}

static bool is_worded(const char *text)
{
    return isalpha((unsigned char)*text) && strcmp(text, "now") != 0;
}

/*
 * An exact form wins over a phrase. A phrase in words that is also an exact form, "tomorrow 18:00",
 * gets a reading if both mean the same.
 */
static bool read_time(const struct job *job, struct view *view, struct err *err)
{
    const cJSON *value = arg_any(job, "timestamp");
    const char *text = json_text(value, "");
    const struct phrase_context context = { view->zone, arg_str(job, "timezone"), view->now_ms,
                                            order_of(arg_str(job, "locale")) };
    struct instant phrased;
    struct err phrase_err = { 0 };
    bool is_exact = instant_read(value, "timestamp", view->zone, view->now_ms, &view->instant, err);

    if (!text || (is_exact && !is_worded(text)) ||
        (!is_exact && err->kind != ERR_INVALID_TIMESTAMP))
        return is_exact;
    enum phrase_fit fit = phrase_read(text, &context, &phrased, view->reading, &phrase_err);
    if (is_exact) {
        if (fit == PHRASE_READ && phrased.unix_ms != view->instant.unix_ms)
            view->reading[0] = '\0';
        return true;
    }
    *err = (struct err){ 0 };
    if (fit == PHRASE_REJECTED)
        return err_set(err, phrase_err.kind, "%s", phrase_err.message);
    if (fit == PHRASE_UNKNOWN)
        return err_set(err, ERR_INVALID_TIMESTAMP,
                       "timestamp must be now, Unix seconds or milliseconds, an id, an RFC 3339 or "
                       "RFC 2822 time, a date, <t:…>, an offset such as +1d12h, or English such as "
                       "in 2 hours, tomorrow 18:00, next friday 5pm");
    view->instant = phrased;
    return true;
}

static bool read_view(const struct job *job, struct view *view, struct err *err)
{
    if (!instant_now(job, &view->now_ms, err) || !read_time(job, view, err))
        return false;
    view->locale = locale_of(arg_str(job, "locale"));
    return read_style(job, view, err) && read_clock(view, err);
}

/* ---- the result ---- */

static void add_local(cJSON *out, const struct view *view)
{
    const struct tm *tm = &view->local;
    char offset[LOCAL_OFFSET_BYTES];
    char local[TEXT_BYTES];

    local_format_offset(offset, view->offset);
    int ms = (int)(view->instant.unix_ms - instant_seconds(view->instant.unix_ms) * 1000);
    snprintf(local, sizeof(local), "%04d-%02d-%02dT%02d:%02d:%02d.%03d%s", tm->tm_year + 1900,
             tm->tm_mon + 1, tm->tm_mday, tm->tm_hour, tm->tm_min, tm->tm_sec, ms, offset);
    json_str(out, "local", local);
}

static void add_offset(cJSON *out, const char *name, int32_t offset)
{
    char text[LOCAL_OFFSET_BYTES];
    local_format_offset(text, offset);
    json_str(out, name, text);
}

static void add_relation(cJSON *out, const struct view *view)
{
    char relative[INSTANT_RELATIVE_BYTES];
    int64_t distance_ms = view->instant.unix_ms - view->now_ms;

    instant_relative(relative, view->instant.unix_ms, view->now_ms);
    json_str(out, "relative", relative);
    json_int(out, "relative_seconds", distance_ms / 1000);
    json_bool(out, "is_past", distance_ms <= 0);
}

static void add_min_snowflake(cJSON *out, int64_t unix_ms)
{
    int64_t epoch_ms = unix_ms - SNOWFLAKE_EPOCH_MS;
    if (epoch_ms >= 0 && epoch_ms < SNOWFLAKE_MS_END)
        snowflake_add(out, "min_snowflake", (uint64_t)epoch_ms << SNOWFLAKE_TIME_SHIFT);
    else
        json_null(out, "min_snowflake");
}

static void add_dst(cJSON *out, const struct instant *instant)
{
    if (instant->fold == FOLD_NONE) {
        json_null(out, "dst");
        return;
    }
    cJSON *dst = json_map(out, "dst");
    json_str(dst, "kind", instant->fold == FOLD_GAP ? "gap" : "overlap");
    add_offset(dst, "chosen_offset", instant->offset);
    add_offset(dst, "other_offset", instant->other_offset);
}

static void add_styles(cJSON *out, const struct view *view)
{
    cJSON *list = json_list(out, "styles");
    for (size_t i = 0; i < countof(styles); i++) {
        cJSON *item = json_item(list);
        json_str(item, "style", (char[]){ styles[i].letter, '\0' });
        json_str(item, "name", styles[i].name);
        add_tag(item, "tag", view, styles[i].letter);
        add_preview(item, view, &styles[i]);
    }
}

static void write_result(cJSON *result, const struct view *view, const char *zone_name)
{
    int64_t unix_ms = view->instant.unix_ms;

    json_int(result, "unix", instant_seconds(unix_ms));
    json_int(result, "unix_ms", unix_ms);
    json_time(result, "iso", unix_ms);
    add_local(result, view);
    json_str(result, "timezone", zone_name);
    add_offset(result, "utc_offset", view->offset);
    json_str(result, "style", (char[]){ view->style->letter, '\0' });
    add_tag(result, "tag", view, view->style->letter);
    add_tag(result, "default_tag", view, '\0');
    add_preview(result, view, view->style);
    add_relation(result, view);
    json_str(result, "weekday", weekdays[view->local.tm_wday]);
    json_int(result, "day_of_year", view->local.tm_yday + 1);
    add_iso_week(result, view);
    add_min_snowflake(result, unix_ms);
    add_dst(result, &view->instant);
    add_styles(result, view);
    json_str(result, "preview_note",
             "Previews are approximate: each client uses its reader's time zone and language.");
    if (view->reading[0])
        json_str(result, "reading", view->reading);
}

bool chatplatform_timestamp(const struct job *job, cJSON *result, struct err *err)
{
    scoped(zone_free) struct zone *zone = NULL;
    const char *zone_name = arg_str(job, "timezone");
    struct view view = { 0 };

    if (!zone_load(zone_name, &zone, err))
        return false;
    view.zone = zone;
    if (!read_view(job, &view, err))
        return false;
    write_result(result, &view, zone_name);
    return true;
}
