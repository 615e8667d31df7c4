/* svc-utils/cron-explain/expression/write.c - the canonical form of an expression. */
#include "cron.h"

static void write_item(const struct cron_item *item, struct buf *out)
{
    switch (item->kind) {
    case CRON_ALL:
        buf_add_byte(out, '*');
        break;
    case CRON_VALUE:
    case CRON_FROM:
    case CRON_NEAR_DAY:
        buf_format(out, "%d%s", item->from, item->kind == CRON_NEAR_DAY ? "W" : "");
        break;
    case CRON_LAST_DAY:
    case CRON_LAST_WORKDAY:
        buf_add_byte(out, 'L');
        if (item->nth > 0)
            buf_format(out, "-%d", item->nth);
        if (item->kind == CRON_LAST_WORKDAY)
            buf_add_byte(out, 'W');
        break;
    case CRON_RANGE:
    case CRON_NTH_WEEKDAY:
    case CRON_LAST_WEEKDAY:
        buf_format(out, "%d", item->from);
        if (item->to == CRON_TO_LAST_DAY)
            buf_add_str(out, "-L");
        else if (item->to != item->from || item->kind == CRON_RANGE)
            buf_format(out, "-%d", item->to);
        if (item->kind == CRON_NTH_WEEKDAY)
            buf_format(out, "#%d", item->nth);
        if (item->kind == CRON_LAST_WEEKDAY)
            buf_add_byte(out, 'L');
        break;
    }
    if (item->step > 1)
        buf_format(out, "/%d", item->step);
}

static void write_items(const struct cron *cron, enum cron_field field, enum cron_item_kind from,
                        struct buf *out)
{
    const struct cron_part *part = &cron->part[field];
    bool is_first = true;
    for (size_t i = 0; i < part->count; i++) {
        if (part->item[i].kind < from)
            continue;
        if (!is_first)
            buf_add_byte(out, ',');
        is_first = false;
        write_item(&part->item[i], out);
    }
}

void cron_write_specials(const struct cron *cron, enum cron_field field, struct buf *out)
{
    write_items(cron, field, CRON_FROM + 1, out);
}

void cron_write(const struct cron *cron, struct buf *out)
{
    if (cron->kind == CRON_REBOOT)
        buf_add_str(out, "@reboot");
    if (cron->kind == CRON_EVERY)
        buf_format(out, "@every %ds", (int)cron->every_s);
    if (cron->kind != CRON_SCHEDULE)
        return;
    for (enum cron_field field = CRON_SECOND; field < CRON_FIELDS; field++) {
        const struct cron_part *part = &cron->part[field];
        bool is_needed = field == CRON_SECOND && cron->part[CRON_YEAR].raw.size > 0;
        if (part->raw.size == 0 && !is_needed)
            continue;
        if (out->size > 0)
            buf_add_byte(out, ' ');
        if (field == CRON_WEEKDAY && cron->is_and)
            buf_add_byte(out, '+');
        write_items(cron, field, CRON_ALL, out);
    }
}
