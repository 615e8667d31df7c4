/* svc-ai/schema/subset.c - the subset of JSON Schema for customers. */
#include "schema/subset.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "jsonschema/validator.h"
#include "schema/format.h"
#include "schema/path.h"
#include "schema/resolve.h"
#include "text/json.h"

/* An answer has at most 256 KiB, and an object at most 100 properties: this is far more than
 * needed. */
enum { CHECK_STEPS = 50 * VALIDATOR_STEPS };

static const char wrapped[] = "items";

/* ---- properties of a schema ---- */

static bool is_type_name(const char *name)
{
    static const struct {
        const char *name;
    } types[] = { { "null" },   { "boolean" }, { "integer" }, { "number" },
                  { "string" }, { "array" },   { "object" } };
    return TABLE_FIND(types, name) != NULL;
}

/* The type that the other keywords imply. */
static const char *implied_type(const cJSON *schema)
{
    return json_get(schema, "properties") ? "object" : json_get(schema, "items") ? "array" : NULL;
}

bool subset_has_type(const cJSON *schema, const char *type)
{
    const cJSON *node = json_get(schema, "type");
    const cJSON *item;
    if (!node)
        return implied_type(schema) && strcmp(implied_type(schema), type) == 0;
    cJSON_ArrayForEach(item, node)
        if (text_is(json_text_of(item), type))
            return true;
    return text_is(json_text_of(node), type);
}

static bool has_types(const cJSON *schema)
{
    return json_get(schema, "type") || implied_type(schema);
}

bool subset_requires(const cJSON *schema, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(schema, "required"))
        if (text_is(json_text_of(item), name))
            return true;
    return false;
}

bool subset_is_list(const cJSON *schema)
{
    return subset_has_type(schema, "array");
}

/* ---- check a schema ---- */

struct reading {
    struct buf path;
    size_t properties;
    struct err *err;
};

static bool reject_schema(const struct reading *reading, const char *what)
{
    return err_set(reading->err, ERR_INVALID_SCHEMA, "%.200s %s", buf_str(&reading->path), what);
}

static bool reject_keyword(struct reading *reading, const char *keyword)
{
    path_push(&reading->path, keyword);
    return err_set(reading->err, ERR_UNSUPPORTED_SCHEMA, "%.200s is not supported",
                   buf_str(&reading->path));
}

static bool read_schema(struct reading *reading, const cJSON *schema, unsigned depth);

static bool read_type(struct reading *reading, const cJSON *type)
{
    const cJSON *item;
    if (json_is(type, cJSON_String))
        return is_type_name(type->valuestring) || reject_schema(reading, "must have a known type");
    if (!json_is(type, cJSON_Array) || json_size(type) == 0)
        return reject_schema(reading, "must have a type or a list of types");
    cJSON_ArrayForEach(item, type)
        if (!json_is(item, cJSON_String) || !is_type_name(item->valuestring))
            return reject_schema(reading, "must have known types");
    return true;
}

static bool is_scalar(const cJSON *node)
{
    return !json_is(node, cJSON_Array) && !json_is(node, cJSON_Object);
}

static bool read_choices(const struct reading *reading, const cJSON *schema)
{
    const cJSON *choices = json_get(schema, "enum");
    const cJSON *constant = json_get(schema, "const");
    const cJSON *item;
    if (choices && (!json_is(choices, cJSON_Array) || json_size(choices) == 0 ||
                    json_size(choices) > SUBSET_CHOICES))
        return reject_schema(reading, "must have an enum of 1 to 100 values");
    cJSON_ArrayForEach(item, choices)
        if (!is_scalar(item))
            return reject_schema(reading,
                                 "must have an enum of strings, numbers, booleans or nulls");
    return !constant || is_scalar(constant) ||
           reject_schema(reading, "must have a const that is a string, number, boolean or null");
}

static bool read_format(struct reading *reading, const cJSON *format)
{
    if (!json_is(format, cJSON_String))
        return reject_schema(reading, "must have a format that is a string");
    return format_is_known(format->valuestring) || reject_keyword(reading, "format");
}

static bool is_size(const cJSON *node)
{
    return json_is_integer(node) && node->valuedouble >= 0;
}

static const struct bound {
    const char *name;
    const char *upper; /* NULL: the keyword is the upper bound */
    bool is_size;
} bounds[] = {
    { "minimum", "maximum", false },    { "maximum", NULL, false },
    { "minLength", "maxLength", true }, { "maxLength", NULL, true },
    { "minItems", "maxItems", true },   { "maxItems", NULL, true },
};

