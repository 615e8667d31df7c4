/*
 * svc-utils/cron-explain/describe.c - a schedule in English. A table has the phrases of each field;
 * a sentence is the phrases of its fields, joined by commas.
 */
#include "describe.h"

#include <ctype.h>
#include <string.h>

#include "base/num.h"

enum { PHRASE_BYTES = 16 * 1024 /* 130 items of at most 80 bytes fit */ };

struct frame {
    const char *before, *after;
};

static const struct phrases {
    const char *every; /* all values */
    const char *unit;  /* "every 5 " + unit */
    struct frame value;
    struct frame single;  /* around the number 1; empty: as value */
    const char *range[3]; /* before, between and after the ends of a range */
} phrases[CRON_FIELDS] = {
    [CRON_SECOND] = { "every second",
                      "seconds",
                      { "at ", " seconds past the minute" },
                      { "at ", " second past the minute" },
                      { "seconds ", " through ", " past the minute" } },
    [CRON_MINUTE] = { "every minute",
                      "minutes",
                      { "at ", " minutes past the hour" },
                      { "at ", " minute past the hour" },
                      { "minutes ", " through ", " past the hour" } },
    [CRON_HOUR] = { "every hour", "hours", { "at ", "" }, { 0 }, { "between ", " and ", "" } },
    [CRON_DAY] = { "every day",
                   "days in a month",
                   { "on day ", " of the month" },
                   { 0 },
                   { "between day ", " and ", " of the month" } },
    [CRON_MONTH] = { "every month", "months", { "only in ", "" }, { 0 }, { "", " through ", "" } },
    [CRON_WEEKDAY] = { "every day of the week",
                       "days of the week",
                       { "only on ", "" },
                       { 0 },
                       { "", " through ", "" } },
    [CRON_YEAR] = { "every year", "years", { "only in ", "" }, { 0 }, { "", " through ", "" } },
};

static const char *const ordinals[] = { "first", "second", "third", "fourth", "fifth" };

/* What is described, and in which wording. */
struct describer {
    const struct cron *cron;
    const struct cron_wording *wording;
    struct cron_part part[CRON_FIELDS]; /* in reading order: sorted, without a second field of 0 */
    struct cron_item sorted[CRON_ITEMS_MAX];
    struct cron_item hour; /* one hour as a range */
};

static bool is_either_day(const struct cron *cron)
{
    return cron_is_restricted(cron, CRON_DAY) && cron_is_restricted(cron, CRON_WEEKDAY) &&
           !cron->is_and;
}

/* The value of a field that is one plain number; else -1. */
static int single_value(const struct cron_part *part)
{
    return part->count == 1 && part->item->kind == CRON_VALUE ? part->item->from : -1;
}

static bool has_kind(const struct cron_part *part, enum cron_item_kind kind)
{
    for (size_t i = 0; i < part->count; i++)
        if (part->item[i].kind == kind)
            return true;
    return false;
}

static bool has_step(const struct cron_part *part)
{
    for (size_t i = 0; i < part->count; i++)
        if (part->item[i].step > 1)
            return true;
    return false;
}

static bool has_star_or_step(const struct cron_part *part)
{
    return has_step(part) || has_kind(part, CRON_ALL);
}

/* ---- words ---- */

static void add_time(const struct describer *describer, int hour, int minute, int second,
                     struct buf *out)
{
    int shown = describer->wording->is_24_hour ? hour : (hour + 11) % 12 + 1;
    buf_format(out, "%02d:%02d", shown, minute);
    if (second >= 0)
        buf_format(out, ":%02d", second);
    if (!describer->wording->is_24_hour)
        buf_add_str(out, hour < 12 ? " AM" : " PM");
}

static void add_value(const struct describer *describer, enum cron_field field, int value,
                      struct buf *out)
{
    if (field == CRON_HOUR)
        add_time(describer, value, 0, -1, out);
    else if (field == CRON_MONTH || field == CRON_WEEKDAY)
        buf_add_str(out, cron_value_name(field, value));
    else
        buf_format(out, "%d", value);
}

