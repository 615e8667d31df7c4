/* svc-utils/cron-explain/rewrite.c - a schedule in the words of another program. */
#include <string.h>

#include "base/num.h"
#include "dialect.h"

enum { PART_BYTES = 1024 };

/* What is written, where, and for whom. */
struct rewriter {
    const struct dialect *dialect;
    const struct cron *cron;
    struct buf *out;
    const char **why;
    bool has_plus; /* + before the weekdays */
};

static bool refuse_schedule(const struct rewriter *rewriter, const char *why)
{
    *rewriter->why = why;
    return false;
}

/* ---- the features of an item ---- */

static unsigned kind_feature(enum cron_field field, const struct cron_item *item)
{
    switch (item->kind) {
    case CRON_LAST_DAY:
        return item->nth > 0 ? LAST_OFFSET : LAST;
    case CRON_LAST_WORKDAY:
        return item->nth > 0 ? OFFSET_WORKDAY : LAST_WORKDAY;
    case CRON_NEAR_DAY:
        return NEAR;
    case CRON_NTH_WEEKDAY:
        return NTH | (item->to != item->from ? NTH_RANGE : 0);
    case CRON_LAST_WEEKDAY:
        return LAST_WEEKDAY | (item->to != item->from ? NTH_RANGE : 0);
    case CRON_ALL:
    case CRON_VALUE:
    case CRON_RANGE:
    case CRON_FROM:
        break;
    }
    return field == CRON_DAY && item->to == CRON_TO_LAST_DAY ? TO_LAST : 0;
}

unsigned dialect_features(const struct cron *cron, enum cron_field field, size_t index)
{
    const struct cron_part *part = &cron->part[field];
    const struct cron_item *item = &part->item[index];
    unsigned features = kind_feature(field, item);
    if (part->count > 1 && features)
        features |= features & NTH                               ? NTH_LIST
                    : features & (LAST_WORKDAY | OFFSET_WORKDAY) ? WORKDAY_LIST | SPECIAL_LIST
                                                                 : SPECIAL_LIST;
    if (field == CRON_WEEKDAY && item->step > 1)
        features |= WEEKDAY_STEP;
    return features;
}

/* ---- values ---- */

static int weekday_number(enum cron_numbering numbering, int weekday)
{
    return numbering == CRON_SUNDAY_1   ? weekday + 1
           : numbering == CRON_MONDAY_0 ? (weekday + 6) % 7
                                        : weekday;
}

/* Weekdays that are not counted from Sunday = 0 are written as names, which nobody misreads. */
static void write_value(const struct rewriter *rewriter, enum cron_field field, int value)
{
    if (field == CRON_WEEKDAY && rewriter->dialect->numbering != CRON_SUNDAY_0) {
        const char *name = cron_value_name(field, value);
        for (int i = 0; i < 3; i++)
            buf_add_byte(rewriter->out, (char)(name[i] & ~0x20));
    } else {
        buf_format(rewriter->out, "%d", value);
    }
}

/* Does the range cross the end of its field, as this program counts? */
static bool is_wrapped(const struct rewriter *rewriter, enum cron_field field,
                       const struct cron_item *item)
{
    if (field != CRON_WEEKDAY)
        return item->to < item->from;
    enum cron_numbering numbering = rewriter->dialect->numbering;
    return weekday_number(numbering, item->to) < weekday_number(numbering, item->from);
}

/* The nth value of the field, as this program counts. */
static int value_at(const struct rewriter *rewriter, enum cron_field field, int place)
{
    bool is_from_monday = field == CRON_WEEKDAY && rewriter->dialect->numbering == CRON_MONDAY_0;
    return is_from_monday ? (place + 1) % 7 : cron_min(field) + place;
}

/* All values of the set in ascending order; three or more in a row as a range. */
static void write_set(const struct rewriter *rewriter, enum cron_field field)
{
    int count = cron_max(field) - cron_min(field) + 1;
    bool is_first = true;
    for (int i = 0, end; i < count; i = end) {
        end = i;
        while (end < count && cron_has(rewriter->cron, field, value_at(rewriter, field, end)))
            end++;
        if (end - i < 3)
            end = MIN(end, i + 1);
        if (end == i) {
            end++;
            continue;
        }
        if (!is_first)
            buf_add_byte(rewriter->out, ',');
        is_first = false;
        write_value(rewriter, field, value_at(rewriter, field, i));
        if (end - i == 1)
            continue;
        buf_add_byte(rewriter->out, '-');
        write_value(rewriter, field, value_at(rewriter, field, end - 1));
    }
}

/* ---- items ---- */

static void write_range(const struct rewriter *rewriter, enum cron_field field,
                        const struct cron_item *item)
{
    write_value(rewriter, field, item->from);
    buf_add_byte(rewriter->out, '-');
    write_value(rewriter, field, item->to);
    if (item->step > 1)
        buf_format(rewriter->out, "/%d", item->step);
}

/* 5/20, or 5-59/20 */
static void write_open_step(const struct rewriter *rewriter, enum cron_field field,
                            const struct cron_item *item)
{
    if (rewriter->dialect->features & OPEN_STEP)
        buf_format(rewriter->out, "%d/%d", item->from, item->step);
    else
        buf_format(rewriter->out, "%d-%d/%d", item->from, cron_max(field), item->step);
}

