/* svc-chat/zone.c - time zones by TZif files. A file is a few kilobytes and read for each call:
 * it comes from the page cache, and changes of the system's data show at once. */
#include "zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "posix-tz.h"

enum {
    FILE_MAX_BYTES = 64 * 1024, /* the largest there are have 4 KB */
    NAME_MAX_BYTES = 64,
    HEADER_BYTES = 44,
    TIME_BYTES = 8,
    TYPE_BYTES = 6,
    DAY_SECONDS = 86400,
};

static const char directory[] = "/usr/share/zoneinfo";

struct zone {
    struct buf file;
    const unsigned char *times;   /* of transitions, ascending */
    const unsigned char *indices; /* the type from each transition on */
    const unsigned char *types;
    size_t time_count;
    size_t type_count;
    bool has_rule; /* for the time after the last transition */
    struct posix_tz rule;
};

/* ---- the file, RFC 8536 section 3 ---- */

/* Counts of a header, in its order. */
struct counts {
    size_t isut, isstd, leap, time, type, chars;
};

static uint32_t read_32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int64_t read_64(const unsigned char *at)
{
    return (int64_t)((uint64_t)read_32(at) << 32 | read_32(at + 4));
}

/* The header at an offset; false when it is none, or its counts are larger than any file. */
static bool read_header(struct text file, size_t at, struct counts *counts)
{
    size_t *const field[] = { &counts->isut, &counts->isstd, &counts->leap,
                              &counts->time, &counts->type,  &counts->chars };
    if (file.size < at + HEADER_BYTES || memcmp(file.bytes + at, "TZif", 4) != 0 ||
        file.bytes[at + 4] < '2')
        return false;
    const unsigned char *bytes = (const unsigned char *)file.bytes + at + 20;
    for (size_t i = 0; i < countof(field); i++, bytes += 4) {
        *field[i] = read_32(bytes);
        if (*field[i] > FILE_MAX_BYTES)
            return false;
    }
    return true;
}

static size_t block_bytes(const struct counts *counts, size_t time_bytes)
{
    return counts->time * (time_bytes + 1) + counts->type * TYPE_BYTES + counts->chars +
           counts->leap * (time_bytes + 4) + counts->isstd + counts->isut;
}

static bool has_valid_indices(const struct zone *zone)
{
    for (size_t i = 0; i < zone->time_count; i++)
        if (zone->indices[i] >= zone->type_count)
            return false;
    return true;
}

/* Behind the data stands a POSIX TZ string between line feeds; an empty one says nothing. */
static bool read_footer(struct text file, size_t at, struct zone *zone)
{
    if (at + 2 > file.size || file.bytes[at] != '\n' || file.bytes[file.size - 1] != '\n')
        return false;
    if (at + 2 == file.size)
        return true;
    scoped(mem_free) char *text = mem_dup(file.bytes + at + 1, file.size - at - 2);
    zone->has_rule = posix_tz_parse(text, &zone->rule);
    return zone->has_rule;
}

/* Version 1's data has 32-bit times; what we read is the second block. Leap seconds ("right/")
 * count otherwise than Unix time does. */
static bool read_file(struct zone *zone)
{
    struct text file = buf_text(&zone->file);
    struct counts first, counts;

    if (!read_header(file, 0, &first))
        return false;
    size_t at = HEADER_BYTES + block_bytes(&first, 4);
    if (!read_header(file, at, &counts) || counts.type == 0 || counts.leap > 0)
        return false;
    at += HEADER_BYTES;
    size_t footer = at + block_bytes(&counts, TIME_BYTES);
    if (footer > file.size)
        return false;
    zone->time_count = counts.time;
    zone->type_count = counts.type;
    zone->times = (const unsigned char *)file.bytes + at;
    zone->indices = zone->times + counts.time * TIME_BYTES;
    zone->types = zone->indices + counts.time;
    return has_valid_indices(zone) && read_footer(file, footer, zone);
}

/* ---- opening ---- */

/* One to three parts of letters, digits and _ + -, so that no name leaves the directory. */
static bool is_name(const char *name)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-";
    if (strlen(name) > NAME_MAX_BYTES)
        return false;
    for (int parts = 1; parts <= 3; parts++) {
        size_t size = strspn(name, letters);
        name += size;
        if (size == 0)
            return false;
        if (*name == '\0')
            return true;
        if (*name++ != '/')
            return false;
    }
    return false;
}

