/* svc-ai/schema/subset.c - the part of JSON Schema that a customer may describe an answer with. */
#include "schema/subset.h"

#include <math.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/table.h"
#include "schema/format.h"
#include "text/json.h"

static const char wrapped[] = "items";

/* ---- looking at a schema ---- */

static bool is_type_name(const char *name)
{
    static const struct {
        const char *name;
    } types[] = { { "null" },   { "boolean" }, { "integer" }, { "number" },
                  { "string" }, { "array" },   { "object" } };
    return TABLE_FIND(types, name) != NULL;
}

/* Without a type a schema is for what its other words speak of. */
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

/* ---- is it one? ---- */

struct reading {
    struct buf path;
    size_t properties;
    struct err *err;
};

/* Go down to a member; the path is as long again as `size` says when we are back. */
static size_t enter(struct buf *path, const char *name)
{
    size_t size = path->size;
    buf_format(path, size > 0 ? ".%s" : "%s", name);
    return size;
}

static void leave(struct buf *path, size_t size)
{
    path->size = size;
    path->full = false;
    if (path->bytes)
        path->bytes[size] = '\0';
}

static bool invalid(const struct reading *reading, const char *what)
{
    return err_set(reading->err, ERR_INVALID_SCHEMA, "%.200s %s", buf_str(&reading->path), what);
}

static bool unsupported(struct reading *reading, const char *keyword)
{
    enter(&reading->path, keyword);
    return err_set(reading->err, ERR_UNSUPPORTED_SCHEMA, "%.200s is not supported",
                   buf_str(&reading->path));
}

static bool read_schema(struct reading *reading, const cJSON *schema, unsigned depth);

static bool read_type(struct reading *reading, const cJSON *type)
{
    const cJSON *item;
    if (json_is(type, cJSON_String))
        return is_type_name(type->valuestring) || invalid(reading, "must have a known type");
    if (!json_is(type, cJSON_Array) || json_size(type) == 0)
        return invalid(reading, "must have a type, or a list of some");
    cJSON_ArrayForEach(item, type)
        if (!json_is(item, cJSON_String) || !is_type_name(item->valuestring))
            return invalid(reading, "must have known types");
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
        return invalid(reading, "must have an enum of 1 to 100 values");
    cJSON_ArrayForEach(item, choices)
        if (!is_scalar(item))
            return invalid(reading, "must have an enum of plain values");
    return !constant || is_scalar(constant) || invalid(reading, "must have a const that is plain");
}

static bool read_format(struct reading *reading, const cJSON *format)
{
    if (!json_is(format, cJSON_String))
        return invalid(reading, "must have a format that is a string");
    return format_is_known(format->valuestring) || unsupported(reading, "format");
}

static bool is_size(const cJSON *node)
{
    return json_is_integer(node) && node->valuedouble >= 0;
}

static const struct bound {
    const char *name;
    const char *upper; /* NULL: it is one */
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
            return invalid(reading, "must have bounds that are numbers, and sizes of 0 and more");
        if (low && high && json_is(high, cJSON_Number) && low->valuedouble > high->valuedouble)
            return invalid(reading, "has a lower bound above the upper one");
    }
    return true;
}

static bool read_words(const struct reading *reading, const cJSON *schema)
{
    static const char *const names[] = { "title", "description" };
    for (size_t i = 0; i < countof(names); i++) {
        const cJSON *node = json_get(schema, names[i]);
        if (node && !json_is(node, cJSON_String))
            return invalid(reading, "must have a title and description that are strings");
    }
    return true;
}

static bool read_properties(struct reading *reading, const cJSON *properties, unsigned depth)
{
    const cJSON *property;
    if (!json_is(properties, cJSON_Object))
        return invalid(reading, "must have properties that are an object");
    cJSON_ArrayForEach(property, properties) {
        if (!*property->string)
            return invalid(reading, "must have properties with names");
        if (++reading->properties > SUBSET_PROPERTIES)
            return err_set(reading->err, ERR_INVALID_SCHEMA,
                           "the schema must have at most %d properties", SUBSET_PROPERTIES);
        size_t size = enter(&reading->path, property->string);
        if (!read_schema(reading, property, depth + 1))
            return false;
        leave(&reading->path, size);
    }
    return true;
}

static bool read_required(const struct reading *reading, const cJSON *schema)
{
    const cJSON *required = json_get(schema, "required");
    const cJSON *item;
    if (required && !json_is(required, cJSON_Array))
        return invalid(reading, "must have a required that is a list");
    cJSON_ArrayForEach(item, required)
        if (!json_is(item, cJSON_String) ||
            !json_get(json_get(schema, "properties"), item->valuestring))
            return invalid(reading, "requires a property that it does not have");
    return true;
}

