/*
 * common/jsonschema/compiled.h - compiled schemas, which compile.c makes and check.c applies;
 * private to them. All of it is in the validator's arena.
 */
#pragma once

#include "base/arena.h"
#include "jsonschema/decimal.h"
#include "jsonschema/validator.h"
#include "text/regex.h"

/* sets of dialects */
enum {
    JSON_SCHEMA = SCHEMA_2020_12 | SCHEMA_DRAFT_7,
    NOT_SWAGGER = JSON_SCHEMA | SCHEMA_OPENAPI_3_0,
    EVERY = NOT_SWAGGER | SCHEMA_SWAGGER_2_0,
};

enum {
    IN_INTEGER = IN_ANY + 1
}; /* in addition to the kinds of trees: a number without a fraction */

enum keyword {
#define KEYWORD(id, name, dialects, argument, kinds) KEYWORD_##id,
#include "jsonschema/keywords.def"
#undef KEYWORD
    KEYWORD_COUNT
};

/* One of several schemas of a keyword. */
struct branch {
    struct text name;         /* of a property or pattern; else empty */
    struct subschema *schema; /* NULL: too many schemas, or names instead */
    const void *names;        /* of a dependency: the list of names */
    struct regex *regex;      /* of a pattern; NULL: unknown */
    bool is_required;         /* a property that `required` names */
};

/* A keyword of a schema with its argument, in the form for its test. */
struct rule {
    enum keyword keyword;
    const char *name;
    unsigned kinds;           /* of values that it applies to, by bits IN_… */
    const void *value;        /* in the schema's tree */
    unsigned types;           /* TYPES */
    bool is_exclusive;        /* NUMBER: of maximum and minimum in OpenAPI 3.0 */
    struct decimal number;    /* NUMBER, COUNT, UNIT */
    struct regex *regex;      /* PATTERN; NULL: unknown */
    struct subschema *schema; /* SCHEMA, REFERENCE; NULL: unknown, or several */
    struct branch *branches;  /* several */
    size_t count;
    struct branch **by_name; /* SCHEMAS_BY_NAME: sorted */
    struct text anchor;      /* $dynamicRef: its fragment, if that is a dynamic anchor */
};

struct anchor {
    struct text name;
    struct subschema *schema;
    bool is_dynamic;
    struct anchor *next;
};

/* A document, or a schema with an $id; each has its URI. */
struct resource {
    struct text uri;
    enum schema_dialect dialect;
    const void *root;
    struct anchor *anchors;
    size_t anchor_count;
    struct resource *next;
};

struct subschema {
    struct validator *validator;
    const void *source;
    struct resource *resource;
    bool is_compiled;
    bool is_false;    /* the schema false; the schema true has no rules */
    bool takes_null;  /* OpenAPI: null is always valid */
    bool is_tracking; /* has unevaluatedItems or unevaluatedProperties */
    struct rule *rules;
    size_t count;
    size_t steps; /* that its patterns and branches took to compile */
};

/* A $ref or $dynamicRef whose target is resolved when all anchors are known. */
struct link {
    struct subschema *schema;
    struct rule *rule;
    struct link *next;
};

/* A pattern that must be released. */
struct pattern {
    struct regex *regex;
    struct pattern *next;
};

struct validator {
    struct validator_options options;
    struct arena arena;
    struct resource *resources;
    struct subschema **schemas; /* in order of discovery */
    size_t count;
    size_t compiled;
    struct subschema **slots; /* the same by address of their source; a power of two */
    size_t slot_count;
    struct link *links;
    struct pattern *patterns;
};

/* ---- registry.c ---- */

const struct tree *tree_of(const struct subschema *schema);

/* The schema of a node in a resource, created if needed; NULL: there are too many. */
struct subschema *schema_at(struct validator *validator, const void *source,
                            struct resource *resource);

/* The same, only if it exists. */
struct subschema *schema_met(const struct validator *validator, const void *source);

struct resource *add_resource(struct validator *validator, struct text uri,
                              enum schema_dialect dialect, const void *root);
struct resource *find_resource(const struct validator *validator, struct text uri);

/* NULL: absent. */
const struct anchor *find_anchor(const struct resource *resource, struct text name);

/* Does a $ref in this schema disable its sibling keywords? */
bool is_reference_alone(const struct validator *validator, const void *source,
                        enum schema_dialect dialect);

/* Is the schema's member true? */
bool has_flag(const struct subschema *schema, const char *name);

/* ---- arguments.c ---- */

enum argument {
    ARGUMENT_TYPES,
    ARGUMENT_VALUE,
    ARGUMENT_VALUES,
    ARGUMENT_FLAG,
    ARGUMENT_TEXT,
    ARGUMENT_NUMBER,
    ARGUMENT_COUNT,
    ARGUMENT_UNIT,
    ARGUMENT_PATTERN,
    ARGUMENT_NAMES,
    ARGUMENT_SCHEMA,
    ARGUMENT_SCHEMAS,
    ARGUMENT_ITEMS,
    ARGUMENT_DEPENDENCIES,
    ARGUMENT_SCHEMAS_BY_NAME,
    ARGUMENT_SCHEMAS_BY_PATTERN,
    ARGUMENT_REFERENCE,
};

/* Read rule->value, a keyword's argument, into the rule. NULL: valid; else what it must be. */
const char *read_argument(enum argument argument, struct subschema *schema, struct rule *rule);

/* The branch of that name in SCHEMAS_BY_NAME; NULL: absent, or rule is NULL. */
const struct branch *branch_named(const struct rule *rule, struct text name);

/* ---- compile.c ---- */

/* The rule of a keyword; NULL: absent. */
const struct rule *rule_of(const struct subschema *schema, enum keyword keyword);

/* Compile a schema, if needed: only schemas of validators that resolve references themselves may be
 * uncompiled. */
void compile_late(struct subschema *schema);
