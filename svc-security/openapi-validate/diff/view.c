/* svc-security/openapi-validate/diff/view.c - flatten schemas. */
#include "view.h"

#include <string.h>

#include "base/scoped.h"

enum { NESTING_MAX = 16 };

static void add_part(struct view *view, const struct node *schema, unsigned nesting);

static bool is_null_schema(const struct node *schema)
{
    return node_says(node_get(schema, "type"), "null") && schema->count == 1;
}

/* A choice between null and one schema is that schema, nullable. Other choices stay. */
static void add_choice(struct view *view, const struct node *list, unsigned nesting)
{
    const struct node *only = NULL;
    size_t others = 0;
    bool has_null = false;
    view->work += list->count;
    for (size_t i = 0; i < list->count; i++) {
        bool is_null = is_null_schema(deref(list->child[i]));
        has_null |= is_null;
        others += !is_null;
        only = is_null ? only : list->child[i];
    }
    view->choice_has_null |= has_null;
    if (others == 1 && has_null)
        add_part(view, only, nesting + 1);
    else if (!view->choice)
        view->choice = list;
}

static void add_names(struct view *view, const struct node *schema)
{
    for (size_t i = 0; i < schema->count; i++)
        view->names |= view_bit_of(schema->child[i]->key);
}

static void add_keywords(struct view *view, const struct node *schema, unsigned nesting)
{
    static const char *const choices[] = { "oneOf", "anyOf" };
    const struct node *parts = node_get(schema, "allOf");
    view->work += 1 + schema->count / 8 + node_count(parts) + node_count(node_get(schema, "type")) +
                  node_count(node_get(schema, "required")) / 4;
    for (size_t i = 0; node_is(parts, NODE_LIST) && i < parts->count; i++)
        add_part(view, parts->child[i], nesting + 1);
    for (size_t i = 0; i < countof(choices); i++)
        if (node_is(node_get(schema, choices[i]), NODE_LIST))
            add_choice(view, node_get(schema, choices[i]), nesting);
    if (schema->target && !schema->is_reference)
        add_part(view, schema->target, nesting + 1);
}

static void add_part(struct view *view, const struct node *schema, unsigned nesting)
{
    const struct node *meant = deref(schema);
    if (!meant) {
        view->unknown += schema != NULL;
        return;
    }
    if (meant->kind != NODE_OBJECT || nesting > NESTING_MAX || view->count == VIEW_PARTS_MAX)
        return;
    for (size_t i = 0; i < view->count; i++)
        if (view->part[i] == meant)
            return;
    view->part[view->count++] = meant;
    add_names(view, meant);
    add_keywords(view, meant, nesting);
}

void view_of(const struct check *check, const struct node *schema, struct view *view)
{
    *view = (struct view){ .version = check->version };
    add_part(view, schema, 0);
}

void view_add(struct view *view, const struct node *schema)
{
    add_part(view, schema, 0);
}

const struct node *view_find(const struct view *view, struct text keyword)
{
    for (size_t i = 0; i < view->count; i++) {
        const struct node *node = node_member(view->part[i], keyword);
        if (node)
            return node;
    }
    return NULL;
}

static unsigned bit_of(const struct node *type)
{
    static const struct {
        const char *name;
        unsigned bits;
    } names[] = {
        { "null", BIT_NULL },     { "boolean", BIT_BOOLEAN },
        { "string", BIT_STRING }, { "integer", BIT_INTEGER },
        { "array", BIT_ARRAY },   { "number", BIT_NUMBER | BIT_INTEGER },
        { "file", BIT_STRING },   { "object", BIT_OBJECT },
    };
    for (size_t i = 0; i < countof(names); i++)
        if (node_says(type, names[i].name))
            return names[i].bits;
    return 0;
}

static unsigned said_types(const struct view *view)
{
    const struct node *type = view_get(view, "type");
    unsigned bits = bit_of(type);
    for (size_t i = 0; node_is(type, NODE_LIST) && i < type->count; i++)
        bits |= bit_of(type->child[i]);
    return bits;
}

/* Without a type, properties imply an object and items an array. */
unsigned view_types(const struct view *view)
{
    unsigned types = said_types(view) & ~(unsigned)BIT_NULL;
    if (types)
        return types;
    if (view_get(view, "properties"))
        return BIT_OBJECT;
    return view_get(view, "items") ? BIT_ARRAY : BIT_ALL & ~(unsigned)BIT_NULL;
}

bool view_is_nullable(const struct view *view)
{
    bool by_keyword = (view->version == V30 && node_is_true(view_get(view, "nullable"))) ||
                      (view->version == V20 && node_is_true(view_get(view, "x-nullable")));
    return by_keyword || view->choice_has_null || said_types(view) & BIT_NULL;
}

bool view_has_type_list(const struct view *view)
{
    unsigned types = said_types(view) & ~(unsigned)BIT_NULL;
    types = types & BIT_NUMBER ? types & ~(unsigned)BIT_INTEGER : types;
    return (types & (types - 1)) != 0;
}

bool view_requires(const struct view *view, struct text name)
{
    for (size_t i = 0; i < view->count; i++) {
        const struct node *list = node_get(view->part[i], "required");
        for (size_t k = 0; node_is(list, NODE_LIST) && k < list->count; k++)
            if (text_order(node_text(list->child[k]), name) == 0)
                return true;
    }
    return false;
}

const struct node *view_property(const struct view *view, struct text name)
{
    for (size_t i = 0; i < view->count; i++) {
        const struct node *property = node_member(node_get(view->part[i], "properties"), name);
        if (property)
            return property;
    }
    return NULL;
}