/* The end of a range. For hours it is the hour's last minute, unless all runs are at minute 0. */
static void add_end(const struct describer *describer, enum cron_field field, int value,
                    struct buf *out)
{
    if (field == CRON_HOUR && single_value(&describer->part[CRON_MINUTE]) != 0)
        add_time(describer, value, 59, -1, out);
    else if (field == CRON_DAY && value == CRON_TO_LAST_DAY)
        buf_add_str(out, "the last day");
    else
        add_value(describer, field, value, out);
}

/* ", " between items, " and " or ", and " before the last item. */
static void add_joint(size_t index, size_t count, struct buf *out)
{
    if (index > 0 && count > 2)
        buf_add_str(out, ", ");
    if (index > 0 && index == count - 1)
        buf_add_str(out, count > 2 ? "and " : " and ");
}

/* ---- items ---- */

static void add_days_before(int days, struct buf *out)
{
    buf_format(out, "%d day%s before the last day of the month", days, days == 1 ? "" : "s");
}

static void add_special_day(const struct cron_item *item, struct buf *out)
{
    if (item->kind == CRON_NEAR_DAY && item->from == 1)
        buf_add_str(out, "on the first weekday of the month");
    else if (item->kind == CRON_NEAR_DAY)
        buf_format(out, "on the weekday nearest day %d of the month", item->from);
    else if (item->kind == CRON_LAST_DAY && item->nth == 0)
        buf_add_str(out, "on the last day of the month");
    else if (item->kind == CRON_LAST_DAY)
        add_days_before(item->nth, out);
    else if (item->nth == 0)
        buf_add_str(out, "on the last weekday of the month");
    else {
        buf_add_str(out, "on the weekday nearest ");
        add_days_before(item->nth, out);
    }
}

/* "first Monday", "last Saturday through Sunday" */
static void add_nth_weekday(const struct cron_item *item, struct buf *out)
{
    buf_format(out, "%s %s",
               item->kind == CRON_LAST_WEEKDAY ? "last" : ordinals[MAX(item->nth, 1) - 1],
               cron_value_name(CRON_WEEKDAY, item->from));
    if (item->to != item->from)
        buf_format(out, " through %s", cron_value_name(CRON_WEEKDAY, item->to));
}

static struct frame frame_of(const struct describer *describer, enum cron_field field, int single)
{
    bool has_second = describer->part[CRON_SECOND].count > 0;
    if (single == 1 && phrases[field].single.before)
        return phrases[field].single;
    if (field == CRON_MINUTE && single == 0)
        return has_second || has_step(&describer->part[CRON_HOUR])
                   ? (struct frame){ "on the hour", NULL }
                   : (struct frame){ "every hour", NULL };
    if (field == CRON_WEEKDAY && is_either_day(describer->cron))
        return (struct frame){ "on ", "" };
    return phrases[field].value;
}

static void add_single(const struct describer *describer, enum cron_field field, int value,
                       struct buf *out)
{
    struct frame frame = frame_of(describer, field, value);
    buf_add_str(out, frame.before);
    if (!frame.after) /* the frame replaces the value */
        return;
    add_value(describer, field, value, out);
    buf_add_str(out, frame.after);
}

static void add_range(const struct describer *describer, enum cron_field field,
                      const struct cron_item *item, struct buf *out)
{
    const char *const *range = phrases[field].range;
    buf_add_str(out, range[0]);
    add_value(describer, field, item->from, out);
    buf_add_str(out, range[1]);
    add_end(describer, field, item->to, out);
    buf_add_str(out, range[2]);
}

