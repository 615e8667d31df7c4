/*
 * common/jsonschema/validator.h - JSON Schema: is a value valid? Draft 2020-12, Draft-07, and the
 * schemas of OpenAPI 3.0 and Swagger 2.0.
 *
 * - Neither schema nor value need be trusted: time is bounded by steps, depth and memory by the
 *   limits below.
 * - A part is undecided if it exceeds the limits, refers to a missing document, or has a pattern
 *   that PCRE does not support. Undecided parts count as valid.
 * - Numbers are compared exactly as written.
 * - Only a caller's function checks formats. Content keywords and $vocabulary have no effect.
 *   Unknown keywords are ignored.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "jsonschema/place.h"
#include "jsonschema/tree.h"

enum {
    VALIDATOR_DEPTH_MAX = 128, /* nested schemas */
    VALIDATOR_SCHEMAS_MAX = 100000,
    VALIDATOR_STEPS = 1000000, /* for callers without their own limit: about 100 ms */
};

enum schema_dialect {
    SCHEMA_2020_12 = 1 << 0, /* and OpenAPI 3.1 and 3.2 */
    SCHEMA_DRAFT_7 = 1 << 1,
    SCHEMA_OPENAPI_3_0 = 1 << 2,
    SCHEMA_SWAGGER_2_0 = 1 << 3,
};

struct validator; /* the schemas of some documents */
struct subschema; /* one of them; lives as long */

struct validator_options {
    const struct tree *tree;     /* of all documents */
    enum schema_dialect dialect; /* for documents without a known $schema */
    /*
     * For documents of the caller's customers: the node that a schema's $ref refers to, NULL:
     * unknown. Then schemas are compiled on demand (so one thread must own the validator, and
     * validator_compile() is not called), malformed keywords are ignored, and anchors are not
     * supported.
     */
    const void *(*resolve)(const void *schema);
    bool has_own; /* every schema has the caller's keyword: own() of struct validation */
};

struct validator *validator_new(const struct validator_options *options);
void validator_free(struct validator **validator);

/*
 * Add a document, which must outlive the validator; references find it by its URI, or "". The first
 * document with a URI wins. NULL: there are too many schemas.
 */
struct subschema *validator_add(struct validator *validator, struct text uri, const void *root);

/*
 * Compile the added documents; then several threads may use the validator at once. Errors:
 * ERR_INVALID_VALUE with the place of the malformed part, such as "#/properties/size/minimum must
 * be a number".
 */
bool validator_compile(struct validator *validator, struct err *err) must_check;

/* The schema at a node; NULL: not found. */
struct subschema *validator_at(const struct validator *validator, const void *node);

/* ---- checking ---- */

struct schema_error {
    const char *keyword; /* the violated keyword; for the schema false, the keyword that contains
                            it, at the top "false"; static */
    const void *schema;  /* that contains it */
    const void
        *value; /* that violates it; for additionalProperties: false and similar, the member */
    struct text missing;                      /* "required": the name; else empty */
    const struct schema_place *place;         /* of value */
    const struct schema_place *keyword_place; /* with the path through references */
};

struct validation {
    const struct tree *tree; /* of the value */
    size_t steps_left;       /* counts down */
    bool null_is_absent;     /* of a property whose type is not null */
    void *context;           /* for the functions, each of which may be NULL */
    bool (*fits_format)(void *context, struct text format, const void *value);
    /* May the object lack a property that the schema requires? */
    bool (*may_lack)(void *context, const void *schema, struct text name);
    /* Called after type, enum and const of each schema: is the value valid? Its keyword's name is
     * "own". */
    bool (*own)(void *context, const void *schema, const void *value);
    /*
     * Errors in the order of keywords.def; inside anyOf, oneOf, not, if, contains and propertyNames
     * only that keyword's own error. Returns whether the schema's other keywords should also check
     * this value.
     */
    bool (*report)(void *context, const struct schema_error *error);
    bool wants_all; /* all errors, not only the first; a missing property is then reported at its
                       position */
};

enum schema_verdict { SCHEMA_FITS, SCHEMA_FAILS, SCHEMA_UNDECIDED };

enum schema_verdict validator_check(struct subschema *schema, const void *value,
                                    struct validation *validation) must_check;
