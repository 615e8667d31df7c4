/* svc-security/openapi-validate/rules/schema.c - rules for schemas. */
#include <string.h>

#include "base/ascii.h"
#include "named.h"
#include "openapi-validate/check/references.h"
#include "openapi-validate/check/values.h"
#include "rules.h"

#define TYPES_3_0 "array boolean integer number object string"
#define TYPES_3_1 "array boolean integer null number object string"

/* ---- type ---- */

/* In Swagger 2.0, the schema of a response may have type file; nested schemas may not. */
static bool is_file(const struct check *check, const struct node *schema)
{
    return check->version == V20 && node_says(node_get(schema, "type"), "file") && schema->parent &&
           schema->parent->type == TYPE_RESPONSE;
}

static void type_is_one(struct check *check, const struct node *schema)
{
    const struct node *type = node_get(schema, "type");
    bool is_ref = node_get(schema, "$ref") != NULL;
    if (!type || is_ref)
        return;
    if (!node_is(type, NODE_STRING))
        report(check->findings, RULE_SCHEMA_TYPE, type,
               "\"type\" must be one string before OpenAPI 3.1.");
    else if (!is_word_of(type->text, TYPES_3_0) && !is_file(check, schema))
        report(check->findings, RULE_SCHEMA_TYPE, type, "\"type\" must be one of: %s.", TYPES_3_0);
}

static void check_type_names(struct check *check, const struct node *types)
{
    scoped(named_free) struct named_list names = named_of(types, NULL, false);
    for (size_t i = 0; i < names.count; i++)
        if (!is_word_of(names.item[i].name, TYPES_3_1))
            report(check->findings, RULE_SCHEMA_TYPE, names.item[i].node,
                   "\"type\" must list only: %s.", TYPES_3_1);
    named_report_repeated(&names, check, RULE_SCHEMA_TYPE_REPEATED, "type");
}

static void type_is_one_or_more(struct check *check, const struct node *schema)
{
    const struct node *type = node_get(schema, "type");
    if (!type)
        return;
    if (node_is(type, NODE_LIST))
        check_type_names(check, type);
    else if (!is_word_of(node_text(type), TYPES_3_1))
        report(check->findings, RULE_SCHEMA_TYPE, type, "\"type\" must be one or a list of: %s.",
               TYPES_3_1);
}

void array_has_items(struct check *check, const struct node *schema)
{
    if (node_says(node_get(schema, "type"), "array") && !node_get(schema, "items"))
        flag(check->findings, RULE_ITEMS_REQUIRED, schema);
}

/* clang-format off */
static const struct {
    const char *format;
    const char *types; /* that it applies to */
} formats[] = {
    { "int32",     "integer number" },
    { "int64",     "integer number" },
    { "float",     "number" },
    { "double",    "number" },
    { "byte",      "string" },
    { "binary",    "string file" },
    { "date",      "string" },
    { "date-time", "string" },
    { "time",      "string" },
    { "password",  "string" },
    { "email",     "string" },
    { "uuid",      "string" },
    { "uri",       "string" },
    { "hostname",  "string" },
    { "ipv4",      "string" },
    { "ipv6",      "string" },
};
/* clang-format on */

static void format_fits_type(struct check *check, const struct node *schema)
{
    const struct node *type = node_get(schema, "type");
    struct text format = node_text_at(schema, "format");
    for (size_t i = 0; node_is(type, NODE_STRING) && i < countof(formats); i++)
        if (text_is(format, formats[i].format) && !is_word_of(type->text, formats[i].types))
            report(check->findings, RULE_TYPE_FORMAT_MISMATCH, schema,
                   "The format %s does not apply to the type %s.", formats[i].format,
                   quote(type->text).bytes);
}

/* ---- bounds ---- */

/* clang-format off */
static const struct {
    const char *low;
    const char *high;
    unsigned versions;
} bounds[] = {
    { "minimum",       "maximum",       ALL },
    { "minLength",     "maxLength",     ALL },
    { "minItems",      "maxItems",      ALL },
    { "minProperties", "maxProperties", ALL },
    { "minContains",   "maxContains",   V31_UP },
};
/* clang-format on */

static void bounds_are_in_order(struct check *check, const struct node *schema)
{
    for (size_t i = 0; i < countof(bounds); i++) {
        const struct node *low = node_get(schema, bounds[i].low);
        const struct node *high = node_get(schema, bounds[i].high);
        if (bounds[i].versions & check->version && node_is(low, NODE_NUMBER) &&
            node_is(high, NODE_NUMBER) && node_compare(low, high) > 0)
            report(check->findings, RULE_BOUNDS_EXCLUDE_ALL, schema,
                   "\"%s\" is greater than \"%s\".", bounds[i].low, bounds[i].high);
    }
}

/* ---- enum, const, required ---- */