/* An item with its own frame. */
static void add_item(const struct describer *describer, enum cron_field field,
                     const struct cron_item *item, struct buf *out)
{
    if (item->step > 1)
        buf_format(out, "every %d %s", item->step, phrases[field].unit);
    switch (item->kind) {
    case CRON_ALL:
        if (item->step == 1)
            buf_add_str(out, phrases[field].every);
        break;
    case CRON_VALUE:
        add_single(describer, field, item->from, out);
        break;
    case CRON_RANGE:
        if (item->step > 1)
            buf_add_str(out, ", ");
        add_range(describer, field, item, out);
        break;
    case CRON_FROM:
        if (item->from < cron_min(field)) /* a year, such as 1/2 */
            break;
        buf_add_str(out, ", starting ");
        add_single(describer, field, item->from, out);
        break;
    case CRON_LAST_DAY:
    case CRON_LAST_WORKDAY:
    case CRON_NEAR_DAY:
        add_special_day(item, out);
        break;
    case CRON_NTH_WEEKDAY:
    case CRON_LAST_WEEKDAY:
        buf_add_str(out, "on the ");
        add_nth_weekday(item, out);
        buf_add_str(out, " of the month");
        break;
    }
}

/* ---- fields ---- */

/* Items that share one frame: "at 0, 15, and 30 minutes past the hour". */
static void add_framed(const struct describer *describer, enum cron_field field,
                       const struct cron_item *item, size_t count, struct buf *out)
{
    struct frame frame = frame_of(describer, field, -1);
    buf_add_str(out, frame.before);
    for (size_t i = 0; i < count; i++) {
        add_joint(i, count, out);
        if (item[i].kind == CRON_LAST_DAY) {
            buf_add_str(out, "the last day");
            continue;
        }
        add_value(describer, field, item[i].from, out);
        if (item[i].kind == CRON_RANGE) {
            buf_add_str(out, " through ");
            add_end(describer, field, item[i].to, out);
        }
    }
    buf_add_str(out, frame.after);
}

/* Can the items share one frame? The only last day allowed is "the last day", after other items. */
static bool is_framed(const struct cron_part *part)
{
    for (size_t i = 0; i < part->count; i++) {
        const struct cron_item *item = &part->item[i];
        bool is_last_day = item->kind == CRON_LAST_DAY && item->nth == 0 && i > 0;
        if (item->step > 1 ||
            (item->kind != CRON_VALUE && item->kind != CRON_RANGE && !is_last_day))
            return false;
    }
    return true;
}

static bool is_nth_weekday(const struct cron_item *item)
{
    return item->kind == CRON_NTH_WEEKDAY || item->kind == CRON_LAST_WEEKDAY;
}

/* Plain weekdays first, then "on the first Monday and last Friday of the month". */
static void add_weekdays(const struct describer *describer, const struct cron_part *part,
                         struct buf *out)
{
    size_t plain = 0;
    while (plain < part->count && !is_nth_weekday(&part->item[plain]))
        plain++;
    if (plain == 1)
        add_item(describer, CRON_WEEKDAY, part->item, out);
    if (plain > 1)
        add_framed(describer, CRON_WEEKDAY, part->item, plain, out);
    buf_add_str(out, plain > 0 ? " and on the " : "on the ");
    for (size_t i = plain; i < part->count; i++) {
        add_joint(i - plain, part->count - plain, out);
        add_nth_weekday(&part->item[i], out);
    }
    buf_add_str(out, " of the month");
}

static void add_field(const struct describer *describer, enum cron_field field, struct buf *out)
{
    const struct cron_part *part = &describer->part[field];
    bool has_nth = has_kind(part, CRON_NTH_WEEKDAY) || has_kind(part, CRON_LAST_WEEKDAY);
    if (part->count == 0)
        return;
    if (part->count == 1) {
        add_item(describer, field, part->item, out);
    } else if (is_framed(part)) {
        add_framed(describer, field, part->item, part->count, out);
    } else if (has_nth && !has_step(part)) {
        add_weekdays(describer, part, out);
    } else {
        for (size_t i = 0; i < part->count; i++) {
            add_joint(i, part->count, out);
            add_item(describer, field, &part->item[i], out);
        }
    }
}

/* ---- the sentence ---- */

static void add_phrase(struct buf *out, const char *phrase)
{
    if (*phrase == '\0')
        return;
    if (out->size > 0)
        buf_add_str(out, ", ");
    buf_add_str(out, phrase);
}

