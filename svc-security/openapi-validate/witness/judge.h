/*
 * svc-security/openapi-validate/witness/judge.h - is a value that we made valid under a schema of
 * one of the two documents?
 */
#pragma once

#include <cjson/cJSON.h>

#include "jsonschema/validator.h"
#include "openapi-validate/check/evaluate.h"

/* The validator of one document; belongs to one thread. */
struct judge {
    struct check *check;
    struct validator *validator;
    enum direction direction; /* set by the caller before each check */
    size_t *steps_left;       /* shared with other judges */
};

void judge_init(struct judge *judge, struct check *check, size_t *steps_left);
void judge_free(struct judge *judge);

/* Count the steps of making a value. */
void judge_spend(struct judge *judge, size_t steps);

/* A keyword or a name of a property: is an error about it, and how many others are there? */
struct focus {
    struct text name;
    bool is_hit;
    size_t others;
};

/* A missing schema accepts every value. */
enum schema_verdict judge_value(struct judge *judge, const struct node *schema, const cJSON *value);

/* The same; sets the results of these focuses, too. */
enum schema_verdict judge_errors(struct judge *judge, const struct node *schema, const cJSON *value,
                                 struct focus *focus, size_t count);
