/* gateway/mcp/arguments.c - arguments as hosts write them. */
#include "gateway/mcp/arguments.h"

#include <string.h>

#include "base/mem.h"
#include "text/json.h"

/* The property of that name or alias. */
static const cJSON *find_property(const cJSON *properties, const char *name)
{
    const cJSON *property;
    const cJSON *alias;
    if (json_get(properties, name))
        return json_get(properties, name);
    cJSON_ArrayForEach(property, properties)
        cJSON_ArrayForEach(alias, json_get(property, "aliases"))
            if (text_is(json_text_of(alias), name))
                return property;
    return NULL;
}

/* Whether the list `key` of a schema has this name. */
static bool is_listed(const cJSON *schema, const char *key, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(schema, key))
        if (text_is(json_text_of(item), name))
            return true;
    return false;
}

static bool has_type(const cJSON *property, const char *type)
{
    return text_is(json_text_of(json_get(property, "type")), type) ||
           is_listed(property, "type", type) ||
           (strcmp(type, "object") == 0 && json_get(property, "properties")) ||
           (strcmp(type, "array") == 0 && json_get(property, "items"));
}

static const char *type_of_value(const cJSON *value)
{
    return json_is(value, cJSON_Object)   ? "object"
           : json_is(value, cJSON_Array)  ? "array"
           : json_is(value, cJSON_Number) ? "number"
           : json_is(value, cJSON_String) ? "string"
           : json_is(value, cJSON_NULL)   ? "null"
                                          : "boolean";
}

static bool accepts(const cJSON *property, const cJSON *value)
{
    const char *type = type_of_value(value);
    return has_type(property, type) ||
           (strcmp(type, "number") == 0 && has_type(property, "integer"));
}

/* The value inside a string, owned by the caller; NULL: the property takes no such value. */
static cJSON *value_in(const cJSON *property, const cJSON *value)
{
    cJSON *inside = NULL;
    bool is_typed = json_get(property, "type") || json_get(property, "items") ||
                    json_get(property, "properties");
    if (!json_is(value, cJSON_String) || has_type(property, "string") || !is_typed ||
        !json_parse(text_trim(json_text_of(value)), JSON_DEPTH, &inside, NULL))
        return NULL;
    if (json_is(inside, cJSON_NULL) || !accepts(property, inside))
        json_free(&inside);
    return inside;
}

/* "", null, [] and {}: what hosts send for a property without a value. */
static bool is_empty(const cJSON *value)
{
    bool is_container = json_is(value, cJSON_Array) || json_is(value, cJSON_Object);
    return json_is(value, cJSON_NULL) || (is_container && json_size(value) == 0) ||
           (json_is(value, cJSON_String) && json_text_of(value).size == 0);
}

/* Does the property reject this empty value? */
static bool rejects_empty(const cJSON *property, const cJSON *value)
{
    bool is_text = json_is(value, cJSON_String);
    return !accepts(property, value) || json_get(property, "required") ||
           json_integer(property, is_text ? "minLength" : "minItems") > 0 ||
           (is_text && (json_get(property, "enum") || json_get(property, "format") ||
                        json_get(property, "pattern")));
}

static void adjust_member(const cJSON *request, const cJSON *member, cJSON *adjusted,
                          struct buf *told)
{
    const cJSON *property = find_property(json_get(request, "properties"), member->string);
    cJSON *inside = property ? value_in(property, member) : NULL;
    bool is_required = is_listed(request, "required", member->string) ||
                       is_listed(request, "one_of_required", member->string);
    if (inside) {
        buf_format(told, "%s: the string was read as %s. ", member->string, type_of_value(inside));
        json_add(adjusted, member->string, inside);
    } else if (property && !is_required && is_empty(member) && rejects_empty(property, member)) {
        buf_format(told, "%s: empty, and left out. ", member->string);
    } else {
        json_add(adjusted, member->string, json_copy(member));
    }
}

bool arguments_adjust(const struct contract *contract, struct text body, struct buf *out,
                      struct buf *told)
{
    scoped(json_free) cJSON *arguments = NULL;
    scoped(json_free) cJSON *adjusted = json_object();
    const cJSON *member;
    if (!json_parse(body, JSON_DEPTH, &arguments, NULL))
        return false;
    cJSON_ArrayForEach(member, arguments)
        adjust_member(json_get(contract->document, "request"), member, adjusted, told);
    return told->size > 0 && json_print(adjusted, out);
}
