/*
 * svc-utils/cron-explain/dialects.c - reads the same words as each program of dialects.def would,
 * and compares the meaning.
 */
#include "dialects.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cron-explain/expression/fields.h"
#include "dialect.h"
#include "text/json.h"

enum { LINE_BYTES = 8 * 1024, REASON_BYTES = 320, SHOWN_FEATURES = 3 };

static const struct dialect dialects[] = {
#define DIALECT(name, layouts, numbering, macros, days, features, misread, note) \
    { name, layouts, numbering, macros, days, features, misread, note },
#include "dialects.def"
#undef DIALECT
};

static const char *const features[FEATURES] = {
    "names",
    "full names",
    "7 for Sunday",
    "?",
    "a step after a single value (5/20)",
    "a range across the end of its field (22-2)",
    "W15, WL or LFRI",
    "5#L",
    "L as a weekday",
    "a range that ends on Sunday (FRI-SUN)",
    "a range that ends on Sunday (5-0)",
    "a value that occurs twice",
    "L",
    "L-3",
    "20-L",
    "15W",
    "LW",
    "L-3W",
    "#",
    "L after a weekday (5L)",
    "# or L after a range",
    "L or W in a list",
    "LW in a list",
    "# or L in a list",
    "+",
    "a step of weekdays",
};

/* What one program makes of the words. */
struct reading {
    const struct dialect *dialect;
    const struct plan *plan;
    bool is_accepted;
    char reason[REASON_BYTES];  /* why not */
    char meaning[REASON_BYTES]; /* of a macro that differs; "" if cron has the meaning */
    struct cron cron;
};

