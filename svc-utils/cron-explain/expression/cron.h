/*
 * svc-utils/cron-explain/expression/cron.h - a cron expression as items and sets of values, which
 * everything else here reads. parse.h makes it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "text/time/zone.h"

enum cron_field {
    CRON_SECOND,
    CRON_MINUTE,
    CRON_HOUR,
    CRON_DAY,
    CRON_MONTH,
    CRON_WEEKDAY, /* 0 = Sunday */
    CRON_YEAR,
    CRON_FIELDS
};

enum {
    CRON_BYTES_MAX = 256,
    CRON_ITEMS_MAX = CRON_BYTES_MAX / 2 + CRON_FIELDS,
    CRON_YEAR_MIN = 1970,
    CRON_YEAR_MAX = 9999,
    CRON_SET_WORDS = (CRON_YEAR_MAX - CRON_YEAR_MIN) / 64 + 1,
    CRON_EVERY_MAX_S = 366 * 24 * 3600,
    CRON_TO_LAST_DAY = 32, /* end of a range of days, 20-L */
    CRON_AT_BYTES = 32,
};

/* How weekdays are counted: 0 to 7 from Sunday, 1 to 7 from Sunday, 0 to 6 from Monday. */
enum cron_numbering { CRON_SUNDAY_0, CRON_SUNDAY_1, CRON_MONDAY_0 };

/* How an item is written, which its canonical form does not keep: bits of cron.forms[]. */
enum cron_form {
    CRON_FORM_NAME = 1 << 0,         /* MON */
    CRON_FORM_FULL_NAME = 1 << 1,    /* Monday */
    CRON_FORM_SEVEN = 1 << 2,        /* Sunday as 7 */
    CRON_FORM_ANY = 1 << 3,          /* ? */
    CRON_FORM_OPEN_STEP = 1 << 4,    /* 5/20 */
    CRON_FORM_WRAP = 1 << 5,         /* 22-2 */
    CRON_FORM_REVERSED = 1 << 6,     /* W15, WL, LFRI */
    CRON_FORM_HASH_L = 1 << 7,       /* 5#L */
    CRON_FORM_LAST_OF_WEEK = 1 << 8, /* L as a weekday */
    CRON_FORM_TO_SUNDAY = 1 << 9,    /* FRI-SUN */
    CRON_FORM_TO_ZERO = 1 << 10,     /* 5-0 */
    CRON_FORM_REPEATED = 1 << 11,    /* an item with a value of an earlier one */
};

/*
 * One item of a list, in canonical form: a step of 1 is not stored; 0/5 in minutes is CRON_ALL with
 * step 5, and 3/2 in months is a CRON_RANGE to December.
 */
struct cron_item {
    enum cron_item_kind {
        CRON_ALL,
        CRON_VALUE,    /* from */
        CRON_RANGE,    /* from to to; to < from: wraps around the field's end */
        CRON_FROM,     /* from to the field's end, with a step; a year may be before the first */
        CRON_LAST_DAY, /* nth days before the month's last day */
        CRON_LAST_WORKDAY, /* the weekday nearest to that day */
        CRON_NEAR_DAY,     /* the weekday nearest to day from */
        CRON_NTH_WEEKDAY,  /* the nth of each weekday from to to */
        CRON_LAST_WEEKDAY, /* the last of each weekday from to to */
    } kind;
    int from;
    int to;
    int step;
    int nth;
};

/* Values of a field, counted from its minimum. */
struct cron_set {
    uint64_t word[CRON_SET_WORDS];
};

struct cron_part {
    struct text raw; /* as written; empty if the field is missing */
    const struct cron_item *item;
    size_t count;
    struct cron_set set; /* the values that do not depend on the month */
};

enum cron_kind { CRON_SCHEDULE, CRON_EVERY, CRON_REBOOT };

struct cron {
    enum cron_kind kind;
    const char *format; /* standard, seconds, year, seconds_year, macro */
    int64_t every_s;    /* of CRON_EVERY */
    bool is_and;        /* a + before the weekdays: both day fields must match */
    enum cron_numbering numbering;
    bool is_call;                 /* cron(), rate() or at() of EventBridge */
    char zone[ZONE_NAME_MAX + 1]; /* from the prefix; "" without one */
    struct cron_part part[CRON_FIELDS];
    size_t item_count;
    struct cron_item items[CRON_ITEMS_MAX];
    unsigned forms[CRON_ITEMS_MAX]; /* of each item: bits of enum cron_form */
    char expanded[CRON_AT_BYTES];   /* at() as fields, which raw points into */
};

/*
 * Append the canonical form: numbers for names, Sunday as 0, and only the given fields. With a year
 * it includes the second, because six fields would be ambiguous.
 */
void cron_write(const struct cron *cron, struct buf *out);

/* The same for the items of a field that depend on the month, such as L. */
void cron_write_specials(const struct cron *cron, enum cron_field field, struct buf *out);

/* Minimum, maximum and English name of a field. */
int cron_min(enum cron_field field);
int cron_max(enum cron_field field);
const char *cron_field_name(enum cron_field field);

/* "January", "Sunday". */
const char *cron_value_name(enum cron_field field, int value);

bool cron_has(const struct cron *cron, enum cron_field field, int value);

/* Make the set of a field from its items again. */
void cron_fill_set(struct cron *cron, enum cron_field field);

/* The field's first value from `from`; -1 if not found. */
int cron_next_value(const struct cron *cron, enum cron_field field, int from);

/* Does the field exclude any value (no item is a plain *)? */
bool cron_is_restricted(const struct cron *cron, enum cron_field field);

/* Is every item of the field a plain value? */
bool cron_is_plain(const struct cron *cron, enum cron_field field);
