/* common/text/time/zone.c - TZif files (RFC 8536), and the rule in their footer (section 3.3). */
#include "text/time/zone.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/file.h"
#include "text/time/datetime.h"

#define ZONE_FOLDER "/usr/share/zoneinfo"

enum {
    FILE_MAX_BYTES = 128 * 1024, /* the largest of 2026 has 4 KB */
    HEADER_BYTES = 44,
    TYPE_BYTES = 6,
    RULE_TIME_MAX_S = 167 * 3600 + 59 * 60 + 59,
};

#define INSTANT_MAX \
    ((int64_t)1 << 60) /* limits in the file are closer, so adding offsets cannot overflow */

/* One of a footer's two days on which the offset changes, in one of the three notations. */
struct rule_date {
    enum { RULE_JULIAN, RULE_DAY, RULE_WEEKDAY } kind;
    int day; /* 1..365 without February 29, or 0..365 with it, or a weekday, 0 = Sunday */
    int week;
    int month;
    int32_t time_s; /* local time before the change; may be on another day */
};

struct rule {
    bool has_summer;
    int32_t winter_offset_s;
    int32_t summer_offset_s;
    struct rule_date summer_begin;
    struct rule_date summer_end;
};

struct change {
    int64_t at_s;
    int32_t offset_s; /* from then on */
};

struct zone {
    char name[ZONE_NAME_MAX + 1];
    int32_t first_offset_s; /* before the first change */
    size_t change_count;
    struct change *changes;
    struct rule rule; /* after the last change */
};

/* ---- the footer ---- */

static bool footer_byte(struct text *text, char byte)
{
    if (text->size == 0 || *text->bytes != byte)
        return false;
    text->bytes++;
    text->size--;
    return true;
}

static bool footer_number(struct text *text, int64_t min, int64_t max, int *value)
{
    int64_t number;
    size_t digits = 0;
    while (digits < text->size && isdigit((unsigned char)text->bytes[digits]))
        digits++;
    if (!num_parse((struct text){ text->bytes, digits }, max, &number) || number < min)
        return false;
    text->bytes += digits;
    text->size -= digits;
    *value = (int)number;
    return true;
}

/* hh[:mm[:ss]], with a sign. */
static bool footer_time(struct text *text, int32_t *seconds)
{
    int part[3] = { 0 };
    bool is_negative = footer_byte(text, '-');
    if (!is_negative)
        footer_byte(text, '+');
    if (!footer_number(text, 0, 167, &part[0]))
        return false;
    for (int i = 1; i < 3 && footer_byte(text, ':'); i++)
        if (!footer_number(text, 0, 59, &part[i]))
            return false;
    *seconds = part[0] * 3600 + part[1] * 60 + part[2];
    if (is_negative)
        *seconds = -*seconds;
    return true;
}

/* POSIX offsets count westward. */
static bool footer_offset(struct text *text, int32_t *offset_s)
{
    if (!footer_time(text, offset_s) || abs(*offset_s) >= ZONE_OFFSET_MAX_S)
        return false;
    *offset_s = -*offset_s;
    return true;
}

/* A name of letters, or of any characters in angle brackets; it is ignored. */
static bool footer_name(struct text *text)
{
    const char *start = text->bytes;
    bool is_quoted = footer_byte(text, '<');
    while (text->size > 0 &&
           (is_quoted ? *text->bytes != '>' : isalpha((unsigned char)*text->bytes)))
        footer_byte(text, *text->bytes);
    return is_quoted ? footer_byte(text, '>') : text->bytes > start;
}

static bool footer_date(struct text *text, struct rule_date *date)
{
    bool ok;
    if (footer_byte(text, 'M')) {
        date->kind = RULE_WEEKDAY;
        ok = footer_number(text, 1, 12, &date->month) && footer_byte(text, '.') &&
             footer_number(text, 1, 5, &date->week) && footer_byte(text, '.') &&
             footer_number(text, 0, 6, &date->day);
    } else {
        date->kind = footer_byte(text, 'J') ? RULE_JULIAN : RULE_DAY;
        ok = footer_number(text, date->kind == RULE_JULIAN ? 1 : 0, 365, &date->day);
    }
    date->time_s = 2 * 3600;
    return ok && (!footer_byte(text, '/') || footer_time(text, &date->time_s));
}