/* Files of the directory that are no zones of their own. */
static bool is_private_name(const char *name)
{
    return strncmp(name, "posix/", 6) == 0 || strncmp(name, "right/", 6) == 0 ||
           strcmp(name, "localtime") == 0 || strcmp(name, "posixrules") == 0;
}

static bool open_file(const char *name, struct zone *zone)
{
    if (!is_name(name) || is_private_name(name))
        return false;
    scoped(mem_free) char *path = str_format("%s/%s", directory, name);
    return file_read(path, &zone->file, NULL) && read_file(zone);
}

/* "+05:30" is a zone whose rule has no summer time. */
static bool open_offset(const char *name, struct zone *zone)
{
    int64_t hours, minutes;
    if ((name[0] != '+' && name[0] != '-') || strlen(name) != strlen("+hh:mm") || name[3] != ':' ||
        !num_parse((struct text){ name + 1, 2 }, 23, &hours) ||
        !num_parse((struct text){ name + 4, 2 }, 59, &minutes))
        return false;
    int32_t seconds = (int32_t)(hours * 60 + minutes) * 60;
    zone->rule.offset = name[0] == '-' ? -seconds : seconds;
    zone->has_rule = true;
    return true;
}

bool zone_open(const char *name, struct zone **zone, struct err *err)
{
    scoped(zone_free) struct zone *opened = mem_new(sizeof(*opened));
    opened->file = (struct buf)BUF(FILE_MAX_BYTES);
    if (!open_offset(name, opened) && !open_file(name, opened))
        return err_set(
            err, ERR_INVALID_TIMEZONE,
            "timezone must be an IANA name such as Europe/Berlin or an offset as +05:30, "
            "not %.40s",
            name);
    *zone = take(opened);
    return true;
}

void zone_free(struct zone **zone)
{
    if (*zone)
        buf_free(&(*zone)->file);
    mem_free(zone);
}

/* ---- asking ---- */

static int32_t offset_of_type(const struct zone *zone, size_t type)
{
    return (int32_t)read_32(zone->types + type * TYPE_BYTES);
}

/* How many transitions are at or before an instant. */
static size_t transitions_until(const struct zone *zone, int64_t unix_s)
{
    size_t low = 0;
    size_t high = zone->time_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (read_64(zone->times + middle * TIME_BYTES) <= unix_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t zone_offset(const struct zone *zone, int64_t unix_s)
{
    if (!zone)
        return 0;
    size_t passed = transitions_until(zone, unix_s);
    if (passed == zone->time_count && zone->has_rule)
        return posix_tz_offset(&zone->rule, unix_s);
    return offset_of_type(zone, passed == 0 ? 0 : zone->indices[passed - 1]);
}

struct zone_reading zone_read(const struct zone *zone, int64_t local_s)
{
    /* no two changes of a clock lie within two days */
    int32_t before = zone_offset(zone, local_s - DAY_SECONDS);
    int32_t after = zone_offset(zone, local_s + DAY_SECONDS);
    bool fits_before = zone_offset(zone, local_s - before) == before;
    bool fits_after = zone_offset(zone, local_s - after) == after;

    if (fits_before && fits_after && before != after)
        return (struct zone_reading){ local_s - before, ZONE_OVERLAP, before, after };
    if (fits_after)
        return (struct zone_reading){ local_s - after, ZONE_PLAIN, after, after };
    return (struct zone_reading){ local_s - before, fits_before ? ZONE_PLAIN : ZONE_GAP, before,
                                  fits_before ? before : after };
}

void zone_format_offset(char out[static ZONE_OFFSET_BYTES], int32_t offset)
{
    char text[64];
    int seconds = abs(offset);
    size_t size = (size_t)snprintf(text, sizeof(text), "%c%02d:%02d:%02d", offset < 0 ? '-' : '+',
                                   seconds / 3600, seconds / 60 % 60, seconds % 60);
    if (seconds % 60 == 0)
        text[size - strlen(":00")] = '\0';
    snprintf(out, ZONE_OFFSET_BYTES, "%.15s", text);
}
