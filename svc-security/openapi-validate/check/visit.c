/* svc-security/openapi-validate/check/visit.c - compare the tree with the table of fields. */
#include "visit.h"

#include "base/mem.h"
#include "base/num.h"
#include "values.h"

static void add_visit(struct check *check, struct node *node, enum type type)
{
    node->type = (uint8_t)type;
    if (check->visit_count == check->visit_capacity) {
        check->visit_capacity = MAX(2 * check->visit_capacity, (size_t)256);
        check->visits = mem_resize(check->visits, check->visit_capacity * sizeof(struct node *));
    }
    check->visits[check->visit_count++] = node;
}

/* ---- expected kinds ---- */

static bool expect_kind(struct check *check, const struct node *node, enum node_kind kind)
{
    if (node->kind == kind)
        return true;
    struct node wanted = { .kind = (uint8_t)kind };
    report(check->findings, RULE_FIELD_TYPE, node, "\"%s\" must be %s, not %s.",
           quote(node_name(node)).bytes, node_kind_name(&wanted), node_kind_name(node));
    return false;
}

/* Compose the id of a rule from an object's label and a field's name. */
static struct quote rule_of(const char *label, const char *field, const char *rest)
{
    struct quote id;
    const char *words[] = { label, *label ? "-" : "", field, rest };
    size_t size = 0;
    for (size_t i = 0; i < countof(words); i++)
        for (const char *at = words[i]; *at && size + 2 < sizeof(id.bytes); at++) {
            bool is_upper = *at >= 'A' && *at <= 'Z';
            if (is_upper)
                id.bytes[size++] = '-';
            if (*at != '$')
                id.bytes[size++] = is_upper ? (char)(*at + 'a' - 'A') : *at;
        }
    id.bytes[size] = '\0';
    return id;
}

/* Report a field that this version does not have. */
static void report_unknown_field(struct check *check, enum type type, const struct node *node,
                                 const struct field *field)
{
    static const char *const reasons[] = { "is not a field of this object",
                                           "is a field of Swagger 2.0", "is a field of OpenAPI 3" };
    struct quote name = quote(node_name(node));
    bool is_later = field && check->version != V20 && field->versions > check->version;
    if (is_later) {
        bool is_31 = field->versions & V31;
        report_as(check->findings, LEVEL_ERROR,
                  rule_of("", name.bytes, is_31 ? "-for-3-1-plus" : "-for-3-2-plus").bytes, node,
                  "\"%s\" requires OpenAPI %s or later.", name.bytes, is_31 ? "3.1" : "3.2");
        return;
    }
    const char *reason = reasons[field ? (field->versions & V20 ? 1 : 2) : 0];
    report(check->findings, type == TYPE_PATH_ITEM ? RULE_UNKNOWN_METHOD : RULE_UNKNOWN_FIELD, node,
           "\"%s\" %s.", name.bytes, reason);
}

static void check_required(struct check *check, const struct node *node, enum type type)
{
    size_t count;
    const struct field *field = fields_of(type, &count);
    for (size_t i = 0; i < count; i++)
        if (field[i].required & check->version && !node_get(node, field[i].names))
            report_as(check->findings, LEVEL_ERROR,
                      rule_of(object_type(type)->label, field[i].names, "-required").bytes, node,
                      "\"%s\" is missing.", field[i].names);
}

/* ---- descent: the depth of a document is limited ---- */

static void visit_entry(struct check *check, struct node *node, const struct field *field);

static void visit_children(struct check *check, struct node *node, const struct field *field)
{
    node->type = TYPE_CONTAINER;
    for (uint32_t i = 0; i < node->count; i++)
        visit_entry(check, node->child[i], field);
}

static void visit_entry(struct check *check, struct node *node, const struct field *field)
{
    if (object_type(field->type))
        visit_node(check, node, field->type);
    else if (field->type == TYPE_SCHEMA_OR_BOOL && node->kind != NODE_BOOL)
        visit_node(check, node, TYPE_SCHEMA);
    else
        check_value(check, node, field);
}

static void check_names(struct check *check, const struct node *map)
{
    for (uint32_t i = 0; i < map->count; i++)
        if (!is_component_name(map->child[i]->key))
            flag(check->findings, RULE_COMPONENT_NAME, map->child[i]);
}

static void visit_lists(struct check *check, struct node *map, const struct field *field)
{
    map->type = TYPE_CONTAINER;
    for (uint32_t i = 0; i < map->count; i++)
        if (expect_kind(check, map->child[i], NODE_LIST))
            visit_children(check, map->child[i], field);
}