static bool footer_parse(struct text text, struct rule *rule)
{
    if (!footer_name(&text) || !footer_offset(&text, &rule->winter_offset_s))
        return false;
    rule->has_summer = text.size > 0;
    if (!rule->has_summer)
        return true;
    rule->summer_offset_s = rule->winter_offset_s + 3600;
    if (!footer_name(&text))
        return false;
    if (text.size > 0 && *text.bytes != ',' && !footer_offset(&text, &rule->summer_offset_s))
        return false;
    return footer_byte(&text, ',') && footer_date(&text, &rule->summer_begin) &&
           footer_byte(&text, ',') && footer_date(&text, &rule->summer_end) && text.size == 0;
}

/* The change's local time, in seconds, in one year. */
static int64_t rule_local(const struct rule_date *date, int year)
{
    int64_t days = date_to_days((struct date){ year, 1, 1 });
    switch (date->kind) {
    case RULE_JULIAN: /* day 60 is always March 1 */
        days += date->day - 1 + (date->day >= 60 && date_month_days(year, 2) == 29);
        break;
    case RULE_DAY:
        days += date->day;
        break;
    case RULE_WEEKDAY: {
        days = date_to_days((struct date){ year, date->month, 1 });
        int first = (date->day - date_weekday(days) + 7) % 7;
        int day = first + 7 * (date->week - 1);
        days += day < date_month_days(year, date->month) ? day : day - 7; /* week 5: the last */
        break;
    }
    }
    return days * DAY_SECONDS + date->time_s;
}

/* Keep the changes sorted by time; of two at one instant, the one added later comes later. */
static void add_change(struct change *changes, size_t *count, int64_t at_s, int32_t offset_s)
{
    size_t place = (*count)++;
    for (; place > 0 && changes[place - 1].at_s > at_s; place--)
        changes[place] = changes[place - 1];
    changes[place] = (struct change){ at_s, offset_s };
}

/*
 * The span of an instant after the table. A rule's times may leave their year by a week, so
 * neighboring years also count. The end of summer time is added first: summer time that lasts all
 * year ends and begins at one instant.
 */
static void rule_span(const struct rule *rule, int64_t instant_s, struct zone_span *span)
{
    struct change changes[6] = { 0 };
    size_t count = 0;
    int year = date_of_days(instant_s / DAY_SECONDS).year;

    if (!rule->has_summer) {
        *span = (struct zone_span){ INT64_MIN, INT64_MAX, rule->winter_offset_s,
                                    rule->winter_offset_s };
        return;
    }
    for (int y = year - 1; y <= year + 1; y++) {
        add_change(changes, &count, rule_local(&rule->summer_end, y) - rule->summer_offset_s,
                   rule->winter_offset_s);
        add_change(changes, &count, rule_local(&rule->summer_begin, y) - rule->winter_offset_s,
                   rule->summer_offset_s);
    }
    size_t next = 1;
    while (next < count - 1 && changes[next].at_s <= instant_s)
        next++;
    *span = (struct zone_span){ changes[next - 1].at_s, changes[next].at_s,
                                changes[next - 1].offset_s, changes[next].offset_s };
}

/* ---- the file ---- */

struct header {
    int64_t isut_count, isstd_count, leap_count, time_count, type_count, char_count;
};

static int64_t big_endian(const char *bytes, size_t size)
{
    uint64_t value = bytes[0] & 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | (unsigned char)bytes[i];
    return (int64_t)value;
}

/* Take the header, and return how many bytes of data follow it. */
static bool take_header(struct text *file, int64_t time_bytes, struct header *header,
                        int64_t *data_bytes)
{
    if (file->size < HEADER_BYTES || memcmp(file->bytes, "TZif", 4) != 0 || file->bytes[4] < '2')
        return false;
    const char *counts = file->bytes + 20;
    int64_t *count[] = { &header->isut_count, &header->isstd_count, &header->leap_count,
                         &header->time_count, &header->type_count,  &header->char_count };
    for (size_t i = 0; i < countof(count); i++) {
        *count[i] = big_endian(counts + 4 * i, 4);
        if (*count[i] < 0)
            return false;
    }
    file->bytes += HEADER_BYTES;
    file->size -= HEADER_BYTES;
    *data_bytes = header->time_count * (time_bytes + 1) + header->type_count * TYPE_BYTES +
                  header->char_count + header->leap_count * (time_bytes + 4) + header->isstd_count +
                  header->isut_count;
    return *data_bytes <= (int64_t)file->size;
}