/* A text key for a scalar, equal for equal scalars; none for lists and objects. */
static struct text scalar_key(struct check *check, const struct node *node)
{
    static const char *const tags[] = { "0", "b", "n", "s" };
    scoped(buf_free) struct buf key = BUF(SCALAR_BYTES_MAX + 64);
    if (node->kind == NODE_LIST || node->kind == NODE_OBJECT)
        return TEXT("");
    buf_add_str(&key, tags[node->kind]);
    if (node->kind == NODE_BOOL)
        buf_add_byte(&key, node->is_true ? '1' : '0');
    if (node->kind == NODE_NUMBER && node->number > -0x1p53 && node->number < 0x1p53)
        buf_format(&key, "%.17g", node->number);
    else if (node->kind == NODE_NUMBER || node->kind == NODE_STRING)
        buf_add(&key, node->text.bytes, node->text.size);
    return (struct text){ arena_copy(&check->document->arena, buf_text(&key)), key.size };
}

static void report_equal_values(struct check *check, const struct node *values)
{
    scoped(named_free) struct named_list keys = named_new(values->count);
    for (size_t i = 0; i < values->count; i++) {
        struct text key = scalar_key(check, values->child[i]);
        if (key.size > 0)
            named_add(&keys, key, values->child[i]);
    }
    named_sort(&keys);
    for (size_t i = 1; i < keys.count; i++)
        if (text_order(keys.item[i - 1].name, keys.item[i].name) == 0)
            flag(check->findings, RULE_ENUM_REPEATED, keys.item[i].node);
}

static void enum_is_good(struct check *check, const struct node *schema)
{
    const struct node *values = node_get(schema, "enum");
    if (!node_is(values, NODE_LIST))
        return;
    bool is_lenient = check->version & V31_UP; /* MUST NOT is SHOULD NOT */
    if (values->count == 0)
        flag(check->findings, is_lenient ? RULE_ENUM_EMPTY_3_1 : RULE_ENUM_EMPTY, values);
    report_equal_values(check, values);
    size_t types = node_count(node_get(schema, "type"));
    for (size_t i = 0; i < values->count && check_step(check, 1 + types); i++)
        if (!fits_type(check, schema, values->child[i]))
            flag(check->findings, RULE_ENUM_TYPE, values->child[i]);
}

static void const_is_in_enum(struct check *check, const struct node *schema)
{
    const struct node *values = node_get(schema, "enum");
    const struct node *value = node_get(schema, "const");
    size_t steps = 10000;
    if (!value || !node_is(values, NODE_LIST))
        return;
    for (size_t i = 0; i < values->count && check_step(check, 1); i++)
        if (node_equal(value, values->child[i], &steps))
            return;
    flag(check->findings, RULE_CONST_NOT_IN_ENUM, value);
}

static void required_is_good(struct check *check, const struct node *schema)
{
    const struct node *list = node_get(schema, "required");
    const struct node *properties = node_get(schema, "properties");
    if (!node_is(list, NODE_LIST))
        return;
    if (list->count == 0 && check->version & (V20 | V30))
        flag(check->findings, RULE_REQUIRED_EMPTY, list);
    scoped(named_free) struct named_list names = named_of(list, NULL, false);
    for (size_t i = 0; i < names.count; i++)
        if (node_is(properties, NODE_OBJECT) && !node_member(properties, names.item[i].name))
            flag_text(check->findings, RULE_REQUIRED_PROPERTY, list->child[i], names.item[i].name);
    named_report_repeated(&names, check, RULE_REQUIRED_REPEATED, "required property");
}

static void dependencies_are_unique(struct check *check, const struct node *schema)
{
    const struct node *lists = node_get(schema, "dependentRequired");
    for (size_t i = 0; node_is(lists, NODE_OBJECT) && i < lists->count; i++) {
        scoped(named_free) struct named_list names = named_of(lists->child[i], NULL, false);
        named_report_repeated(&names, check, RULE_REQUIRED_REPEATED, "required property");
    }
}

/* ---- JSON Schema keywords: lists of schemas, names, ids ---- */

static void lists_have_schemas(struct check *check, const struct node *schema)
{
    static const char *const names[] = { "allOf", "anyOf", "oneOf", "prefixItems" };
    for (size_t i = 0; i < countof(names); i++) {
        const struct node *list = node_get(schema, names[i]);
        bool is_known = i < 3 || check->version & V31_UP;
        if (is_known && node_is(list, NODE_LIST) && list->count == 0)
            flag_text(check->findings, RULE_SCHEMAS_EMPTY, list, text_of(names[i]));
    }
}

/* 2020-12, core, section 8.2.2 */
static bool is_anchor(struct text text)
{
    return is_component_name(text) &&
           (ascii_is_letter((unsigned char)text.bytes[0]) || text.bytes[0] == '_');
}

