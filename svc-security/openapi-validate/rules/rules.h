/*
 * svc-security/openapi-validate/rules/rules.h - rules beyond the table of fields: a short function
 * for each rule or group of rules, called for every visited object of its type in its versions.
 */
#pragma once

#include "openapi-validate/check/check.h"

typedef void rule_check(struct check *check, const struct node *node);

rule_check array_has_items; /* of schemas and parameters */

struct rule_row {
    enum type type;
    unsigned versions;
    rule_check *run;
};

/* A table of rules, one per area of the specification. */
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
