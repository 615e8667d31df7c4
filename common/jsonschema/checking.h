/*
 * common/jsonschema/checking.h - one check of a value, while it runs; for check.c and assertions.c
 * alone.
 */
#pragma once

#include "jsonschema/compiled.h"

/* The resources that we came through: $dynamicRef asks the outermost first. */
struct scope {
    const struct resource *resource;
    const struct scope *outer;
};

struct run {
    struct validation *validation;
    const struct tree *tree; /* of the value */
    unsigned depth;
    unsigned silence; /* of keywords around us that report for all that is in them */
    size_t unknowns;  /* what fits because it is not known whether it does */
    bool is_stopped;  /* the first error is all that is wanted */
    bool is_left;     /* report() wants no more of this schema for this value */
    const struct scope *scope;
};

/* Count work down; false when all is used: then nothing more is found. */
bool spend(struct run *run, size_t steps);

/* The same for work whose cost only the clock knows: what the thread has used since start_us, a
 * value of cpu_us(). */
size_t cpu_us(void);
bool spend_time(struct run *run, size_t start_us);

/* Take what is unknown for good: true, always. */
bool unknown(struct run *run);

/* Does the text match? True when that is not known: regex is NULL. */
bool matches(struct run *run, const struct regex *regex, struct text text);

/* Below 0, 0 or above 0, as the count is to the rule's number. */
int compare_count(size_t count, const struct rule *rule);

/* Does the value fit a keyword that asks for nothing but the value itself? Those that do not are
 * applied by check.c; is_assertion() tells. */
bool is_assertion(enum keyword keyword);
bool fits_assertion(struct run *run, const struct subschema *schema, const struct rule *rule,
                    const void *value);
