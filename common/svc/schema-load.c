/*
 * common/svc/schema-load.c - compiles a schema strictly: an unknown key, or one with the wrong type
 * or without effect, is an error, because a misspelled limit would not apply.
 */
#include "svc/schema.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "jsonschema/pattern.h"
#include "jsonschema/validator.h"
#include "text/json.h"

enum { PLACE_BYTES = 200 };

/* clang-format off */
static const struct type_name {
    const char *name;
    unsigned types;
} type_names[] = {
    { "null",    SCHEMA_NULL },
    { "boolean", SCHEMA_BOOLEAN },
    { "integer", SCHEMA_INTEGER },
    { "number",  SCHEMA_NUMBER },
    { "string",  SCHEMA_STRING },
    { "array",   SCHEMA_ARRAY },
    { "object",  SCHEMA_OBJECT },
};

static const struct format {
    const char *name;
    const char *pattern; /* the calendar is not checked: no request has a time so far */
} formats[] = {
    { "uuid",      "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\z" },
    { "date-time", "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3])"
                   ":[0-5][0-9]:([0-5][0-9]|60)([.][0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])\\z" },
};
/* clang-format on */

static bool is_type(const cJSON *value, int type)
{
    return (value->type & 0xFF) == type;
}

static bool fail_at(const struct place *place, struct err *err, const char *complaint)
{
    scoped(buf_free) struct buf path = BUF(PLACE_BYTES);
    place_write(place, &path);
    return err_set(err, ERR_INVALID_VALUE, "%s %s", buf_str(&path), complaint);
}

/* ---- the keywords: each reader stores one value in a field, or rejects it ---- */

static bool read_text(void *field, const cJSON *value)
{
    const char **text = field;
    *text = json_text(value, "");
    return *text != NULL;
}

static bool read_flag(void *field, const cJSON *value)
{
    bool *flag = field;
    *flag = is_type(value, cJSON_True);
    return *flag || is_type(value, cJSON_False);
}

static bool read_number(void *field, const cJSON *value)
{
    double *number = field;
    *number = value->valuedouble;
    return is_type(value, cJSON_Number);
}

static bool read_count(void *field, const cJSON *value)
{
    size_t *count = field;
    if (!json_is_integer(value) || value->valuedouble < 0)
        return false;
    *count = (size_t)value->valuedouble;
    return true;
}

static bool read_value(void *field, const cJSON *value)
{
    const cJSON **kept = field;
    *kept = value;
    return true;
}

static bool read_list(void *field, const cJSON *value)
{
    return read_value(field, value) && is_type(value, cJSON_Array) && value->child;
}

static bool read_names(void *field, const cJSON *value)
{
    struct schema_names *names = field;
    const cJSON *item;
    size_t count = 0;

    cJSON_ArrayForEach(item, value)
        count++;
    names->name = mem_array(count, sizeof(*names->name));
    cJSON_ArrayForEach(item, value)
        if (!read_text(&names->name[names->count++], item))
            return false;
    return is_type(value, cJSON_Array) && count > 0;
}

static bool read_pattern(void *field, const cJSON *value)
{
    scoped(regex_free) struct regex *regex = NULL;
    const char **pattern = field;
    return !*pattern && read_text(field, value) &&
           pattern_compile(text_of(*pattern), &regex) == PATTERN_GOOD;
}

static bool read_format(void *field, const cJSON *value)
{
    const char **pattern = field;
    const char *name;
    if (*pattern || !read_text(&name, value))
        return false;
    const struct format *format = TABLE_FIND(formats, name);
    *pattern = format ? format->pattern : NULL;
    return format != NULL;
}

static unsigned type_of_name(const cJSON *name)
{
    const char *text = json_text(name, "");
    const struct type_name *type = text ? TABLE_FIND(type_names, text) : NULL;
    return type ? type->types : 0;
}

static bool read_types(void *field, const cJSON *value)
{
    unsigned types = type_of_name(value);
    const cJSON *name;

    cJSON_ArrayForEach(name, value) {
        if (!type_of_name(name))
            return false;
        types |= type_of_name(name);
    }
    if (types)
        *(unsigned *)field = types;
    return types != 0;
}

static bool read_agent(void *field, const cJSON *value)
{
    const char **agent = field;
    return read_text(field, value) && (strcmp(*agent, "omit") == 0 || strcmp(*agent, "image") == 0);
}

#define IN(field) offsetof(struct schema, field)

