/*
 * svc-security/openapi-validate/rules/named.h - names with their nodes, for lookups and to find
 * duplicates.
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

struct named_list named_new(size_t most); /* capacity */
void named_free(struct named_list *names);
void named_add(struct named_list *names, struct text name, const struct node *node);

/* The items of a list by their text, or by the text of a member. Items that are not strings are
 * skipped, or have an empty name. */
struct named_list named_of(const struct node *list, const char *member, bool only_texts);

/* Sort by name, then position, and report each duplicate: `The WHAT "name" occurs twice.` */
void named_report_repeated(struct named_list *names, struct check *check, enum rule rule,
                           const char *what);

/* Sort by name, for named_find(), which returns NULL for an unknown name. */
void named_sort(struct named_list *names);
const struct named *named_find(const struct named_list *names, struct text name);
