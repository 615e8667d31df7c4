/*
 * svc-utils/cron-explain/dialect.h - a program that runs cron expressions, as a row of
 * dialects.def: what it accepts, and how to write a schedule for it.
 */
#pragma once

#include "cron-explain/expression/cron.h"

/* What some accept and others do not: the bits of enum cron_form, then these. */
enum cron_feature {
    NAME = CRON_FORM_NAME,
    FULL_NAME = CRON_FORM_FULL_NAME,
    SEVEN = CRON_FORM_SEVEN,
    ANY = CRON_FORM_ANY,
    OPEN_STEP = CRON_FORM_OPEN_STEP,
    WRAP = CRON_FORM_WRAP,
    REVERSED = CRON_FORM_REVERSED,
    HASH_L = CRON_FORM_HASH_L,
    LAST_OF_WEEK = CRON_FORM_LAST_OF_WEEK,
    TO_SUNDAY = CRON_FORM_TO_SUNDAY,
    TO_ZERO = CRON_FORM_TO_ZERO,
    REPEATED = CRON_FORM_REPEATED,
    LAST = 1 << 12,
    LAST_OFFSET = 1 << 13,
    TO_LAST = 1 << 14,
    NEAR = 1 << 15,
    LAST_WORKDAY = 1 << 16,
    OFFSET_WORKDAY = 1 << 17,
    NTH = 1 << 18,
    LAST_WEEKDAY = 1 << 19,
    NTH_RANGE = 1 << 20,
    SPECIAL_LIST = 1 << 21,
    WORKDAY_LIST = 1 << 22,
    NTH_LIST = 1 << 23,
    PLUS = 1 << 24,
    WEEKDAY_STEP = 1 << 25,
    FEATURES = 26,
};

enum cron_layout { FIVE = 1, SIX_SECOND = 2, SIX_YEAR = 4, SEVEN_FIELDS = 8 };

enum cron_macros {
    MIDNIGHT = 1,
    STANDARD = 3, /* @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly */
    REBOOT = 4,
    EVERY = 8,
};

/* How both day fields combine; with ONE, exactly one of them is ?. */
enum cron_days { OR, AND, OR_UNLESS_STAR, ONE };

struct dialect {
    const char *name;
    unsigned layouts; /* 0: another syntax */
    enum cron_numbering numbering;
    unsigned macros;
    enum cron_days days;
    unsigned features;
    unsigned misread; /* of the others: a WRAP matches nothing, the #2 of an NTH is ignored, and an
                         open WEEKDAY_STEP counts from Monday to Sunday */
    const char *note;
};

/* The features that an item uses. */
unsigned dialect_features(const struct cron *cron, enum cron_field field, size_t index);

/*
 * Write a schedule for a dialect; zone is for systemd, NULL if none was asked for. Lines of which
 * each runs are separated by line feeds. False if the dialect cannot express it; *why is the
 * reason, a static text.
 */
bool dialect_write(const struct dialect *dialect, const struct cron *cron, const char *zone,
                   struct buf *out, const char **why) must_check;

/* The same for timer units of systemd: lines OnCalendar=. */
bool systemd_write(const struct cron *cron, const char *zone, struct buf *out,
                   const char **why) must_check;