/* clang-format off */
static const struct keyword {
    const char *name;
    bool (*read)(void *field, const cJSON *value); /* NULL: needs more than its own value, see below */
    size_t offset;
    unsigned types;    /* types that it applies to; 0: all */
    const char *wants;
} keywords[] = {
    { "type",            read_types,   IN(types),           0,                "a type's name or a list of them" },
    { "hint_type",       read_types,   IN(hint_types),      0,                "a type's name or a list of them" },
    { "agent",           read_agent,   IN(agent),           0,                "omit or image" },
    { "description",     read_text,    IN(description),     0,                "a text" },
    { "enum",            read_list,    IN(choices),         0,                "a list that is not empty" },
    { "const",           read_value,   IN(constant),        0,                "a value" },
    { "default",         read_value,   IN(fallback),        0,                "a value" },
    { "example",         NULL,         0,                   0,                "a value" },
    { "examples",        NULL,         0,                   0,                "a list of values" },
    { "aliases",         read_names,   IN(aliases),         0,                "a list of names" },
    { "minimum",         read_number,  IN(minimum),         SCHEMA_NUMERIC,   "a number" },
    { "maximum",         read_number,  IN(maximum),         SCHEMA_NUMERIC,   "a number" },
    { "minLength",       read_count,   IN(min_length),      SCHEMA_STRING,    "a whole number" },
    { "maxLength",       read_count,   IN(max_length),      SCHEMA_STRING,    "a whole number" },
    { "pattern",         read_pattern, IN(pattern),         SCHEMA_STRING,    "a valid pattern, without a format" },
    { "format",          read_format,  IN(pattern),         SCHEMA_STRING,    "uuid or date-time, without a pattern" },
    { "choices",         read_list,    IN(usual),           SCHEMA_STRING,    "a list that is not empty" },
    { "multiline",       read_flag,    IN(is_multiline),    SCHEMA_STRING,    "true or false" },
    { "contentMediaType", read_text,   IN(media_type),      SCHEMA_STRING,    "a media type" },
    { "allow_nul",       read_flag,    IN(allow_nul),       SCHEMA_WITH_TEXT, "true or false" },
    { "items",           NULL,         0,                   SCHEMA_ARRAY,     "a schema" },
    { "minItems",        read_count,   IN(min_items),       SCHEMA_ARRAY,     "a whole number" },
    { "maxItems",        read_count,   IN(max_items),       SCHEMA_ARRAY,     "a whole number" },
    { "properties",      NULL,         0,                   SCHEMA_OBJECT,    "schemas by name" },
    { "required",        NULL,         0,                   SCHEMA_OBJECT,    "a list of names" },
    { "one_of_required", read_names,   IN(one_of_required), SCHEMA_OBJECT,    "a list of names" },
    { "one_of_exclusive", read_flag,   IN(is_exclusive),    SCHEMA_OBJECT,    "true or false" },
};
/* clang-format on */

static bool read_keyword(const struct place *place, const cJSON *value, struct schema *schema,
                         struct err *err)
{
    struct place here = { place, value->string, 0 };
    const struct keyword *keyword = TABLE_FIND(keywords, value->string);
    if (!keyword)
        return fail_at(&here, err, "is not a key of a schema");
    if (keyword->read && !keyword->read((char *)schema + keyword->offset, value)) {
        scoped(mem_free) char *complaint = str_format("must be %s", keyword->wants);
        return fail_at(&here, err, complaint);
    }
    if (keyword->types && !(keyword->types & schema->types))
        return fail_at(&here, err, "does not apply to a value of this type");
    return true;
}

/* Constraints between the keywords of one value. */
static bool check_limits(const struct place *place, const struct schema *schema, struct err *err)
{
    if (schema->minimum > schema->maximum)
        return fail_at(place, err, "has a minimum above its maximum");
    if (schema->min_length > schema->max_length)
        return fail_at(place, err, "has a minLength above its maxLength");
    if (schema->min_items > schema->max_items)
        return fail_at(place, err, "has a minItems above its maxItems");
    if (schema->hint_types && schema->types != SCHEMA_ANY)
        return fail_at(place, err, "has both a hint_type and a type");
    return true;
}

/* A default or example must be valid for its schema. */
static bool check_sample(const struct place *place, const char *key, const struct schema *schema,
                         const cJSON *sample, struct err *err)
{
    scoped(buf_free) struct buf path = BUF(PLACE_BYTES);
    struct errs errs = { 0 };
    struct place here = { place, key, 0 };

    place_write(&here, &path);
    if (sample && !schema_check(schema, buf_str(&path), sample, &errs)) {
        *err = errs.item[0];
        err->kind = ERR_INVALID_VALUE;
        return false;
    }
    return true;
}