static bool type_offset(const char *types, int64_t index, int32_t *offset_s)
{
    int64_t offset = big_endian(types + index * TYPE_BYTES, 4);
    if (llabs(offset) >= ZONE_OFFSET_MAX_S)
        return false;
    *offset_s = (int32_t)offset;
    return true;
}

/* The version 2 data: times, the type of each, types. */
static bool read_changes(const char *data, const struct header *header, struct zone *zone)
{
    const char *indexes = data + header->time_count * 8;
    const char *types = indexes + header->time_count;
    if (header->type_count == 0 || header->leap_count > 0 ||
        !type_offset(types, 0, &zone->first_offset_s))
        return false;
    zone->change_count = (size_t)header->time_count;
    zone->changes = mem_array(zone->change_count, sizeof(*zone->changes));
    for (size_t i = 0; i < zone->change_count; i++) {
        struct change *change = &zone->changes[i];
        unsigned char type = (unsigned char)indexes[i];
        change->at_s = big_endian(data + 8 * i, 8);
        if (change->at_s < -INSTANT_MAX || change->at_s > INSTANT_MAX ||
            (i > 0 && change->at_s <= change[-1].at_s) || type >= header->type_count ||
            !type_offset(types, type, &change->offset_s))
            return false;
    }
    return true;
}

/* A line feed, the rule, a line feed; without a rule, the last offset stays. */
static bool read_footer(struct text text, struct zone *zone)
{
    if (!footer_byte(&text, '\n'))
        return false;
    const char *end = memchr(text.bytes, '\n', text.size);
    if (!end)
        return false;
    zone->rule.winter_offset_s = zone->change_count > 0
                                     ? zone->changes[zone->change_count - 1].offset_s
                                     : zone->first_offset_s;
    text.size = (size_t)(end - text.bytes);
    return text.size == 0 || footer_parse(text, &zone->rule);
}

bool zone_parse(struct text tzif, const char *name, struct zone **address)
{
    scoped(zone_free) struct zone *zone = mem_new(sizeof(*zone));
    struct header header;
    int64_t data_bytes;

    assert(strlen(name) <= ZONE_NAME_MAX);
    memcpy(zone->name, name, strlen(name));
    if (!take_header(&tzif, 4, &header, &data_bytes))
        return false;
    tzif.bytes += data_bytes;
    tzif.size -= (size_t)data_bytes;
    if (!take_header(&tzif, 8, &header, &data_bytes) || !read_changes(tzif.bytes, &header, zone))
        return false;
    tzif.bytes += data_bytes;
    tzif.size -= (size_t)data_bytes;
    if (!read_footer(tzif, zone))
        return false;
    *address = take(zone);
    return true;
}

void zone_free(struct zone **zone)
{
    if (!*zone)
        return;
    mem_free(&(*zone)->changes);
    mem_free(zone);
}

const char *zone_name(const struct zone *zone)
{
    return zone->name;
}

/* ---- names ---- */

static bool is_name(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length > ZONE_NAME_MAX || name[0] == '/' || strstr(name, "//"))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("/_+-", name[i]))
            return false;
    return true;
}

static void close_folder(DIR **folder)
{
    if (*folder)
        closedir(*folder);
}

/* Replace length bytes at part by the folder's spelling. */
static bool spell_path(const char *folder_path, char *part, size_t length)
{
    scoped(close_folder) DIR *folder = opendir(folder_path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (strlen(entry->d_name) != length || strncasecmp(entry->d_name, part, length) != 0)
            continue;
        memcpy(part, entry->d_name, length);
        return true;
    }
    return false;
}

/* Convert a name to the database's case, part by part. */
static bool spell_name(char *name)
{
    size_t length;
    for (char *part = name; *part; part += length + (part[length] == '/')) {
        scoped(buf_free) struct buf folder = BUF(256);
        buf_format(&folder, ZONE_FOLDER "/%.*s", (int)(part - name), name);
        length = strcspn(part, "/");
        if (!spell_path(buf_str(&folder), part, length))
            return false;
    }
    return true;
}

