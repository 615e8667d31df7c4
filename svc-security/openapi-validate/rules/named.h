/*
 * svc-security/openapi-validate/rules/named.h - names and where they were given, to find one and
 * those that occur twice.
 */
#ifndef OPENAPI_VALIDATE_NAMED_H
#define OPENAPI_VALIDATE_NAMED_H

#include "openapi-validate/check/check.h"

struct named {
    struct text name;
    const struct node *node;
};

/* Sort by name, then place; report each name that came before: `The WHAT "name" occurs twice.` */
void report_repeated(struct check *check, enum rule rule, const char *what, struct named *items,
                     size_t count);

/* Sort by name; then named_find() finds one of them, NULL when there is none. */
void named_sort(struct named *items, size_t count);
const struct named *named_find(const struct named *items, size_t count, struct text name);

#endif