static bool check_list(const struct place *place, const char *key, const struct schema *schema,
                       const cJSON *source, struct err *err)
{
    const cJSON *sample;
    cJSON_ArrayForEach(sample, json_get(source, key))
        if (!check_sample(place, key, schema, sample, err))
            return false;
    return true;
}

static bool check_samples(const struct place *place, const struct schema *schema,
                          const cJSON *source, struct err *err)
{
    return check_sample(place, "default", schema, schema->fallback, err) &&
           check_sample(place, "example", schema, json_get(source, "example"), err) &&
           check_list(place, "examples", schema, source, err) &&
           check_list(place, "choices", schema, source, err);
}

/* ---- objects ---- */

/* Mark the property of a name in `required`. */
static bool mark_required(const cJSON *name, struct schema *schema)
{
    const char *text = json_text(name, "");
    const struct schema *property = text ? schema_property(schema, text) : NULL;
    if (!property || property->fallback)
        return false;
    schema->properties[property - schema->properties].required = true;
    return true;
}

static bool read_required(const struct place *place, const cJSON *names, struct schema *schema,
                          struct err *err)
{
    struct place here = { place, "required", 0 };
    const cJSON *name;

    if (names && !is_type(names, cJSON_Array))
        return fail_at(&here, err, "must be a list of names");
    cJSON_ArrayForEach(name, names)
        if (!mark_required(name, schema))
            return fail_at(&here, err, "names a property that does not exist or has a default");
    return true;
}

static bool check_one_of(const struct place *place, const struct schema *schema, struct err *err)
{
    struct place here = { place, "one_of_required", 0 };
    for (size_t i = 0; i < schema->one_of_required.count; i++) {
        const struct schema *property = schema_property(schema, schema->one_of_required.name[i]);
        if (!property || property->fallback)
            return fail_at(&here, err, "names a property that does not exist or has a default");
    }
    here.name = "one_of_exclusive";
    return !schema->is_exclusive || schema->one_of_required.count > 0 ||
           fail_at(&here, err, "must be next to one_of_required");
}

/* Does the alias name its property, and no other? */
static bool is_free(const struct schema *schema, const struct schema *property, size_t alias)
{
    const char *name = property->aliases.name[alias];
    size_t rank;
    return !schema_property(schema, name) &&
           schema_property_or_alias(schema, name, &rank) == property && rank == alias + 1;
}

static bool check_aliases(const struct place *place, const struct schema *schema, struct err *err)
{
    for (size_t i = 0; i < schema->property_count; i++) {
        const struct schema *property = &schema->properties[i];
        struct place here = { place, property->name, 0 };
        for (size_t alias = 0; alias < property->aliases.count; alias++)
            if (!is_free(schema, property, alias))
                return fail_at(&here, err, "has an alias that is taken");
    }
    return true;
}

static bool compile_schema(const struct place *place, const cJSON *source, struct schema *schema,
                           struct err *err);

static bool compile_properties(const struct place *place, const cJSON *source,
                               struct schema *schema, struct err *err)
{
    struct place here = { place, "properties", 0 };
    const cJSON *member;
    size_t count = 0;

    if (source && !is_type(source, cJSON_Object))
        return fail_at(&here, err, "must be schemas by name");
    cJSON_ArrayForEach(member, source)
        count++;
    schema->properties = mem_array(count, sizeof(*schema->properties));
    cJSON_ArrayForEach(member, source) {
        struct place property = { &here, member->string, 0 };
        struct schema *child = &schema->properties[schema->property_count++];
        child->name = member->string;
        if (!compile_schema(&property, member, child, err))
            return false;
    }
    return check_aliases(&here, schema, err);
}

static bool compile_items(const struct place *place, const cJSON *source, struct schema *schema,
                          struct err *err)
{
    struct place here = { place, "items", 0 };
    if (!source)
        return true;
    schema->items = mem_new(sizeof(*schema->items));
    schema->items->name = "";
    return compile_schema(&here, source, schema->items, err);
}

static bool compile_schema(const struct place *place, const cJSON *source, struct schema *schema,
                           struct err *err)
{
    const cJSON *keyword;

