/* gateway/catalog/openapi-schema.c - see openapi-schema.h. */
#include "gateway/catalog/openapi-schema.h"

#include <string.h>

#include "base/table.h"
#include "text/json.h"

/* clang-format off */
/* Contract keywords that OpenAPI has under another name; all others are the same. */
static const struct renamed {
    const char *name;
    const char *to;
} renamed[] = {
    { "agent",     "x-agent" },
    { "aliases",   "x-aliases" },
    { "allow_nul", "x-allow-nul" },
    { "choices",   "x-choices" },
    { "hint_type", "x-hint-type" },
    { "multiline", "x-multiline" },
};
/* clang-format on */

bool schema_lists(const cJSON *list, const char *wanted)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        if (text_is(json_text_of(item), wanted))
            return true;
    return false;
}

static void convert_properties(cJSON *out, const cJSON *properties)
{
    const cJSON *property;
    cJSON *map = json_map(out, "properties");
    cJSON_ArrayForEach(property, properties)
        json_add(map, property->string, schema_convert(property));
}

/* At least or exactly one of these names: an anyOf or oneOf with one `required` each. It is inside
 * an allOf, because client generators take one next to properties for a union. */
static void convert_one_of_required(cJSON *out, const cJSON *names, bool is_exclusive)
{
    const cJSON *name;
    const char *keyword = is_exclusive ? "oneOf" : "anyOf";
    cJSON *list = json_list(json_item(json_list(out, "allOf")), keyword);
    cJSON_ArrayForEach(name, names)
        json_item_str(json_list(json_item(list), "required"), json_text_of(name).bytes);
}

static void convert_key(cJSON *out, const cJSON *schema, const cJSON *key)
{
    const struct renamed *other = TABLE_FIND(renamed, key->string);

    if (other)
        json_add(out, other->to, json_copy(key));
    else if (strcmp(key->string, "properties") == 0)
        convert_properties(out, key);
    else if (strcmp(key->string, "items") == 0)
        json_add(out, "items", schema_convert(key));
    else if (strcmp(key->string, "one_of_required") == 0)
        convert_one_of_required(out, key,
                                json_is(json_get(schema, "one_of_exclusive"), cJSON_True));
    else if (strcmp(key->string, "one_of_exclusive") == 0)
        return;
    else if (strcmp(key->string, "example") == 0)
        json_item_add(json_list(out, "examples"), json_copy(key));
    else
        json_add(out, key->string, json_copy(key));
}

static bool has_type(const cJSON *schema, const char *type)
{
    const cJSON *types = json_get(schema, "type");
    return schema_lists(types, type) ||
           (json_is(types, cJSON_String) && text_is(json_text_of(types), type));
}

/* Add what a contract omits: a schema with properties is an object, and a list without items takes
 * any. */
static void add_implied(cJSON *schema)
{
    if (json_get(schema, "properties") && !json_get(schema, "type"))
        json_str(schema, "type", "object");
    if (has_type(schema, "array") && !json_get(schema, "items"))
        json_map(schema, "items");
}

cJSON *schema_convert(const cJSON *schema)
{
    const cJSON *key;
    cJSON *out = json_object();
    cJSON_ArrayForEach(key, schema)
        convert_key(out, schema, key);
    add_implied(out);
    return out;
}

cJSON *schema_convert_object(const cJSON *schema)
{
    cJSON *out = schema_convert(schema);
    if (!json_get(out, "type"))
        json_str(out, "type", "object");
    return out;
}

/* Wrap a result (taken over) in its envelope. Returns the media type's object, for examples. */
