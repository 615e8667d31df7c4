/*
 * common/jsonschema/validator.h - JSON Schema: does a value fit a schema? Draft 2020-12, Draft-07,
 * and the schemas of OpenAPI 3.0 and Swagger 2.0.
 *
 * Neither the schema nor the value has to be trusted: time is bounded by steps, depth and memory by
 * the limits below. What cannot be decided within them, or refers to a document that nobody gave,
 * or has a pattern that PCRE cannot match, is undecided: it fits, and nothing follows from that.
 * Numbers are compared exactly as they are written. Formats are only asserted by a caller's
 * function; content keywords and $vocabulary say nothing. Unknown keywords are ignored.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "jsonschema/place.h"
#include "jsonschema/tree.h"

enum {
    VALIDATOR_DEPTH_MAX = 128, /* schemas applied within each other */
    VALIDATOR_SCHEMAS_MAX = 100000,
    VALIDATOR_STEPS = 1000000, /* a limit for callers that have no other: some 100 ms */
};

enum schema_dialect {
    SCHEMA_2020_12 = 1 << 0, /* and OpenAPI 3.1 and 3.2 */
    SCHEMA_DRAFT_7 = 1 << 1,
    SCHEMA_OPENAPI_3_0 = 1 << 2,
    SCHEMA_SWAGGER_2_0 = 1 << 3,
};

struct validator; /* the schemas of some documents */
struct subschema; /* one of them, which lives as long */

struct validator_options {
    const struct tree *tree;     /* of all documents */
    enum schema_dialect dialect; /* of those that have no known $schema */
    /* For documents whose references and mistakes are somebody else's: what a schema's $ref means,
     * NULL: unknown. Then schemas are compiled when they are needed (so a validator belongs to one
     * thread, and validator_compile() is not called), malformed keywords are ignored, and anchors
     * are not looked for. */
    const void *(*resolve)(const void *schema);
    bool has_own; /* every schema has a keyword of the caller's own: own() of struct validation */
};

struct validator *validator_new(const struct validator_options *options);
void validator_free(struct validator **validator);

/* Add a document, which must outlive the validator; its URI, or "", is where references find it.
 * A URI counts once. NULL: there are too many schemas. */
struct subschema *validator_add(struct validator *validator, struct text uri, const void *root);

/* Compile what was added; then several threads may use it at once. Errors: ERR_INVALID_VALUE with
 * the place of what is malformed, as "#/properties/size/minimum must be a number". */
bool validator_compile(struct validator *validator, struct err *err) must_check;

/* The schema at a node; NULL: it is not one. */
struct subschema *validator_at(const struct validator *validator, const void *node);

/* ---- checking ---- */

struct schema_error {
    const char *keyword; /* that the value fails, of the schema false the one that it stands in, at
                            the top "false"; lives for ever */
    const void *schema;  /* that it stands in */
    const void *value;   /* that fails: of additionalProperties: false and the like the member */
    struct text missing; /* "required": the name; else empty */
    const struct schema_place *place;         /* of value */
    const struct schema_place *keyword_place; /* by the way that led to it, through references */
};

struct validation {
    const struct tree *tree; /* of the value */
    size_t steps_left;       /* counts down */
    bool null_is_absent;     /* of a property whose type is not null */
    void *context;           /* of the functions, each of which may be NULL */
    bool (*fits_format)(void *context, struct text format, const void *value);
    /* May the object lack a property that the schema requires? */
    bool (*may_lack)(void *context, const void *schema, struct text name);
    /* Called behind type, enum and const of each schema: does the value fit it? Its keyword's name
     * is "own". */
    bool (*own)(void *context, const void *schema, const void *value);
    /* Errors in the order of keywords.def; of those inside anyOf, oneOf, not, if, contains and
     * propertyNames only that keyword's own. Returns whether further keywords of the schema are to
     * judge this value. */
    bool (*report)(void *context, const struct schema_error *error);
    bool wants_all; /* errors, and not the first alone: then what is missing stands where its
                       property does */
};

enum schema_verdict { SCHEMA_FITS, SCHEMA_FAILS, SCHEMA_UNDECIDED };

enum schema_verdict validator_check(struct subschema *schema, const void *value,
                                    struct validation *validation) must_check;