    schema->types = json_get(source, "properties") ? SCHEMA_OBJECT : SCHEMA_ANY;
    schema->minimum = -INFINITY;
    schema->maximum = INFINITY;
    schema->max_length = schema->max_items = SIZE_MAX;
    if (!is_type(source, cJSON_Object))
        return fail_at(place, err, "must be a schema");
    if (json_get(source, "type"))
        read_types(&schema->types,
                   json_get(source, "type")); /* first, because other keys depend on it */
    cJSON_ArrayForEach(keyword, source)
        if (!read_keyword(place, keyword, schema, err))
            return false;
    return check_limits(place, schema, err) &&
           compile_items(place, json_get(source, "items"), schema, err) &&
           compile_properties(place, json_get(source, "properties"), schema, err) &&
           read_required(place, json_get(source, "required"), schema, err) &&
           check_one_of(place, schema, err);
}

/* ---- conversion to JSON Schema ---- */

static void translate_schema(const struct schema *schema, cJSON *source)
{
    if (json_get(source, "properties") && !json_get(source, "type"))
        json_str(source, "type", "object");
    if (json_get(source, "format")) {
        scoped(json_free) cJSON *format = json_take(source, "format");
        json_str(source, "pattern", schema->pattern);
    }
    cJSON *choices = schema->one_of_required.count > 0 ? json_list(source, "anyOf") : NULL;
    for (size_t i = 0; i < schema->one_of_required.count; i++) {
        cJSON *choice = json_item(choices);
        json_item_str(json_list(choice, "required"), schema->one_of_required.name[i]);
        json_bool(choice, "allow_nul", true); /* check_own_rules() is also called for it */
    }
}

/* Convert the copy of a schema, and everything in it. */
static void translate_all(struct schema *schema, cJSON *source)
{
    schema->source = source;
    translate_schema(schema, source);
    cJSON *properties = json_take(source, "properties");
    cJSON *items = json_take(source, "items");
    cJSON *property = properties ? properties->child : NULL;
    for (size_t i = 0; i < schema->property_count && property; i++, property = property->next)
        translate_all(&schema->properties[i], property);
    if (properties)
        json_add(source, "properties", properties);
    if (!items)
        return;
    translate_all(schema->items, items);
    json_add(source, "items", items);
}

/* Connect each schema to its rules, and check its samples with them. */
static bool link_rules(const struct place *place, const struct validator *validator,
                       const cJSON *document, struct schema *schema, struct err *err)
{
    struct place properties = { place, "properties", 0 };
    struct place items = { place, "items", 0 };
    const cJSON *property = json_get(document, "properties");
    property = property ? property->child : NULL;
    schema->rules = validator_at(validator, schema->source);
    for (size_t i = 0; i < schema->property_count && property; i++, property = property->next) {
        struct place here = { &properties, schema->properties[i].name, 0 };
        if (!link_rules(&here, validator, property, &schema->properties[i], err))
            return false;
    }
    if (schema->items &&
        !link_rules(&items, validator, json_get(document, "items"), schema->items, err))
        return false;
    return check_samples(place, schema, document, err);
}

static bool compile_source(const struct place *place, const cJSON *document, struct schema *schema,
                           struct err *err)
{
    const struct validator_options options = { .tree = &tree_json,
                                               .dialect = SCHEMA_2020_12,
                                               .has_own = true };
    schema->whole_source = json_copy(document);
    translate_all(schema, schema->whole_source);
    schema->validator = validator_new(&options);
    return validator_add(schema->validator, TEXT(""), schema->source) &&
           validator_compile(schema->validator, err) &&
           link_rules(place, schema->validator, document, schema, err);
}

bool schema_new(const char *key, const cJSON *source, struct schema **schema, struct err *err)
{
    scoped(schema_free) struct schema *fresh = mem_new(sizeof(*fresh));
    struct place place = { NULL, key, 0 };
    fresh->name = "";
    if (!compile_schema(&place, source, fresh, err) || !compile_source(&place, source, fresh, err))
        return false;
    *schema = take(fresh);
    return true;
}

static void clear_schema(struct schema *schema)
{
    for (size_t i = 0; i < schema->property_count; i++)
        clear_schema(&schema->properties[i]);
    mem_free(&schema->properties);
    schema_free(&schema->items);
    validator_free(&schema->validator);
    json_free(&schema->whole_source);
    mem_free(&schema->aliases.name);
    mem_free(&schema->one_of_required.name);
}

void schema_free(struct schema **schema)
{
    if (!*schema)
        return;
    clear_schema(*schema);
    mem_free(schema);
}