static bool read_bounds(const struct reading *reading, const cJSON *schema)
{
    for (size_t i = 0; i < countof(bounds); i++) {
        const cJSON *low = json_get(schema, bounds[i].name);
        const cJSON *high = bounds[i].upper ? json_get(schema, bounds[i].upper) : NULL;
        if (low && !(bounds[i].is_size ? is_size(low) : json_is(low, cJSON_Number)))
            return reject_schema(reading, "must have numbers as bounds, and sizes of at least 0");
        if (low && high && json_is(high, cJSON_Number) && low->valuedouble > high->valuedouble)
            return reject_schema(reading, "has a lower bound above the upper one");
    }
    return true;
}

static bool read_words(const struct reading *reading, const cJSON *schema)
{
    static const char *const names[] = { "title", "description" };
    for (size_t i = 0; i < countof(names); i++) {
        const cJSON *node = json_get(schema, names[i]);
        if (node && !json_is(node, cJSON_String))
            return reject_schema(reading, "must have a title and description that are strings");
    }
    return true;
}

static bool read_properties(struct reading *reading, const cJSON *properties, unsigned depth)
{
    const cJSON *property;
    if (!json_is(properties, cJSON_Object))
        return reject_schema(reading, "must have an object as properties");
    cJSON_ArrayForEach(property, properties) {
        if (!*property->string)
            return reject_schema(reading, "must have properties with names");
        if (++reading->properties > SUBSET_PROPERTIES)
            return err_set(reading->err, ERR_INVALID_SCHEMA,
                           "the schema must have at most %d properties", SUBSET_PROPERTIES);
        size_t size = path_push(&reading->path, property->string);
        if (!read_schema(reading, property, depth + 1))
            return false;
        path_pop(&reading->path, size);
    }
    return true;
}

static bool read_required(const struct reading *reading, const cJSON *schema)
{
    const cJSON *required = json_get(schema, "required");
    const cJSON *item;
    if (required && !json_is(required, cJSON_Array))
        return reject_schema(reading, "must have a list as required");
    cJSON_ArrayForEach(item, required)
        if (!json_is(item, cJSON_String) ||
            !json_get(json_get(schema, "properties"), item->valuestring))
            return reject_schema(reading, "requires a property that it does not have");
    return true;
}

static bool read_items(struct reading *reading, const cJSON *items, unsigned depth)
{
    size_t size = path_push(&reading->path, "items");
    if (!read_schema(reading, items, depth + 1))
        return false;
    path_pop(&reading->path, size);
    return true;
}

static bool read_keywords(struct reading *reading, const cJSON *schema)
{
    static const struct {
        const char *name;
    } known[] = { { "type" },      { "properties" }, { "required" }, { "items" },
                  { "enum" },      { "const" },      { "title" },    { "description" },
                  { "format" },    { "minimum" },    { "maximum" },  { "minLength" },
                  { "maxLength" }, { "minItems" },   { "maxItems" }, { "additionalProperties" } };
    const cJSON *member;
    cJSON_ArrayForEach(member, schema)
        if (!TABLE_FIND(known, member->string))
            return reject_keyword(reading, member->string);
    const cJSON *further = json_get(schema, "additionalProperties");
    return !further || json_is(further, cJSON_False) ||
           reject_keyword(reading, "additionalProperties");
}

static bool read_schema(struct reading *reading, const cJSON *schema, unsigned depth)
{
    if (!json_is(schema, cJSON_Object))
        return reject_schema(reading, "must be a schema, an object");
    if (depth > SUBSET_DEPTH)
        return err_set(reading->err, ERR_INVALID_SCHEMA, "the schema must be at most %d deep",
                       SUBSET_DEPTH);
    if (!read_keywords(reading, schema))
        return false;
    if (!has_types(schema) && !json_get(schema, "enum") && !json_get(schema, "const"))
        return reject_schema(reading, "must have a type");
    const cJSON *type = json_get(schema, "type");
    const cJSON *format = json_get(schema, "format");
    const cJSON *properties = json_get(schema, "properties");
    const cJSON *items = json_get(schema, "items");
    if (subset_has_type(schema, "array") && !items)
        return reject_schema(reading, "must have items");
    return (!type || read_type(reading, type)) && read_choices(reading, schema) &&
           (!format || read_format(reading, format)) && read_bounds(reading, schema) &&
           read_words(reading, schema) &&
           (!properties || read_properties(reading, properties, depth)) &&
           read_required(reading, schema) && (!items || read_items(reading, items, depth));
}

static bool check_top(const struct reading *reading, const cJSON *schema)
{
    if (subset_has_type(schema, "object") && json_size(json_get(schema, "properties")) == 0)
        return reject_schema(reading, "must have properties");
    bool is_object = subset_has_type(schema, "object") && !subset_has_type(schema, "array");
    bool is_list = subset_is_list(schema) && subset_has_type(json_get(schema, "items"), "object");
    return is_object || is_list ||
           reject_schema(reading, "must describe an object or a list of objects");
}

