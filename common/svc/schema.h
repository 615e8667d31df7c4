/*
 * common/svc/schema.h - a compiled schema of a contract. svc/contract.h describes the language.
 * Only svc/ and tests include this.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/unknown-fields.h"

struct subschema;
struct validator;

/* A place in a value or document, from the inside out. Its text is made only for errors. */
struct place {
    const struct place *outer; /* NULL at the top */
    const char *name;          /* of a member; NULL: item `index` of a list */
    size_t index;
};

/* Append "items[3].name"; an empty name at the top is omitted. */
void place_write(const struct place *place, struct buf *out);

/* JSON types as bits; an integer also counts as a number. */
enum schema_type {
    SCHEMA_NULL = 1 << 0,
    SCHEMA_BOOLEAN = 1 << 1,
    SCHEMA_INTEGER = 1 << 2,
    SCHEMA_NUMBER = 1 << 3,
    SCHEMA_STRING = 1 << 4,
    SCHEMA_ARRAY = 1 << 5,
    SCHEMA_OBJECT = 1 << 6,
    SCHEMA_NUMERIC = SCHEMA_INTEGER | SCHEMA_NUMBER,
    SCHEMA_WITH_TEXT = SCHEMA_STRING | SCHEMA_ARRAY | SCHEMA_OBJECT,
    SCHEMA_ANY = (1 << 7) - 1,
};

struct schema_names {
    size_t count;
    const char **name;
};

/* Texts and values are borrowed from the compiled document. */
struct schema {
    const char *name; /* of the property; "" at the top and for items */
    unsigned types;   /* bits of enum schema_type */
    bool required;
    bool allow_nul;
    double minimum; /* -inf and inf: unset */
    double maximum;
    size_t min_length; /* 0 and SIZE_MAX: unset */
    size_t max_length;
    size_t min_items;
    size_t max_items;
    const char *pattern;     /* from pattern or format; NULL: none */
    unsigned hint_types;     /* also bits; 0: none */
    const char *agent;       /* omit or image; NULL: neither */
    const char *description; /* NULL: none */
    const char *media_type;  /* contentMediaType; NULL: none */
    const cJSON *usual;      /* choices; NULL: none */
    bool is_multiline;
    const cJSON *choices;  /* enum; NULL: none */
    const cJSON *constant; /* const; NULL: none */
    const cJSON *fallback; /* default; NULL: none */
    struct schema_names aliases;
    struct schema_names one_of_required;
    bool is_exclusive;         /* one_of_exclusive */
    struct schema *items;      /* NULL: any value */
    struct schema *properties; /* in the document's order */
    size_t property_count;
    const cJSON *source;     /* the schema in JSON Schema's keywords only; source of `rules` */
    struct subschema *rules; /* checks a value */
    cJSON *whole_source; /* only at the top, as validator: they own source and rules of all schemas
                            below */
    struct validator *validator;
};

/*
 * Compile the schema at `key` of a document, which must outlive it. properties imply type object.
 * Errors: ERR_INVALID_VALUE with the path of the invalid key ("request.properties.size.type").
 */
bool schema_new(const char *key, const cJSON *source, struct schema **schema,
                struct err *err) must_check;
void schema_free(struct schema **schema);

/* The property of that name; NULL if not found. */
const struct schema *schema_property(const struct schema *schema, const char *name);

/* The property with that name (*rank is 0) or alias (1 and up); NULL: none. */
const struct schema *schema_property_or_alias(const struct schema *schema, const char *name,
                                              size_t *rank);

/* Is the value valid? Field names in errors begin at `name`. Does not change the value. */
bool schema_check(const struct schema *schema, const char *name, const cJSON *value,
                  struct errs *errs) must_check;

/*
 * Normalize a request for schema_check(): replace aliases by canonical names, remove nulls that
 * count as absent, and fill in defaults if `fill` is set. Members that are not properties are added
 * to *unknown, which may be NULL, and stay.
 */
void schema_settle(const struct schema *schema, cJSON *value, bool fill,
                   struct unknown_fields *unknown);

/* Add the member `name` of a value of this schema to the unknown fields. place: of the value. */
void unknown_fields_add(struct unknown_fields *unknown, const struct schema *schema,
                        const struct place *place, const char *name);