/* "At 09:00 AM, 12:00 PM and 05:00 PM": no comma before this and. */
static void add_times(const struct describer *describer, struct buf *out)
{
    const struct cron_part *hours = &describer->part[CRON_HOUR];
    int second = single_value(&describer->part[CRON_SECOND]);
    buf_add_str(out, "at ");
    for (size_t i = 0; i < hours->count; i++) {
        if (i > 0)
            buf_add_str(out, i == hours->count - 1 ? " and " : ", ");
        add_time(describer, hours->item[i].from, single_value(&describer->part[CRON_MINUTE]),
                 second, out);
    }
}

/* Seconds, minutes and hours in this order, without phrases that add nothing. */
static void add_clock_fields(const struct describer *describer, struct buf *out)
{
    scoped(buf_free) struct buf minutes = BUF(PHRASE_BYTES);
    scoped(buf_free) struct buf hours = BUF(PHRASE_BYTES);
    bool is_verbose = describer->wording->is_verbose;

    add_field(describer, CRON_SECOND, out);
    add_field(describer, CRON_MINUTE, &minutes);
    add_field(describer, CRON_HOUR, &hours);
    if (is_verbose || out->size == 0 || strcmp(buf_str(&minutes), "every minute") != 0)
        add_phrase(out, buf_str(&minutes));
    if (strcmp(buf_str(&hours), buf_str(&minutes)) != 0 &&
        (is_verbose || strcmp(buf_str(&hours), "every hour") != 0))
        add_phrase(out, buf_str(&hours));
}

static void add_clock(const struct describer *describer, struct buf *out)
{
    const struct cron_part *second = &describer->part[CRON_SECOND];
    const struct cron_part *minute = &describer->part[CRON_MINUTE];
    const struct cron_part *hour = &describer->part[CRON_HOUR];
    bool has_plain_hours = hour->count > 0 && cron_is_plain(describer->cron, CRON_HOUR) &&
                           hour->item != &describer->hour;
    bool has_minute_range =
        minute->count == 1 && minute->item->kind == CRON_RANGE && minute->item->step == 1 &&
        minute->item->from <=
            minute->item->to; /* a range across the end of the hour reads as two */

    if (has_plain_hours && single_value(minute) >= 0 &&
        (second->count == 0 || (single_value(second) >= 0 && hour->count == 1))) {
        add_times(describer, out);
    } else if (second->count == 0 && has_minute_range && single_value(hour) >= 0) {
        buf_add_str(out, "every minute between ");
        add_time(describer, hour->item->from, minute->item->from, -1, out);
        buf_add_str(out, " and ");
        add_time(describer, hour->item->from, minute->item->to, -1, out);
    } else {
        add_clock_fields(describer, out);
    }
}

static void add_date(const struct describer *describer, struct buf *out)
{
    static const enum cron_field order[] = { CRON_DAY, CRON_WEEKDAY, CRON_MONTH, CRON_YEAR };
    for (size_t i = 0; i < countof(order); i++) {
        scoped(buf_free) struct buf phrase = BUF(PHRASE_BYTES);
        bool is_daily = order[i] == CRON_DAY && describer->wording->is_verbose &&
                        !cron_is_restricted(describer->cron, CRON_WEEKDAY);
        if (!cron_is_restricted(describer->cron, order[i]) && !is_daily)
            continue;
        if (order[i] == CRON_WEEKDAY && is_either_day(describer->cron))
            buf_add_str(&phrase, "and ");
        add_field(describer, order[i], &phrase);
        add_phrase(out, buf_str(&phrase));
    }
}

/* ---- reading order ---- */

/*
 * Sort numbers and the weekdays nearest to them in ascending order, the nth weekdays after them,
 * and the days counted from the end of the month last.
 */
static int item_rank(const struct cron_item *item, bool is_plain)
{
    if (item->kind == CRON_LAST_DAY || item->kind == CRON_LAST_WORKDAY)
        return CRON_YEAR_MAX + CRON_TO_LAST_DAY - item->nth;
    if (is_nth_weekday(item))
        return CRON_YEAR_MAX + CRON_TO_LAST_DAY;
    return is_plain ? item->from : 0;
}