bool subset_read(const cJSON *source, const char *field, cJSON *ignored, cJSON **result,
                 struct err *err)
{
    scoped(buf_free) struct buf printed = BUF(SUBSET_BYTES);
    scoped(json_free) cJSON *schema = NULL;
    struct reading reading = { .path = BUF(SUBSET_PATH_BYTES), .err = err };
    if (!json_print(source, &printed))
        return err_set(err, ERR_INVALID_SCHEMA, "%s must have at most %d bytes", field,
                       SUBSET_BYTES);
    if (!schema_resolve(source, field, ignored, &schema, err))
        return false;
    buf_add_str(&reading.path, field);
    bool ok = read_schema(&reading, schema, subset_is_list(schema) ? 0 : 1) &&
              check_top(&reading, schema);
    buf_free(&reading.path);
    if (ok)
        *result = take(schema);
    return ok;
}

/* ---- other forms of it ---- */

cJSON *subset_object(const cJSON *schema)
{
    if (!subset_is_list(schema))
        return json_copy(schema);
    cJSON *object = json_object();
    json_str(object, "type", "object");
    json_add(json_map(object, "properties"), wrapped, json_copy(schema));
    json_item_str(json_list(object, "required"), wrapped);
    return object;
}

static void add_clause(struct buf *out, const char *name, const cJSON *value)
{
    if (!value)
        return;
    buf_format(out, "%s%s ", out->size > 0 ? ", " : "", name);
    json_print(value, out);
}

/* Describe what providers need not enforce: "When it is due (format \"date\")". */
static void add_description(const cJSON *schema, cJSON *strict)
{
    scoped(buf_free) struct buf clauses = BUF(SUBSET_BYTES);
    scoped(buf_free) struct buf said = BUF(2 * SUBSET_BYTES);
    const char *words = json_text(schema, "/description");
    for (size_t i = 0; i < countof(bounds); i++)
        add_clause(&clauses, bounds[i].name, json_get(schema, bounds[i].name));
    add_clause(&clauses, "format", json_get(schema, "format"));
    buf_add_str(&said, words ? words : "");
    if (clauses.size > 0)
        buf_format(&said, "%s(%s)", words ? " " : "", buf_str(&clauses));
    if (said.size > 0)
        json_str(strict, "description", buf_str(&said));
}

static const char *type_name(const cJSON *value)
{
    return json_is(value, cJSON_String)   ? "string"
           : json_is(value, cJSON_Number) ? "number"
           : json_is(value, cJSON_NULL)   ? "null"
                                          : "boolean";
}

/* Whether one of the values of enum and const has this type. */
static bool has_choice_of(const cJSON *schema, const char *type)
{
    const cJSON *constant = json_get(schema, "const");
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(schema, "enum"))
        if (strcmp(type_name(item), type) == 0)
            return true;
    return constant && strcmp(type_name(constant), type) == 0;
}

/* Add its types, or those of its values, and null if it may be missing. */
static void add_types(const cJSON *schema, bool may_lack, cJSON *strict)
{
    static const char *const names[] = { "string", "integer", "number", "boolean",
                                         "array",  "object",  "null" };
    cJSON *types = json_array();
    for (size_t i = 0; i < countof(names); i++) {
        bool has_it =
            has_types(schema) ? subset_has_type(schema, names[i]) : has_choice_of(schema, names[i]);
        if (has_it || (may_lack && strcmp(names[i], "null") == 0))
            json_item_str(types, names[i]);
    }
    if (json_size(types) > 1) {
        json_add(strict, "type", types);
        return;
    }
    json_add(strict, "type", json_take_first(types));
    json_free(&types);
}

static void add_choices(const cJSON *schema, bool may_lack, cJSON *strict)
{
    const cJSON *constant = json_get(schema, "const");
    cJSON *choices = json_get(schema, "enum") ? json_copy(json_get(schema, "enum")) : NULL;
    if (!choices && constant) {
        choices = json_array();
        json_item_add(choices, json_copy(constant));
    }
    if (choices && may_lack && !has_choice_of(schema, "null"))
        json_item_str(choices, NULL);
    if (choices)
        json_add(strict, "enum", choices);
}