static bool load_file(const char *name, struct zone **zone)
{
    /* copies of the database with other rules, and the machine's default */
    static const char *const no_names[] = { "posix/", "right/", "localtime", "posixrules" };
    scoped(buf_free) struct buf path = BUF(256);
    scoped(buf_free) struct buf file = BUF(FILE_MAX_BYTES);

    for (size_t i = 0; i < countof(no_names); i++)
        if (strncmp(name, no_names[i], strlen(no_names[i])) == 0)
            return false;
    buf_format(&path, ZONE_FOLDER "/%s", name);
    return file_read(buf_str(&path), &file, NULL) && zone_parse(buf_text(&file), name, zone);
}

static struct zone *fixed_zone(int32_t offset_s)
{
    struct zone *zone = mem_new(sizeof(*zone));
    int minutes = abs(offset_s) / 60;
    zone->first_offset_s = zone->rule.winter_offset_s = offset_s;
    snprintf(zone->name, sizeof(zone->name), "%c%02d:%02d", offset_s < 0 ? '-' : '+', minutes / 60,
             minutes % 60);
    return zone;
}

bool zone_load(const char *name, struct zone **zone, struct err *err)
{
    char spelled[ZONE_NAME_MAX + 1];
    int32_t offset_s;
    if (zone_offset_parse(text_of(name), &offset_s)) {
        *zone = fixed_zone(offset_s);
        return true;
    }
    if (strcasecmp(name, "UTC") == 0) { /* works without the package, too */
        *zone = fixed_zone(0);
        memcpy((*zone)->name, "UTC", sizeof("UTC"));
        return true;
    }
    if (is_name(name)) {
        memcpy(spelled, name, strlen(name) + 1);
        if (load_file(spelled, zone) || (spell_name(spelled) && load_file(spelled, zone)))
            return true;
    }
    return err_set(err, ERR_INVALID_TIMEZONE,
                   "timezone %.40s is unknown; use an IANA name such as Europe/Paris, UTC, or an "
                   "offset such as +05:30",
                   name);
}

/* ---- queries ---- */

/* The number of the table's changes at or before an instant. */
static size_t changes_until(const struct zone *zone, int64_t instant_s)
{
    size_t low = 0;
    size_t high = zone->change_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (zone->changes[middle].at_s <= instant_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void zone_span_at(const struct zone *zone, int64_t instant_s, struct zone_span *span)
{
    size_t count = zone->change_count;
    size_t passed = changes_until(zone, instant_s);

    if (passed == count && count > 0) {
        int32_t table_s = count > 1 ? zone->changes[count - 2].offset_s : zone->first_offset_s;
        int64_t last_s = zone->changes[count - 1].at_s;
        rule_span(&zone->rule, instant_s, span);
        if (span->begin_s <= last_s) { /* the rule continues where the table ends */
            span->begin_s = last_s;
            span->offset_before_s = table_s;
        }
        return;
    }
    if (count == 0) {
        rule_span(&zone->rule, instant_s, span);
        return;
    }
    span->begin_s = passed > 0 ? zone->changes[passed - 1].at_s : INT64_MIN;
    span->end_s = zone->changes[passed].at_s;
    span->offset_s = passed > 0 ? zone->changes[passed - 1].offset_s : zone->first_offset_s;
    span->offset_before_s = passed > 1 ? zone->changes[passed - 2].offset_s : zone->first_offset_s;
}

enum zone_fit zone_instant(const struct zone *zone, int64_t local_s, int64_t *instant_s)
{
    struct zone_span span;
    int64_t gap_instant_s = local_s;
    int found = 0;
    for (int64_t at_s = local_s - ZONE_OFFSET_MAX_S; at_s <= local_s + ZONE_OFFSET_MAX_S;
         at_s = span.end_s) {
        zone_span_at(zone, at_s, &span);
        int64_t candidate_s = local_s - span.offset_s;
        if (candidate_s >= span.begin_s && candidate_s < span.end_s && found++ == 0)
            *instant_s = candidate_s;
        if (span.begin_s != INT64_MIN && candidate_s < span.begin_s &&
            local_s - span.offset_before_s >= span.begin_s)
            gap_instant_s = local_s - span.offset_before_s;
        if (span.end_s == INT64_MAX)
            break;
    }
    if (found == 0)
        *instant_s = gap_instant_s;
    return found == 0 ? ZONE_GAP : found == 1 ? ZONE_ONCE : ZONE_TWICE;
}
