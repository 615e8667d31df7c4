/*
 * svc-security/openapi-validate/rules/named.h - names and where they were given, to find one and
 * those that occur twice.
 */
#pragma once

#include "openapi-validate/check/check.h"

struct named {
    struct text name;
    const struct node *node;
};

struct named_list {
    struct named *item;
    size_t count;
};

struct named_list named_new(size_t most); /* room for so many */
void named_free(struct named_list *names);
void named_add(struct named_list *names, struct text name, const struct node *node);

/* The items of a list by their texts, or by the texts of a member of theirs. What is no text is
 * left out, or has the empty one. */
struct named_list named_of(const struct node *list, const char *member, bool only_texts);

/* Sort by name, then place; report each name that came before: `The WHAT "name" occurs twice.` */
void named_report_repeated(struct named_list *names, struct check *check, enum rule rule,
                           const char *what);

/* Sort by name; then named_find() finds one of them, NULL when there is none. */
void named_sort(struct named_list *names);
const struct named *named_find(const struct named_list *names, struct text name);