/* Is there no step, and no *? */
static bool is_sortable(const struct cron_part *part)
{
    for (size_t i = 0; i < part->count; i++)
        if (part->item[i].kind == CRON_ALL || part->item[i].step > 1)
            return false;
    return true;
}

/* Sort the values. Items with steps keep their positions. */
static void sort_values(struct cron_item *item, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            struct cron_item first = item[i];
            if (first.kind != CRON_VALUE || item[j].kind != CRON_VALUE ||
                first.from <= item[j].from)
                continue;
            item[i] = item[j];
            item[j] = first;
        }
}

static void sort_items(struct cron_part *part, struct cron_item *sorted)
{
    bool is_plain = is_sortable(part);
    size_t count = 0;
    for (size_t i = 0; i < part->count; i++) {
        size_t place = count;
        while (place > 0 &&
               item_rank(&sorted[place - 1], is_plain) > item_rank(&part->item[i], is_plain))
            place--;
        if (place > 0 && memcmp(&sorted[place - 1], &part->item[i], sizeof(*sorted)) == 0)
            continue;
        memmove(&sorted[place + 1], &sorted[place], (count - place) * sizeof(*sorted));
        sorted[place] = part->item[i];
        count++;
    }
    sort_values(sorted, count);
    part->item = sorted;
    part->count = count;
}

static void prepare_parts(struct describer *describer, const struct cron *cron,
                          const struct cron_wording *wording)
{
    describer->cron = cron;
    describer->wording = wording;
    struct cron_item *sorted = describer->sorted;
    for (enum cron_field field = CRON_SECOND; field < CRON_FIELDS; field++) {
        describer->part[field] = cron->part[field];
        sort_items(&describer->part[field], sorted);
        sorted += describer->part[field].count;
    }
    if (single_value(&describer->part[CRON_SECOND]) == 0)
        describer->part[CRON_SECOND].count = 0;
    int hour = single_value(&describer->part[CRON_HOUR]);
    if (hour >= 0 && (has_star_or_step(&describer->part[CRON_SECOND]) ||
                      has_star_or_step(&describer->part[CRON_MINUTE]))) {
        describer->hour = (struct cron_item){ CRON_RANGE, hour, hour, 1, 0 };
        describer->part[CRON_HOUR].item = &describer->hour;
    }
}

static void describe_every(int64_t seconds, struct buf *out)
{
    static const struct unit {
        const char *name;
        int seconds;
    } units[] = { { "hour", 3600 }, { "minute", 60 }, { "second", 1 } };
    buf_add_str(out, "Every");
    for (size_t i = 0; i < countof(units); i++) {
        int count = (int)(seconds / units[i].seconds);
        seconds %= units[i].seconds;
        if (count > 0)
            buf_format(out, " %d %s%s", count, units[i].name, count == 1 ? "" : "s");
    }
}

void cron_describe(const struct cron *cron, const struct cron_wording *wording, struct buf *out)
{
    scoped(buf_free) struct buf sentence = BUF(PHRASE_BYTES);
    struct describer describer;
    if (cron->kind == CRON_EVERY) {
        describe_every(cron->every_s, out);
        return;
    }
    if (cron->kind == CRON_REBOOT) {
        buf_add_str(out, "Run once, at startup");
        return;
    }
    prepare_parts(&describer, cron, wording);
    add_clock(&describer, &sentence);
    add_date(&describer, &sentence);
    sentence.bytes[0] = (char)toupper((unsigned char)sentence.bytes[0]);
    buf_add(out, sentence.bytes, sentence.size);
}

void cron_describe_field(const struct cron *cron, const struct cron_wording *wording,
                         enum cron_field field, struct buf *out)
{
    struct describer describer;
    prepare_parts(&describer, cron, wording);
    describer.part[field].count = MAX(describer.part[field].count, 1); /* seconds of 0 too */
    add_field(&describer, field, out);
}
