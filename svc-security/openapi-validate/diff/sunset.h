/*
 * svc-security/openapi-validate/diff/sunset.h - deprecation, x-sunset and x-stability-level of a
 * document's parts.
 */
#pragma once

#include "changes.h"

/* The day of an x-sunset. Returns false if it is not a date. */
bool sunset_day(const struct node *node, int64_t *day);

/* Deprecation of an operation, a parameter or a property. */
struct deprecation {
    bool is_deprecated;
    const struct node *sunset; /* or NULL */
};

enum sunset_change {
    SUNSET_KEPT,    /* unchanged, or not applicable */
    SUNSET_MISSING, /* newly deprecated without one, although the document has others */
    SUNSET_INVALID, /* not a date */
    SUNSET_PAST,    /* new, and before today */
    SUNSET_DELETED,
    SUNSET_EARLIER, /* earlier than before */
    SUNSET_CHANGES
};

/* How the sunset of a deprecated part changed. */
enum sunset_change sunset_change(const struct diff *diff, const struct deprecation *old,
                                 const struct deprecation *new);

/* Report it for two operations or parameters, with a kind of change for each enum value. */
void diff_sunset(struct diff *diff, const enum change_kind kinds[static SUNSET_CHANGES],
                 const struct node *old, const struct node *new);

enum stability {
    STABILITY_DRAFT,
    STABILITY_ALPHA,
    STABILITY_BETA,
    STABILITY_STABLE,
    STABILITY_BAD
};

/* The x-stability-level of an object; stable by default. */
enum stability stability_of(const struct node *node);