static void names_are_anchors(struct check *check, const struct node *schema)
{
    static const char *const names[] = { "$anchor", "$dynamicAnchor" };
    for (size_t i = 0; i < countof(names); i++) {
        const struct node *name = node_get(schema, names[i]);
        if (node_is(name, NODE_STRING) && !is_anchor(name->text))
            flag_text(check->findings, RULE_ANCHOR_FORMAT, name, text_of(names[i]));
    }
}

/* section 8.2.1 */
static void id_is_of_a_whole(struct check *check, const struct node *schema)
{
    const struct node *id = node_get(schema, "$id");
    const char *hash = node_is(id, NODE_STRING) ? memchr(id->text.bytes, '#', id->text.size) : NULL;
    if (hash && hash + 1 < id->text.bytes + id->text.size)
        flag(check->findings, RULE_ID_FRAGMENT, id);
}

/* ---- exclusions and requirements ---- */

static void read_only_or_write_only(struct check *check, const struct node *schema)
{
    bool is_lenient = check->version & V31_UP; /* later versions dropped the rule */
    if (node_is_true(node_get(schema, "readOnly")) && node_is_true(node_get(schema, "writeOnly")))
        flag(check->findings, is_lenient ? RULE_READ_AND_WRITE_ONLY_3_1 : RULE_READ_AND_WRITE_ONLY,
             schema);
}

static void nullable_has_type(struct check *check, const struct node *schema)
{
    if (node_is_true(node_get(schema, "nullable")) && !node_get(schema, "type"))
        flag(check->findings, RULE_NULLABLE_WITHOUT_TYPE, schema);
}

static void old_keywords_are_gone(struct check *check, const struct node *schema)
{
    const struct node *nullable = node_get(schema, "nullable");
    const struct node *example = node_get(schema, "example");
    if (nullable)
        flag(check->findings, RULE_NULLABLE_REMOVED, nullable);
    if (example)
        flag(check->findings, RULE_EXAMPLE_DEPRECATED, example);
}

static void dialect_is_known(struct check *check, const struct node *schema)
{
    static const char words[] = "https://json-schema.org/draft/2020-12/schema "
                                "https://spec.openapis.org/oas/3.1/dialect/base "
                                "https://spec.openapis.org/oas/3.1/dialect/2024-11-10 "
                                "https://spec.openapis.org/oas/3.2/dialect/2025-09-17";
    const struct node *dialect = node_get(schema, "$schema");
    if (node_is(dialect, NODE_STRING) && !is_word_of(dialect->text, words))
        flag(check->findings, RULE_DIALECT_UNKNOWN, dialect);
}

static void xml_is_one_kind(struct check *check, const struct node *xml)
{
    if (node_get(xml, "nodeType") && (node_get(xml, "attribute") || node_get(xml, "wrapped")))
        flag(check->findings, RULE_XML_NODE_TYPE, xml);
}

/* ---- discriminator ---- */

static void old_discriminator(struct check *check, const struct node *schema)
{
    const struct node *name = node_get(schema, "discriminator");
    if (!node_is(name, NODE_STRING))
        return;
    if (!node_member(node_get(schema, "properties"), name->text) ||
        !node_has(node_get(schema, "required"), name->text.bytes))
        flag(check->findings, RULE_DISCRIMINATOR_PROPERTY, name);
}

static void discriminator_chooses(struct check *check, const struct node *schema)
{
    const struct node *discriminator = node_get(schema, "discriminator");
    bool has_choice = node_get(schema, "oneOf") || node_get(schema, "anyOf") ||
                      node_get(schema, "allOf") || schema->is_used;
    if (discriminator && !has_choice)
        flag(check->findings, RULE_DISCRIMINATOR_ALONE, discriminator);
}

static void check_mapping(struct check *check, const struct node *entry)
{
    const struct node *schemas = node_get(node_get(check->document->root, "components"), "schemas");
    struct resolution lead;
    if (!node_is(entry, NODE_STRING) || node_member(schemas, entry->text))
        return;
    if (!locate(check, entry, entry->text, &lead) && !lead.why)
        flag_text(check->findings, RULE_DISCRIMINATOR_MAPPING, entry, entry->text);
}

static void mapping_resolves(struct check *check, const struct node *discriminator)
{
    const struct node *mapping = node_get(discriminator, "mapping");
    for (size_t i = 0; node_is(mapping, NODE_OBJECT) && i < mapping->count; i++)
        check_mapping(check, mapping->child[i]);
    if (check->version == V32)
        check_mapping(check, node_get(discriminator, "defaultMapping"));
}

/* A property of a schema and its allOf parts. */
struct presence {
    bool is_defined;
    bool is_required; /* or unknown */
    unsigned parts_left;
};

