/* common/jsonschema/checking.h - the state of one check; only for check.c and assertions.c. */
#pragma once

#include "jsonschema/compiled.h"

/* The resources on the path: $dynamicRef asks the outermost first. */
struct scope {
    const struct resource *resource;
    const struct scope *outer;
};

struct run {
    struct validation *validation;
    const struct tree *tree; /* of the value */
    unsigned depth;
    unsigned silence; /* number of outer keywords that report for everything inside */
    size_t unknowns;  /* values that count as valid because the check is undecided */
    bool is_stopped;  /* only the first error is wanted */
    bool is_left;     /* report() wants no more errors of this schema for this value */
    const struct scope *scope;
};

/* Count steps down; false if all are used: then nothing more is found. */
bool spend(struct run *run, size_t steps);

/* Count an undecided part as valid: always returns true. */
bool unknown(struct run *run);

/* Does the text match? True if that is undecided: regex is NULL. */
bool matches(struct run *run, const struct regex *regex, struct text text);

/* Below 0, 0 or above 0: the count compared to the rule's number. */
int compare_count(size_t count, const struct rule *rule);

/* Is the value valid for a keyword that depends only on the value itself (is_assertion())? check.c
 * applies the others. */
bool is_assertion(enum keyword keyword);
bool fits_assertion(struct run *run, const struct subschema *schema, const struct rule *rule,
                    const void *value);