static cJSON *strict_of(const cJSON *schema, bool may_lack)
{
    cJSON *strict = json_object();
    const cJSON *property;
    add_types(schema, may_lack, strict);
    add_description(schema, strict);
    add_choices(schema, may_lack, strict);
    if (json_get(schema, "items"))
        json_add(strict, "items", strict_of(json_get(schema, "items"), false));
    if (!subset_has_type(schema, "object"))
        return strict;
    cJSON *properties = json_map(strict, "properties");
    cJSON *required = json_list(strict, "required");
    cJSON_ArrayForEach(property, json_get(schema, "properties")) {
        json_add(properties, property->string,
                 strict_of(property, !subset_requires(schema, property->string)));
        json_item_str(required, property->string);
    }
    /* an object without properties may have any */
    json_bool(strict, "additionalProperties", json_size(properties) == 0);
    return strict;
}

cJSON *subset_strict(const cJSON *schema)
{
    scoped(json_free) cJSON *object = subset_object(schema);
    return strict_of(object, false);
}

/* ---- check a value ---- */

/* Make defaults explicit: types, and that an object allows only its properties, if it has any. */
static void add_implied(cJSON *schema)
{
    scoped(json_free) cJSON *further = json_take(schema, "additionalProperties");
    cJSON *properties = json_take(schema, "properties");
    cJSON *items = json_take(schema, "items");
    cJSON *property;
    if (!json_get(schema, "type") && (properties || items))
        json_str(schema, "type", properties ? "object" : "array");
    else if (!json_get(schema, "type"))
        add_types(schema, false, schema);
    cJSON_ArrayForEach(property, properties)
        add_implied(property);
    if (json_size(properties) > 0)
        json_bool(schema, "additionalProperties", false);
    if (properties)
        json_add(schema, "properties", properties);
    if (items)
        add_implied(items);
    if (items)
        json_add(schema, "items", items);
}

struct checking {
    size_t max;
    cJSON *faults;
};

static const struct complaint {
    const char *name; /* of the keyword */
    const char *what;
    bool is_last; /* no further problem of the value is reported */
} complaints[] = {
    { "type", "has another type", true },
    { "enum", "is not one of the allowed values", true },
    { "const", "is not one of the allowed values", true },
    { "required", "is required", false },
    { "additionalProperties", "has a member that is not in the schema", true },
    { "minItems", "has too few or too many items", false },
    { "maxItems", "has too few or too many items", false },
    { "minLength", "is too short or too long", false },
    { "maxLength", "is too short or too long", false },
    { "minimum", "is out of range", false },
    { "maximum", "is out of range", false },
    { "format", "does not match its format", false },
};

static void add_fault_message(const struct checking *checking, const char *path, const char *what)
{
    if (json_size(checking->faults) >= checking->max)
        return;
    cJSON *fault = json_item(checking->faults);
    json_str(fault, "path", path);
    json_str(fault, "message", what);
}

/* Report additional members once for their object. */
static bool add_fault(void *context, const struct schema_error *error)
{
    const struct checking *checking = context;
    const struct complaint *complaint = TABLE_FIND(complaints, error->keyword);
    bool is_unwanted = strcmp(error->keyword, "additionalProperties") == 0;
    scoped(buf_free) struct buf path = BUF(SUBSET_PATH_BYTES);
    const struct schema_place missing = { error->place, error->missing, 0 };
    const cJSON *last = checking->faults->child ? checking->faults->child->prev : NULL;
    schema_place_print(error->missing.size > 0 ? &missing
                       : is_unwanted           ? error->place->outer
                                               : error->place,
                       &path);
    bool is_said = is_unwanted && last &&
                   strcmp(json_text(last, "/message"), complaint->what) == 0 &&
                   strcmp(json_text(last, "/path"), buf_str(&path)) == 0;
    if (!is_said)
        add_fault_message(checking, buf_str(&path), complaint->what);
    return !complaint->is_last;
}

static bool has_format(void *context, struct text format, const void *value)
{
    (void)context;
    return !json_is(value, cJSON_String) || format_fits(format.bytes, json_text_of(value));
}

bool subset_check(const cJSON *schema, const cJSON *value, size_t max, cJSON *faults)
{
    const struct validator_options options = { .tree = &tree_json, .dialect = SCHEMA_2020_12 };
    scoped(json_free) cJSON *source = json_copy(schema);
    scoped(validator_free) struct validator *validator = validator_new(&options);
    struct subschema *compiled;
    struct checking checking = { max, faults };
    struct validation validation = {
        .tree = &tree_json,
        .steps_left = CHECK_STEPS,
        .null_is_absent = true,
        .context = &checking,
        .fits_format = has_format,
        .report = add_fault,
        .wants_all = true,
    };
    add_implied(source);
    compiled = validator_add(validator, TEXT(""), source);
    bool ok = validator_compile(validator, NULL);
    assert(ok); /* the schema was checked */
    enum schema_verdict verdict = validator_check(compiled, value, &validation);
    if (verdict == SCHEMA_UNDECIDED)
        add_fault_message(&checking, "", "is too large to check");
    return verdict == SCHEMA_FITS;
}