static void find_presence(struct check *check, const struct node *schema, struct text name,
                          struct presence *found)
{
    const struct node *required = node_get(schema, "required");
    const struct node *parts = node_get(schema, "allOf");
    if (!schema || found->parts_left == 0 || !check_step(check, 1 + node_count(required))) {
        found->is_required = true;
        return;
    }
    found->parts_left--;
    found->is_defined |= node_member(node_get(schema, "properties"), name) != NULL;
    found->is_required |= node_has(required, name.bytes);
    if (node_get(schema, "$ref"))
        find_presence(check, schema->target, name, found);
    for (size_t i = 0; !found->is_required && i < node_count(parts); i++)
        find_presence(check, deref(parts->child[i]), name, found);
}

/* OpenAPI 3.2.0, Discriminator Object: an optional property needs a default mapping. */
static void absence_has_default(struct check *check, const struct node *schema)
{
    enum { PARTS_MAX = 64 };
    static const char *const lists[] = { "oneOf", "anyOf" };
    const struct node *discriminator = node_get(schema, "discriminator");
    const struct node *name = node_get(discriminator, "propertyName");
    struct presence whole = { .parts_left = PARTS_MAX };
    if (!node_is(name, NODE_STRING) || node_get(discriminator, "defaultMapping"))
        return;
    find_presence(check, schema, name->text, &whole);
    bool is_optional = whole.is_defined && !whole.is_required;
    bool has_choices = false;
    for (size_t i = 0; !whole.is_required && i < countof(lists); i++) {
        const struct node *list = node_get(schema, lists[i]);
        for (size_t k = 0; k < node_count(list); k++) {
            struct presence choice = whole;
            find_presence(check, deref(list->child[k]), name->text, &choice);
            is_optional =
                (has_choices && is_optional) || (choice.is_defined && !choice.is_required);
            has_choices = true;
        }
    }
    if (is_optional)
        flag_text(check->findings, RULE_DISCRIMINATOR_DEFAULT, discriminator, name->text);
}

/* ---- allOf ---- */

static void parts_agree(struct check *check, const struct node *schema)
{
    const struct node *parts = node_get(schema, "allOf");
    const struct node *first = node_get(schema, "type");
    for (size_t i = 0; node_is(parts, NODE_LIST) && i < parts->count; i++) {
        const struct node *type = node_get(deref(parts->child[i]), "type");
        bool is_number = is_word_of(node_text(first), "integer number") &&
                         is_word_of(node_text(type), "integer number");
        if (node_is(first, NODE_STRING) && node_is(type, NODE_STRING) && !is_number &&
            text_order(first->text, type->text) != 0) {
            report(check->findings, RULE_ALL_OF_TYPES, parts->child[i],
                   "A value cannot be both %s and %s.", quote(first->text).bytes,
                   quote(type->text).bytes);
            return;
        }
        first = first ? first : type;
    }
}

static const struct rule_row rows[] = {
    { TYPE_SCHEMA, V20 | V30, type_is_one },
    { TYPE_SCHEMA, V31_UP, type_is_one_or_more },
    { TYPE_SCHEMA, V20 | V30, array_has_items },
    { TYPE_SCHEMA, ALL, format_fits_type },
    { TYPE_SCHEMA, ALL, bounds_are_in_order },
    { TYPE_PARAMETER, V20, bounds_are_in_order },
    { TYPE_ITEMS, V20, bounds_are_in_order },
    { TYPE_HEADER, V20, bounds_are_in_order },
    { TYPE_SCHEMA, ALL, enum_is_good },
    { TYPE_PARAMETER, V20, enum_is_good },
    { TYPE_ITEMS, V20, enum_is_good },
    { TYPE_HEADER, V20, enum_is_good },
    { TYPE_SCHEMA, V31_UP, const_is_in_enum },
    { TYPE_SCHEMA, ALL, required_is_good },
    { TYPE_SCHEMA, V3, read_only_or_write_only },
    { TYPE_SCHEMA, V30, nullable_has_type },
    { TYPE_SCHEMA, V31_UP, old_keywords_are_gone },
    { TYPE_SCHEMA, V31_UP, dialect_is_known },
    { TYPE_XML, V32, xml_is_one_kind },
    { TYPE_SCHEMA, V31_UP, dependencies_are_unique },
    { TYPE_SCHEMA, ALL, lists_have_schemas },
    { TYPE_SCHEMA, V31_UP, names_are_anchors },
    { TYPE_SCHEMA, V31_UP, id_is_of_a_whole },
    { TYPE_SCHEMA, V32, absence_has_default },
    { TYPE_SCHEMA, V20, old_discriminator },
    { TYPE_SCHEMA, V3, discriminator_chooses },
    { TYPE_DISCRIMINATOR, V3, mapping_resolves },
    { TYPE_SCHEMA, ALL, parts_agree },
};

const struct rule_table schema_rules = { rows, countof(rows) };