static void visit_field(struct check *check, struct node *node, const struct field *field)
{
    switch (field->shape) {
    case SHAPE_ONE:
        visit_entry(check, node, field);
        return;
    case SHAPE_LIST:
        if (expect_kind(check, node, NODE_LIST))
            visit_children(check, node, field);
        return;
    case SHAPE_NAMED:
        check_names(check, node);
        __attribute__((fallthrough));
    case SHAPE_MAP:
        if (expect_kind(check, node, NODE_OBJECT))
            visit_children(check, node, field);
        return;
    case SHAPE_MAP_OF_LISTS:
        if (expect_kind(check, node, NODE_OBJECT))
            visit_lists(check, node, field);
        return;
    }
}

static void visit_member(struct check *check, struct node *member, enum type type)
{
    const struct object_type *object = object_type(type);
    if (object->is_extensible && is_extension(member->key))
        return;
    if (object->entries != TYPE_NOTHING) {
        struct field any = { NULL, type, ALL, NONE, object->entries_shape, object->entries, NULL };
        visit_field(check, member, &any);
        return;
    }
    const struct field *field = field_find(type, check->version, member->key);
    bool is_known = field && field->versions & check->version;
    bool is_open = type == TYPE_SCHEMA && check->version & V31_UP; /* JSON Schema allows any
                                                                    * keyword */
    if (is_known)
        visit_field(check, member, field);
    else if (!is_open && !(text_is(member->key, "$ref") && object->references & check->version))
        report_unknown_field(check, type, member, field);
}

bool is_reference_of(const struct check *check, const struct node *node, enum type type)
{
    return object_type(type)->references & check->version && node_get(node, "$ref");
}

/* Fields next to a $ref apply only in a Schema Object from 3.1 on, and in a Path Item. */
static bool is_plain_reference(const struct check *check, enum type type)
{
    return type != TYPE_PATH_ITEM && !(type == TYPE_SCHEMA && check->version & V31_UP);
}

static void check_siblings(struct check *check, const struct node *node)
{
    for (uint32_t i = 0; i < node->count; i++) {
        struct text name = node->child[i]->key;
        bool is_allowed =
            text_is(name, "$ref") ||
            (check->version & V31_UP && (text_is(name, "summary") || text_is(name, "description")));
        if (!is_allowed)
            flag_text(check->findings, RULE_REF_SIBLINGS, node->child[i], name);
    }
}

void visit_node(struct check *check, struct node *node, enum type type)
{
    bool is_boolean_schema =
        type == TYPE_SCHEMA && check->version & V31_UP && node->kind == NODE_BOOL;
    if (node->type == type) /* a reference reached it before one of its ancestors */
        return;
    if (!is_boolean_schema && !expect_kind(check, node, NODE_OBJECT))
        return;
    add_visit(check, node, type);
    if (is_boolean_schema)
        return;
    bool has_reference = is_reference_of(check, node, type);
    node->is_reference = has_reference && (node->count == 1 || is_plain_reference(check, type));
    if (has_reference && is_plain_reference(check, type)) {
        check_siblings(check, node);
        return;
    }
    for (uint32_t i = 0; i < node->count; i++)
        visit_member(check, node->child[i], type);
    if (!has_reference)
        check_required(check, node, type);
}

/* ---- entry point ---- */

static bool check_root(struct check *check)
{
    const struct node *root = check->document->root;
    const struct node *swagger = node_get(root, "swagger");
    const struct node *openapi = node_get(root, "openapi");
    if (root->kind != NODE_OBJECT)
        flag_text(check->findings, RULE_DOC_NOT_OBJECT, root, text_of(node_kind_name(root)));
    else if (!swagger && !openapi)
        flag(check->findings, RULE_DOC_VERSION_MISSING, root);
    else if (swagger && openapi)
        flag(check->findings, RULE_DOC_VERSION_TWICE, openapi);
    if (!swagger == !openapi)
        return false;
    check->version = version_of(root);
    if (check->version == NONE)
        report(check->findings, RULE_DOC_VERSION_UNKNOWN, swagger ? swagger : openapi,
               swagger ? "\"swagger\" must be \"2.0\"."
                       : "\"openapi\" must be \"3.0.N\", \"3.1.N\" or \"3.2.N\", as a string.");
    else if (node_is(swagger, NODE_NUMBER))
        flag(check->findings, RULE_VERSION_NOT_STRING, swagger);
    return check->version != NONE;
}

bool visit_document(struct check *check)
{
    if (!check_root(check))
        return false;
    visit_node(check, check->document->root, TYPE_DOCUMENT);
    return true;
}