/* A day that begins with * would make Vixie's cron require both day fields. */
static void write_all(const struct rewriter *rewriter, enum cron_field field,
                      const struct cron_item *item)
{
    const struct cron *cron = rewriter->cron;
    bool is_day = field == CRON_DAY || field == CRON_WEEKDAY;
    bool is_either = !cron->is_and && cron_is_restricted(cron, CRON_DAY) &&
                     cron_is_restricted(cron, CRON_WEEKDAY);
    if (item->step == 1)
        buf_add_byte(rewriter->out, '*');
    else if (is_day && is_either && rewriter->dialect->days == OR_UNLESS_STAR)
        buf_format(rewriter->out, "%d-%d/%d", cron_min(field), cron_max(field), item->step);
    else
        buf_format(rewriter->out, "*/%d", item->step);
}

static void write_special(const struct rewriter *rewriter, enum cron_field field,
                          const struct cron_item *item)
{
    struct buf *out = rewriter->out;
    if (item->kind == CRON_LAST_DAY && rewriter->dialect->numbering == CRON_MONDAY_0) {
        buf_add_str(out, "last"); /* APScheduler's word for L */
    } else if (field == CRON_DAY) {
        buf_format(out, item->kind == CRON_NEAR_DAY ? "%dW" : "L", item->from);
        if (item->kind != CRON_NEAR_DAY && item->nth > 0)
            buf_format(out, "-%d", item->nth);
        if (item->kind == CRON_LAST_WORKDAY)
            buf_add_byte(out, 'W');
    } else {
        write_value(rewriter, field, item->from);
        if (item->to != item->from) {
            buf_add_byte(out, '-');
            write_value(rewriter, field, item->to);
        }
        buf_format(out, item->kind == CRON_LAST_WEEKDAY ? "L" : "#%d", item->nth);
    }
}

static void write_item(const struct rewriter *rewriter, enum cron_field field,
                       const struct cron_item *item)
{
    if (item->kind == CRON_ALL)
        write_all(rewriter, field, item);
    else if (item->kind == CRON_VALUE)
        write_value(rewriter, field, item->from);
    else if (item->kind == CRON_RANGE)
        write_range(rewriter, field, item);
    else if (item->kind == CRON_FROM)
        write_open_step(rewriter, field, item);
    else
        write_special(rewriter, field, item);
}

/* Can an item that is alone be written as it is? Programs differ in steps that reach no value. */
static bool is_portable(const struct rewriter *rewriter, enum cron_field field,
                        const struct cron_item *item)
{
    bool has_names = field == CRON_WEEKDAY && rewriter->dialect->numbering != CRON_SUNDAY_0;
    if (item->kind > CRON_FROM || (item->kind <= CRON_VALUE && item->step == 1))
        return true;
    if (field == CRON_WEEKDAY && item->step > 1 &&
        (has_names || !(rewriter->dialect->features & WEEKDAY_STEP)))
        return item->kind == CRON_ALL && rewriter->dialect->numbering == CRON_SUNDAY_1 &&
               (rewriter->dialect->features & WEEKDAY_STEP);
    if (item->kind == CRON_ALL)
        return true;
    if (is_wrapped(rewriter, field, item))
        return rewriter->dialect->features & WRAP;
    return item->from + item->step <= item->to;
}

/* ---- fields ---- */

static bool can_write(const struct rewriter *rewriter, enum cron_field field)
{
    unsigned has = rewriter->dialect->features | WEEKDAY_STEP;
    if (rewriter->dialect->numbering == CRON_MONDAY_0)
        has |= LAST | SPECIAL_LIST;
    for (size_t i = 0; i < rewriter->cron->part[field].count; i++) {
        unsigned lacks = dialect_features(rewriter->cron, field, i) & ~has;
        if (lacks)
            return refuse_schedule(rewriter, "it cannot express such a day");
    }
    return true;
}

/* One item as it is, or the values of all, then the items that depend on the month. */
static void write_list(const struct rewriter *rewriter, enum cron_field field,
                       const struct cron_part *part)
{
    size_t before = rewriter->out->size;
    if (part->count == 1 && is_portable(rewriter, field, part->item)) {
        write_item(rewriter, field, part->item);
        return;
    }
    write_set(rewriter, field);
    for (size_t i = 0; i < part->count; i++) {
        if (part->item[i].kind <= CRON_FROM)
            continue;
        if (rewriter->out->size > before)
            buf_add_byte(rewriter->out, ',');
        write_item(rewriter, field, &part->item[i]);
    }
}

static bool write_field(const struct rewriter *rewriter, enum cron_field field, bool is_any)
{
    const struct cron_part *part = &rewriter->cron->part[field];
    if (rewriter->out->size > 0)
        buf_add_byte(rewriter->out, ' ');
    if (is_any) {
        buf_add_str(rewriter->out, rewriter->dialect->days == ONE ? "?" : "*");
        return true;
    }
    if (!can_write(rewriter, field))
        return false;
    if (field == CRON_WEEKDAY && rewriter->has_plus)
        buf_add_byte(rewriter->out, '+');
    if (!cron_is_restricted(rewriter->cron, field))
        buf_add_byte(rewriter->out, '*');
    else
        write_list(rewriter, field, part);
    return true;
}