static bool read_items(struct reading *reading, const cJSON *items, unsigned depth)
{
    size_t size = enter(&reading->path, "items");
    if (!read_schema(reading, items, depth + 1))
        return false;
    leave(&reading->path, size);
    return true;
}

static bool read_keywords(struct reading *reading, const cJSON *schema)
{
    static const struct {
        const char *name;
    } known[] = { { "type" },      { "properties" }, { "required" }, { "items" },
                  { "enum" },      { "const" },      { "title" },    { "description" },
                  { "format" },    { "minimum" },    { "maximum" },  { "minLength" },
                  { "maxLength" }, { "minItems" },   { "maxItems" }, { "additionalProperties" },
                  { "$schema" },   { "$comment" },   { "examples" } };
    const cJSON *member;
    cJSON_ArrayForEach(member, schema)
        if (!TABLE_FIND(known, member->string))
            return unsupported(reading, member->string);
    const cJSON *further = json_get(schema, "additionalProperties");
    return !further || json_is(further, cJSON_False) ||
           unsupported(reading, "additionalProperties");
}

static bool read_schema(struct reading *reading, const cJSON *schema, unsigned depth)
{
    if (!json_is(schema, cJSON_Object))
        return invalid(reading, "must be a schema, an object");
    if (depth > SUBSET_DEPTH)
        return err_set(reading->err, ERR_INVALID_SCHEMA, "the schema must be at most %d deep",
                       SUBSET_DEPTH);
    if (!read_keywords(reading, schema))
        return false;
    if (!has_types(schema) && !json_get(schema, "enum") && !json_get(schema, "const"))
        return invalid(reading, "must have a type");
    const cJSON *type = json_get(schema, "type");
    const cJSON *format = json_get(schema, "format");
    const cJSON *properties = json_get(schema, "properties");
    const cJSON *items = json_get(schema, "items");
    if (subset_has_type(schema, "array") && !items)
        return invalid(reading, "must have items");
    return (!type || read_type(reading, type)) && read_choices(reading, schema) &&
           (!format || read_format(reading, format)) && read_bounds(reading, schema) &&
           read_words(reading, schema) &&
           (!properties || read_properties(reading, properties, depth)) &&
           read_required(reading, schema) && (!items || read_items(reading, items, depth));
}

static bool check_top(const struct reading *reading, const cJSON *schema)
{
    if (subset_has_type(schema, "object") && json_size(json_get(schema, "properties")) == 0)
        return invalid(reading, "must have properties");
    bool is_object = subset_has_type(schema, "object") && !subset_has_type(schema, "array");
    bool is_list = subset_is_list(schema) && subset_has_type(json_get(schema, "items"), "object");
    return is_object || is_list || invalid(reading, "must be of an object or a list of objects");
}