static void refuse_reading(struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void refuse_reading(struct reading *reading, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(reading->reason, sizeof(reading->reason), format, args);
    va_end(args);
    reading->is_accepted = false;
}

/* ---- macros ---- */

/* Jenkins derives the times of macros from the job's name. */
static const struct hashed {
    const char *name, *meaning;
} hashed[] = {
    { "@yearly", "Once a year, at a time derived from the job's name" },
    { "@annually", "Once a year, at a time derived from the job's name" },
    { "@monthly", "Once a month, at a time derived from the job's name" },
    { "@weekly", "Once a week, at a time derived from the job's name" },
    { "@daily", "Once a day, at a time derived from the job's name" },
    { "@midnight", "Once a day between 12:00 AM and 02:59 AM, derived from the job's name" },
    { "@hourly", "Once an hour, at a minute derived from the job's name" },
};

static void read_macro(struct reading *reading, struct text name)
{
    unsigned needed = text_is_any_case(name, "@reboot")     ? REBOOT
                      : text_is_any_case(name, "@every")    ? EVERY
                      : text_is_any_case(name, "@midnight") ? MIDNIGHT
                                                            : STANDARD & ~MIDNIGHT;
    size_t i = 0;
    while (i < countof(hashed) && !text_is_any_case(name, hashed[i].name))
        i++;
    bool is_known = needed == REBOOT || needed == EVERY || i < countof(hashed);
    if (!is_known || (reading->dialect->macros & needed) != needed)
        refuse_reading(reading, "It does not support %.*s", (int)name.size, name.bytes);
    else if (i < countof(hashed) && !text_is(name, hashed[i].name))
        refuse_reading(reading, "Macros are in lower case");
    else if (i < countof(hashed) && strcmp(reading->dialect->name, "jenkins") == 0)
        snprintf(reading->meaning, sizeof(reading->meaning), "%s", hashed[i].meaning);
}

/* ---- fields ---- */

/* The features that it lacks, of all items. */
static unsigned missing_features(const struct reading *reading)
{
    const struct cron *cron = &reading->cron;
    unsigned used = cron->is_and ? PLUS : 0;
    for (enum cron_field field = CRON_SECOND; field < CRON_FIELDS; field++)
        for (size_t i = 0; i < cron->part[field].count && cron->part[field].raw.size > 0; i++)
            used |= dialect_features(cron, field, i) |
                    cron->forms[cron->part[field].item - cron->items + (ptrdiff_t)i];
    return used & ~reading->dialect->features;
}

static void list_features(struct reading *reading, unsigned missing)
{
    scoped(buf_free) struct buf list = BUF(REASON_BYTES / 2);
    int shown = 0;
    for (int i = 0; i < FEATURES && shown < SHOWN_FEATURES; i++)
        if (missing >> i & 1)
            buf_format(&list, "%s%s", shown++ > 0 ? "; " : "", features[i]);
    refuse_reading(reading, "It does not support %s", buf_str(&list));
}

/* An open step of weekdays that ends at Sunday as 7 instead of Saturday. */
static struct cron_item step_to_sunday(const struct cron_item *item)
{
    if (item->kind == CRON_FROM && item->from == 0)
        return (struct cron_item){ CRON_VALUE, 0, 0, 1, 0 };
    int from = item->kind == CRON_ALL ? 1 : item->from;
    return (struct cron_item){ CRON_RANGE, from, 0, item->step, 0 };
}

/* Take out the ranges that the program reads as empty, and the #2 that it ignores. */
static void drop_misread(struct reading *reading, unsigned missing)
{
    struct cron *cron = &reading->cron;
    for (enum cron_field field = CRON_SECOND; field < CRON_FIELDS; field++) {
        struct cron_part *part = &cron->part[field];
        size_t first = (size_t)(part->item - cron->items), kept = 0;
        for (size_t i = 0; i < part->count; i++) {
            struct cron_item item = cron->items[first + i];
            if (cron->forms[first + i] & missing)
                continue;
            if (missing & WEEKDAY_STEP && field == CRON_WEEKDAY && item.step > 1 &&
                (item.kind == CRON_ALL || item.kind == CRON_FROM))
                item = step_to_sunday(&item);
            if (missing & NTH && item.kind == CRON_NTH_WEEKDAY)
                item = (struct cron_item){ CRON_VALUE, item.from, item.from, 1, 0 };
            cron->items[first + kept++] = item;
        }
        part->count = kept;
        cron_fill_set(cron, field);
        if (kept == 0)
            snprintf(
                reading->meaning, sizeof(reading->meaning),
                "Never: it accepts the range across the end of its field, but reads it as empty");
    }
}

static bool is_any(const struct cron *cron, enum cron_field field)
{
    return text_is(cron->part[field].raw, "?");
}

static void combine_days(struct reading *reading)
{
    struct cron *cron = &reading->cron;
    struct text day = cron->part[CRON_DAY].raw, weekday = cron->part[CRON_WEEKDAY].raw;
    enum cron_days days = reading->dialect->days;
    if (days == ONE && is_any(cron, CRON_DAY) == is_any(cron, CRON_WEEKDAY))
        refuse_reading(reading, "Exactly one of day of month and day of week must be ?");
    if (days == AND ||
        (days == OR_UNLESS_STAR && (text_begins(day, "*") || text_begins(weekday, "*"))))
        cron->is_and = true;
}

static void read_fields(struct reading *reading, const struct text *words, unsigned layout)
{
    struct err err = { 0 };
    struct cron_parser parser = { .cron = &reading->cron,
                                  .whole = reading->plan->paste.expression,
                                  .numbering = reading->dialect->numbering,
                                  .err = &err };
    if (!cron_parse_layout(&parser, words, layout == SIX_SECOND || layout == SEVEN_FIELDS,
                           layout == SIX_YEAR || layout == SEVEN_FIELDS)) {
        refuse_reading(reading, "It reads another field: %s", err.message + strlen("expression, "));
        return;
    }
    unsigned missing = missing_features(reading);
    if (missing & ~reading->dialect->misread) {
        list_features(reading, missing & ~reading->dialect->misread);
        return;
    }
    combine_days(reading);
    if (missing)
        drop_misread(reading, missing);
}

/* "5", "5 to 7" */
static const char *field_counts(unsigned layouts)
{
    switch (layouts) {
    case FIVE:
        return "5 fields";
    case SIX_SECOND:
        return "6 fields, the first being seconds";
    case SIX_SECOND | SEVEN_FIELDS:
        return "6 or 7 fields, the first being seconds";
    case SIX_YEAR:
        return "cron(...) with 6 fields, the last being years";
    default:
        return "5 or 6 fields, the first of 6 being seconds";
    }
}

static unsigned layout_of(const struct dialect *dialect, size_t count)
{
    unsigned layout = count == 5   ? FIVE
                      : count == 6 ? dialect->layouts & (SIX_SECOND | SIX_YEAR)
                      : count == 7 ? SEVEN_FIELDS
                                   : 0;
    return layout & dialect->layouts;
}

/* ---- one program ---- */

static void read_words(struct reading *reading)
{
    struct text text = reading->plan->paste.expression;
    struct text words[CRON_FIELDS];
    bool is_call = reading->plan->cron.is_call;
    bool takes_calls = reading->dialect->layouts == SIX_YEAR;
    if (text_begins(text, "TZ=") || text_begins(text, "CRON_TZ=")) {
        refuse_reading(reading, "The time zone is not part of the line");
        return;
    }
    if (is_call && takes_calls)
        return; /* the plan's own reading */
    if (text_begins(text, "@")) {
        read_macro(reading, cron_take_word(&text));
        return;
    }
    size_t count = is_call ? 0 : cron_split(&text, words);
    unsigned layout = layout_of(reading->dialect, count);
    if (reading->dialect->layouts == 0)
        refuse_reading(reading, "It has its own syntax");
    else if (layout == 0 || takes_calls)
        refuse_reading(reading, "It requires %s", field_counts(reading->dialect->layouts));
    else
        read_fields(reading, words, layout);
}

/* Does a field match at the same times? */
static bool is_same_field(const struct cron *ours, const struct cron *theirs, enum cron_field field)
{
    scoped(buf_free) struct buf a = BUF(LINE_BYTES);
    scoped(buf_free) struct buf b = BUF(LINE_BYTES);
    if (!cron_is_restricted(ours, field) && !cron_is_restricted(theirs, field))
        return true;
    cron_write_specials(ours, field, &a);
    cron_write_specials(theirs, field, &b);
    return cron_is_restricted(ours, field) == cron_is_restricted(theirs, field) &&
           memcmp(&ours->part[field].set, &theirs->part[field].set, sizeof(struct cron_set)) == 0 &&
           text_equals(buf_text(&a), buf_text(&b));
}

/* Does the program do what the plan says? */
static bool is_same(const struct cron *ours, const struct cron *theirs)
{
    bool has_both = cron_is_restricted(ours, CRON_DAY) && cron_is_restricted(ours, CRON_WEEKDAY);
    for (enum cron_field field = CRON_SECOND; field < CRON_FIELDS; field++)
        if (!is_same_field(ours, theirs, field))
            return false;
    return !has_both || ours->is_and == theirs->is_and;
}

static void add_meaning(struct reading *reading, cJSON *item)
{
    scoped(buf_free) struct buf text = BUF(LINE_BYTES);
    const struct plan *plan = reading->plan;
    bool has_fields = reading->cron.part[CRON_MINUTE].item != NULL;
    if (*reading->meaning)
        buf_add_str(&text, reading->meaning);
    else if (has_fields && !is_same(&plan->cron, &reading->cron))
        cron_describe(&reading->cron, &plan->wording, &text);
    json_str(item, "meaning", reading->is_accepted && text.size > 0 ? buf_str(&text) : NULL);
}

static void add_rewritten(struct reading *reading, const char *zone, cJSON *item)
{
    scoped(buf_free) struct buf line = BUF(LINE_BYTES);
    const char *why = NULL;
    bool ok = dialect_write(reading->dialect, &reading->plan->cron, zone, &line, &why);
    if (!ok && !*reading->reason)
        snprintf(reading->reason, sizeof(reading->reason), "Not as meant: %s", why);
    else if (!ok && strlen(reading->reason) + strlen(why) + 3 < sizeof(reading->reason))
        snprintf(reading->reason + strlen(reading->reason),
                 sizeof(reading->reason) - strlen(reading->reason), "; %s", why);
    json_str(item, "reason", *reading->reason ? reading->reason : NULL);
    json_str(item, "rewritten", ok && !line.full ? buf_str(&line) : NULL);
}

void plan_add_dialects(const struct plan *plan, cJSON *result)
{
    cJSON *list = json_list(result, "dialects");
    const char *zone = strcmp(zone_name(plan->zone), "UTC") == 0 ? NULL : zone_name(plan->zone);
    for (size_t i = 0; i < countof(dialects); i++) {
        struct reading reading = { .dialect = &dialects[i], .plan = plan, .is_accepted = true };
        cJSON *item = json_item(list);
        read_words(&reading);
        json_str(item, "dialect", dialects[i].name);
        json_bool(item, "accepted", reading.is_accepted);
        add_meaning(&reading, item);
        add_rewritten(&reading, zone, item);
        json_str(item, "note", dialects[i].note);
    }
}