static bool has_seconds(const struct cron *cron)
{
    return cron_next_value(cron, CRON_SECOND, 0) != 0 || cron_next_value(cron, CRON_SECOND, 1) > 0;
}

/* The shortest layout that has the fields; 0 if there is none. */
static unsigned choose_layout(const struct rewriter *rewriter)
{
    bool has_second = has_seconds(rewriter->cron);
    bool has_year = cron_is_restricted(rewriter->cron, CRON_YEAR);
    unsigned layouts = rewriter->dialect->layouts;
    if (!has_second && !has_year && (layouts & FIVE))
        return FIVE;
    if (!has_second && (layouts & SIX_YEAR))
        return SIX_YEAR;
    if (!has_year && (layouts & SIX_SECOND))
        return SIX_SECOND;
    return layouts & SEVEN_FIELDS;
}

static bool write_line(const struct rewriter *rewriter, bool no_day, bool no_weekday)
{
    unsigned layout = choose_layout(rewriter);
    bool is_call = rewriter->dialect->layouts == SIX_YEAR;
    scoped(buf_free) struct buf line = BUF(PART_BYTES);
    struct rewriter inner = *rewriter;
    inner.out = &line;
    if (layout == 0)
        return refuse_schedule(rewriter, has_seconds(rewriter->cron) ? "it has no seconds"
                                                                     : "it has no years");
    for (enum cron_field field = CRON_SECOND; field < CRON_FIELDS; field++) {
        bool is_any = field == CRON_DAY ? no_day : field == CRON_WEEKDAY ? no_weekday : false;
        if ((field == CRON_SECOND && !(layout & (SIX_SECOND | SEVEN_FIELDS))) ||
            (field == CRON_YEAR && !(layout & (SIX_YEAR | SEVEN_FIELDS))))
            continue;
        if (!write_field(&inner, field, is_any))
            return false;
    }
    if (rewriter->out->size > 0)
        buf_add_byte(rewriter->out, '\n');
    buf_format(rewriter->out, is_call ? "cron(%s)" : "%s", buf_str(&line));
    return true;
}

/* ---- schedules ---- */

static bool is_star(const struct cron *cron, enum cron_field field)
{
    return cron->part[field].item->kind == CRON_ALL;
}

/*
 * Both day fields: one line if the program combines them as meant; two lines if either may match
 * and it requires both.
 */
static bool write_both_days(const struct rewriter *rewriter)
{
    const struct cron *cron = rewriter->cron;
    enum cron_days days = rewriter->dialect->days;
    bool star = is_star(cron, CRON_DAY) || is_star(cron, CRON_WEEKDAY);
    if (!cron->is_and && (days == AND || days == ONE))
        return write_line(rewriter, false, true) && write_line(rewriter, true, false);
    if (cron->is_and && days != AND && !(days == OR_UNLESS_STAR && star)) {
        if (!(rewriter->dialect->features & PLUS))
            return refuse_schedule(rewriter, "it cannot require both day fields");
        struct rewriter with_plus = *rewriter;
        with_plus.has_plus = true;
        return write_line(&with_plus, false, false);
    }
    return write_line(rewriter, false, false);
}

static bool write_every(const struct rewriter *rewriter)
{
    int64_t every_s = rewriter->cron->every_s;
    if (rewriter->dialect->macros & EVERY) {
        buf_format(rewriter->out, "@every %ds", (int)every_s);
    } else if (rewriter->dialect->layouts == SIX_YEAR && every_s % 60 == 0) {
        int64_t count = every_s % 86400 == 0  ? every_s / 86400
                        : every_s % 3600 == 0 ? every_s / 3600
                                              : every_s / 60;
        const char *unit = every_s % 86400 == 0 ? "day" : every_s % 3600 == 0 ? "hour" : "minute";
        buf_format(rewriter->out, "rate(%d %s%s)", (int)count, unit, count == 1 ? "" : "s");
    } else {
        return refuse_schedule(rewriter, "it has no intervals");
    }
    return true;
}

bool dialect_write(const struct dialect *dialect, const struct cron *cron, const char *zone,
                   struct buf *out, const char **why)
{
    const struct rewriter rewriter = { dialect, cron, out, why, false };
    if (dialect->layouts == 0)
        return systemd_write(cron, zone, out, why);
    if (cron->kind == CRON_EVERY)
        return write_every(&rewriter);
    if (cron->kind == CRON_REBOOT)
        return dialect->macros & REBOOT ? buf_add_str(out, "@reboot")
                                        : refuse_schedule(&rewriter, "it has no @reboot");
    bool has_day = cron_is_restricted(cron, CRON_DAY);
    bool has_weekday = cron_is_restricted(cron, CRON_WEEKDAY);
    if (has_day && has_weekday)
        return write_both_days(&rewriter);
    return write_line(&rewriter, has_weekday, !has_weekday);
}