bool subset_check_schema(const cJSON *schema, const char *field, struct err *err)
{
    scoped(buf_free) struct buf printed = BUF(SUBSET_BYTES);
    struct reading reading = { .path = BUF(SUBSET_PATH_BYTES), .err = err };
    if (!json_print(schema, &printed))
        return err_set(err, ERR_INVALID_SCHEMA, "%s must have at most %d bytes", field,
                       SUBSET_BYTES);
    buf_add_str(&reading.path, field);
    bool ok = read_schema(&reading, schema, subset_is_list(schema) ? 0 : 1) &&
              check_top(&reading, schema);
    buf_free(&reading.path);
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

/* What providers need not enforce is said: "When it is due (format \"date\")". */
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

/* Its types, and null too when it may lack. */
static void add_types(const cJSON *schema, bool may_lack, cJSON *strict)
{
    static const char *const names[] = { "string", "integer", "number", "boolean",
                                         "array",  "object",  "null" };
    cJSON *types = json_array();
    for (size_t i = 0; i < countof(names); i++)
        if (subset_has_type(schema, names[i]) || (may_lack && strcmp(names[i], "null") == 0))
            json_item_str(types, names[i]);
    if (has_types(schema) && json_size(types) > 1)
        json_add(strict, "type", types);
    else {
        if (has_types(schema))
            json_add(strict, "type", json_take_first(types));
        json_free(&types);
    }
}

static void add_choices(const cJSON *schema, bool may_lack, cJSON *strict)
{
    const cJSON *constant = json_get(schema, "const");
    cJSON *choices = json_get(schema, "enum") ? json_copy(json_get(schema, "enum")) : NULL;
    if (!choices && constant) {
        choices = json_array();
        json_item_add(choices, json_copy(constant));
    }
    if (choices && may_lack)
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
    /* an object of which nothing is said may have anything */
    json_bool(strict, "additionalProperties", json_size(properties) == 0);
    return strict;
}

cJSON *subset_strict(const cJSON *schema)
{
    scoped(json_free) cJSON *object = subset_object(schema);
    return strict_of(object, false);
}

/* ---- does a value fit? ---- */

struct checking {
    struct buf path;
    size_t max;
    cJSON *faults;
};

static void fault(const struct checking *checking, const char *what)
{
    if (json_size(checking->faults) >= checking->max)
        return;
    cJSON *item = json_item(checking->faults);
    json_str(item, "path", buf_str(&checking->path));
    json_str(item, "message", what);
}

static bool is_of_type(const cJSON *schema, const cJSON *value)
{
    static const struct {
        int type;
        const char *name;
    } types[] = { { cJSON_NULL, "null" },     { cJSON_False, "boolean" }, { cJSON_True, "boolean" },
                  { cJSON_Number, "number" }, { cJSON_String, "string" }, { cJSON_Array, "array" },
                  { cJSON_Object, "object" } };
    for (size_t i = 0; i < countof(types); i++)
        if (json_is(value, types[i].type) && subset_has_type(schema, types[i].name))
            return true;
    return !has_types(schema) || (json_is_integer(value) && subset_has_type(schema, "integer"));
}

static bool is_chosen(const cJSON *schema, const cJSON *value)
{
    const cJSON *choices = json_get(schema, "enum");
    const cJSON *constant = json_get(schema, "const");
    const cJSON *choice;
    if (constant && !json_equal(constant, value))
        return false;
    cJSON_ArrayForEach(choice, choices)
        if (json_equal(choice, value))
            return true;
    return !choices;
}

static double bound_of(const cJSON *schema, const char *name, double absent)
{
    const cJSON *bound = json_get(schema, name);
    return bound ? bound->valuedouble : absent;
}

static bool is_within(const cJSON *schema, const char *low, const char *high, double number)
{
    return number >= bound_of(schema, low, -INFINITY) && number <= bound_of(schema, high, INFINITY);
}

static void check_value(struct checking *checking, const cJSON *schema, const cJSON *value);

static void check_members(struct checking *checking, const cJSON *schema, const cJSON *object)
{
    const cJSON *properties = json_get(schema, "properties");
    const cJSON *property;
    cJSON_ArrayForEach(property, properties) {
        const cJSON *member = json_get(object, property->string);
        bool is_null = !member || (json_is(member, cJSON_NULL) && !is_of_type(property, member));
        size_t size = enter(&checking->path, property->string);
        if (!is_null)
            check_value(checking, property, member);
        else if (subset_requires(schema, property->string))
            fault(checking, "is required");
        leave(&checking->path, size);
    }
    const cJSON *member;
    cJSON_ArrayForEach(member, object) {
        if (json_size(properties) == 0 || json_get(properties, member->string))
            continue;
        fault(checking, "has a member that is not in the schema");
        return;
    }
}

static void check_items(struct checking *checking, const cJSON *schema, const cJSON *list)
{
    const cJSON *item;
    size_t index = 0;
    cJSON_ArrayForEach(item, list) {
        size_t size = checking->path.size;
        buf_format(&checking->path, "[%zu]", index++);
        check_value(checking, json_get(schema, "items"), item);
        leave(&checking->path, size);
    }
    if (!is_within(schema, "minItems", "maxItems", (double)json_size(list)))
        fault(checking, "has fewer or more items than it may");
}

static void check_text(const struct checking *checking, const cJSON *schema, struct text text)
{
    const char *format = json_text(schema, "/format");
    if (!is_within(schema, "minLength", "maxLength", (double)utf8_length(text)))
        fault(checking, "is shorter or longer than it may be");
    if (format && !format_fits(format, text))
        fault(checking, "does not have its format");
}

static void check_value(struct checking *checking, const cJSON *schema, const cJSON *value)
{
    if (!is_of_type(schema, value))
        fault(checking, "has another type");
    else if (!is_chosen(schema, value))
        fault(checking, "is none of the values it may be");
    else if (json_is(value, cJSON_Object))
        check_members(checking, schema, value);
    else if (json_is(value, cJSON_Array))
        check_items(checking, schema, value);
    else if (json_is(value, cJSON_String))
        check_text(checking, schema, json_text_of(value));
    else if (json_is(value, cJSON_Number) &&
             !is_within(schema, "minimum", "maximum", value->valuedouble))
        fault(checking, "is smaller or larger than it may be");
}

bool subset_check(const cJSON *schema, const cJSON *value, size_t max, cJSON *faults)
{
    struct checking checking = { .path = BUF(SUBSET_PATH_BYTES), .max = max, .faults = faults };
    size_t before = json_size(faults);
    check_value(&checking, schema, value);
    buf_free(&checking.path);
    return json_size(faults) == before;
}
