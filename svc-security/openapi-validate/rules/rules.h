/*
 * svc-security/openapi-validate/rules/rules.h - what a table of fields cannot say: one short
 * function for a few rules, run for every visited object of one type in the versions that it is
 * about.
 */
#ifndef OPENAPI_VALIDATE_RULES_H
#define OPENAPI_VALIDATE_RULES_H

#include "openapi-validate/check.h"

typedef void rule_check(struct check *check, const struct node *node);

struct rule_row {
    enum type type;
    unsigned versions;
    rule_check *run;
};

/* A table of rules, one for each area of the specification. */
struct rule_table {
    const struct rule_row *row;
    size_t count;
};

extern const struct rule_table document_rules;
extern const struct rule_table path_rules;
extern const struct rule_table operation_rules;
extern const struct rule_table parameter_rules;
extern const struct rule_table content_rules;
extern const struct rule_table schema_rules;
extern const struct rule_table security_rules;

/* ---- what several of them need ---- */

/* The methods of a path item, in lower case, ended by NULL. */
extern const char *const path_methods[];

/* The path item that an operation is in. */
const struct node *path_item_of(const struct node *operation);

/* Sort texts by their bytes: text_order() for qsort() and bsearch(). */
int by_text(const void *a, const void *b);

/* A name and where it was given. */
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

/* The parts {name} of a template: call it with *at = 0 until it is false. An unbalanced brace ends
 * it with *is_balanced false. */
bool next_variable(struct text template, size_t *at, struct text *name, bool *is_balanced);

/* Is every part of a template good that is no variable? Braces that do not match end it. */
bool literals_are(struct text template, bool (*is_good)(struct text part));

/* A template with empty braces, which is what it matches. */
struct text path_shape(struct arena *arena, struct text path);

#endif
