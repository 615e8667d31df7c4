/*
 * svc-utils/cron-explain/systemd.c - a schedule as OnCalendar= of systemd.time(7): weekdays, a
 * date and a time. Weekday and date must both match, so either of two is two lines.
 */
#include <stdio.h>

#include "dialect.h"

enum { PART_BYTES = 2048 };

/* The parts of a line that all lines share, and where lines go. */
struct timer {
    const struct cron *cron;
    const char *zone; /* NULL: none */
    struct buf *out;
};

/* a, a..b, a/n or a..b/n; a range across the field's end is a list of values. */
static void write_item(enum cron_field field, const struct cron_item *item, struct buf *out)
{
    int min = cron_min(field), max = cron_max(field);
    if (item->kind == CRON_ALL) {
        buf_format(out, item->step > 1 ? "%d/%d" : "*", min, item->step);
    } else if (item->kind == CRON_VALUE) {
        buf_format(out, "%d", item->from);
    } else if (item->kind == CRON_FROM) {
        buf_format(out, "%d/%d", item->from, item->step);
    } else if (item->to >= item->from) {
        buf_format(out, "%d..%d", item->from, item->to > max ? max : item->to);
        if (item->step > 1)
            buf_format(out, "/%d", item->step);
    } else {
        int count = max - min + 1;
        for (int i = 0; i <= item->to - item->from + count; i += item->step)
            buf_format(out, "%s%d", i > 0 ? "," : "", min + (item->from - min + i) % count);
    }
}

/* The plain items of a field; nothing if there are none. */
static void write_field(const struct cron *cron, enum cron_field field, struct buf *out)
{
    const struct cron_part *part = &cron->part[field];
    bool is_first = true;
    if (!cron_is_restricted(cron, field)) {
        buf_add_byte(out, '*');
        return;
    }
    for (size_t i = 0; i < part->count; i++) {
        if (part->item[i].kind > CRON_FROM)
            continue;
        if (!is_first)
            buf_add_byte(out, ',');
        is_first = false;
        write_item(field, &part->item[i], out);
    }
}

/* Mon,Tue: every value, because a week starts on Monday there. */
static void write_weekdays(const struct cron_set *set, struct buf *out)
{
    for (int day = 1; day <= 7; day++)
        if (set->word[0] >> day % 7 & 1)
            buf_format(out, "%s%.3s", out->size > 0 ? "," : "",
                       cron_value_name(CRON_WEEKDAY, day % 7));
}

/* One line. weekdays is empty for every day; day is what follows the month. */
static void write_line(const struct timer *timer, const char *weekdays, const char *day)
{
    scoped(buf_free) struct buf line = BUF(PART_BYTES);
    write_field(timer->cron, CRON_YEAR, &line);
    buf_add_byte(&line, '-');
    write_field(timer->cron, CRON_MONTH, &line);
    buf_format(&line, "%s%s ", *day == '~' ? "" : "-", day);
    write_field(timer->cron, CRON_HOUR, &line);
    buf_add_byte(&line, ':');
    write_field(timer->cron, CRON_MINUTE, &line);
    buf_add_byte(&line, ':');
    write_field(timer->cron, CRON_SECOND, &line);
    buf_format(timer->out, "%sOnCalendar=%s%s%s%s%s", timer->out->size > 0 ? "\n" : "", weekdays,
               *weekdays ? " " : "", buf_str(&line), timer->zone ? " " : "",
               timer->zone ? timer->zone : "");
}

/* ---- days ---- */

/* The days of a month, each kind in a separate line. */
static bool write_days(const struct timer *timer, const char *weekdays, const char **why)
{
    const struct cron_part *days = &timer->cron->part[CRON_DAY];
    scoped(buf_free) struct buf plain = BUF(PART_BYTES);
    write_field(timer->cron, CRON_DAY, &plain);
    if (plain.size > 0)
        write_line(timer, weekdays, buf_str(&plain));
    for (size_t i = 0; i < days->count; i++) {
        char day[16];
        if (days->item[i].kind <= CRON_FROM)
            continue;
        if (days->item[i].kind != CRON_LAST_DAY) {
            *why = "it has no weekday nearest to a day";
            return false;
        }
        snprintf(day, sizeof(day), "~%02d", days->item[i].nth + 1);
        write_line(timer, weekdays, day);
    }
    return true;
}

/* The nth weekday is that weekday in the nth seven days; the last one is in the last seven. */
static void write_nth_weekdays(const struct timer *timer)
{
    const struct cron_part *weekdays = &timer->cron->part[CRON_WEEKDAY];
    for (size_t i = 0; i < weekdays->count; i++) {
        const struct cron_item *item = &weekdays->item[i];
        scoped(buf_free) struct buf names = BUF(PART_BYTES);
        struct cron_set set = { 0 };
        char days[16] = "~07/1";
        if (item->kind <= CRON_FROM)
            continue;
        for (int day = item->from;; day = (day + 1) % 7) {
            set.word[0] |= UINT64_C(1) << day;
            if (day == item->to)
                break;
        }
        write_weekdays(&set, &names);
        if (item->kind == CRON_NTH_WEEKDAY)
            snprintf(days, sizeof(days), "%d..%d", 7 * item->nth - 6,
                     item->nth == 5 ? 31 : 7 * item->nth);
        write_line(timer, buf_str(&names), days);
    }
}

/* ---- schedules ---- */

static bool write_schedule(const struct timer *timer, const char **why)
{
    const struct cron *cron = timer->cron;
    bool has_day = cron_is_restricted(cron, CRON_DAY);
    bool has_weekday = cron_is_restricted(cron, CRON_WEEKDAY);
    scoped(buf_free) struct buf weekdays = BUF(PART_BYTES);
    bool has_nth = false;
    for (size_t i = 0; i < cron->part[CRON_WEEKDAY].count; i++)
        has_nth |= cron->part[CRON_WEEKDAY].item[i].kind > CRON_FROM;
    if (has_weekday)
        write_weekdays(&cron->part[CRON_WEEKDAY].set, &weekdays);
    if (cron->is_and && has_day && has_nth) {
        *why = "it cannot require a day and the nth weekday";
        return false;
    }
    if (has_day && !write_days(timer, cron->is_and ? buf_str(&weekdays) : "", why))
        return false;
    if (has_day && cron->is_and)
        return true;
    if (weekdays.size > 0 || !has_weekday)
        if (!has_day || has_weekday)
            write_line(timer, buf_str(&weekdays), "*");
    write_nth_weekdays(timer);
    return true;
}

bool systemd_write(const struct cron *cron, const char *zone, struct buf *out, const char **why)
{
    const struct timer timer = { cron, zone, out };
    if (cron->kind == CRON_EVERY)
        return buf_format(out, "OnActiveSec=%ds\nOnUnitActiveSec=%ds", (int)cron->every_s,
                          (int)cron->every_s);
    if (cron->kind == CRON_REBOOT)
        return buf_add_str(out, "OnBootSec=0");
    return write_schedule(&timer, why);
}
