/*
 * svc-security/openapi-validate/diff/sunset.h - what a document says of the end of its parts, and
 * how stable they are.
 */
#pragma once

#include "changes.h"

/* The day that an x-sunset names; false when it is no date. */
bool sunset_day(const struct node *node, int64_t *day);

/* What an operation, a parameter or a property says of its end. */
struct ending {
    bool is_deprecated;
    const struct node *sunset; /* NULL: no x-sunset */
};

enum sunset_change {
    SUNSET_KEPT,    /* or nothing to tell */
    SUNSET_MISSING, /* newly deprecated without one, in a document that has them elsewhere: one that
                     * has none promises no dates, and nobody misses one */
    SUNSET_INVALID, /* no date */
    SUNSET_PAST,    /* a new one, before today */
    SUNSET_DELETED,
    SUNSET_EARLIER, /* than it was */
    SUNSET_CHANGES
};

/* What became of the sunset of something that is deprecated now. */
enum sunset_change sunset_change(const struct diff *diff, const struct ending *old,
                                 const struct ending *new);

/* Tell it of two operations or parameters, by a kind of change for each. */
void diff_sunset(struct diff *diff, const enum change_kind kinds[static SUNSET_CHANGES],
                 const struct node *old, const struct node *new);

enum stability {
    STABILITY_DRAFT,
    STABILITY_ALPHA,
    STABILITY_BETA,
    STABILITY_STABLE,
    STABILITY_BAD
};

/* The x-stability-level of an object; stable when it has none. */
enum stability stability_of(const struct node *node);
