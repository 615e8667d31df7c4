/* common/jsonschema/registry.c - the schemas of a validator by node, URI and anchor. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "jsonschema/compiled.h"
#include "jsonschema/uri.h"

enum { SLOTS_MIN = 64 };

const struct tree *tree_of(const struct subschema *schema)
{
    return schema->validator->options.tree;
}

/* ---- schemas by their source ---- */

static struct subschema **slot_of(const struct validator *validator, const void *source)
{
    uint64_t hash = (uint64_t)(uintptr_t)source * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(hash >> 32) & (validator->slot_count - 1);
    while (validator->slots[i] && validator->slots[i]->source != source)
        i = (i + 1) & (validator->slot_count - 1);
    return &validator->slots[i];
}

static void grow_table(struct validator *validator)
{
    if (2 * validator->count < validator->slot_count)
        return;
    validator->slot_count = MAX(2 * validator->slot_count, SLOTS_MIN);
    free(validator->slots);
    validator->slots = mem_array(validator->slot_count, sizeof(*validator->slots));
    validator->schemas =
        mem_resize(validator->schemas, validator->slot_count * sizeof(*validator->schemas));
    for (size_t i = 0; i < validator->count; i++)
        *slot_of(validator, validator->schemas[i]->source) = validator->schemas[i];
}

/* ---- identifiers ---- */

static struct text text_at(const struct tree *tree, const void *object, const char *name)
{
    const void *node = tree->member(object, text_of(name));
    return node && tree->kind(node) == TREE_STRING ? tree->text(node) : TEXT("");
}

struct resource *find_resource(const struct validator *validator, struct text uri)
{
    struct resource *resource = validator->resources;
    while (resource && !text_equals(resource->uri, uri))
        resource = resource->next;
    return resource;
}

static enum schema_dialect dialect_of(struct text name, enum schema_dialect absent)
{
    (void)uri_cut_fragment(&name);
    return text_is(name, "https://json-schema.org/draft/2020-12/schema") ? SCHEMA_2020_12
           : text_is(name, "http://json-schema.org/draft-07/schema")     ? SCHEMA_DRAFT_7
                                                                         : absent;
}

struct resource *add_resource(struct validator *validator, struct text uri,
                              enum schema_dialect dialect, const void *root)
{
    const struct tree *tree = validator->options.tree;
    struct resource *resource = arena_get(&validator->arena, sizeof(*resource));
    *resource = (struct resource){
        .uri = { arena_copy(&validator->arena, uri), uri.size },
        .dialect = dialect_of(text_at(tree, root, "$schema"), dialect),
        .root = root,
        .next = validator->resources,
    };
    validator->resources = resource;
    return resource;
}

const struct anchor *find_anchor(const struct resource *resource, struct text name)
{
    const struct anchor *anchor = resource->anchors;
    while (anchor && !text_equals(anchor->name, name))
        anchor = anchor->next;
    return anchor;
}

static void add_anchor(struct subschema *schema, struct text name, bool is_dynamic)
{
    if (name.size == 0)
        return;
    struct anchor *anchor = arena_get(&schema->validator->arena, sizeof(*anchor));
    *anchor = (struct anchor){ name, schema, is_dynamic, schema->resource->anchors };
    schema->resource->anchors = anchor;
    schema->resource->anchor_count++;
}

bool is_reference_alone(const struct validator *validator, const void *source,
                        enum schema_dialect dialect)
{
    return dialect != SCHEMA_2020_12 && text_at(validator->options.tree, source, "$ref").size > 0;
}

bool has_flag(const struct subschema *schema, const char *name)
{
    const struct tree *tree = tree_of(schema);
    const void *flag = tree->member(schema->source, text_of(name));
    return flag && tree->kind(flag) == TREE_BOOLEAN && tree->is_true(flag);
}

/* $id opens a resource, anchors are names in it. In Draft-07, an $id that is a fragment is an
 * anchor. */
static void read_identifiers(struct subschema *schema)
{
    struct validator *validator = schema->validator;
    const struct tree *tree = validator->options.tree;
    enum schema_dialect dialect = schema->resource->dialect;
    scoped(buf_free) struct buf uri = BUF(URI_BYTES);
    if (tree->kind(schema->source) != TREE_OBJECT ||
        is_reference_alone(validator, schema->source, dialect))
        return;
    struct text id = text_at(tree, schema->source, "$id");
    struct text fragment = uri_cut_fragment(&id);
    if (id.size > 0) {
        uri_resolve(schema->resource->uri, id, &uri);
        schema->resource = add_resource(validator, buf_text(&uri), dialect, schema->source);
    }
    if (schema->resource->dialect == SCHEMA_DRAFT_7)
        add_anchor(schema, fragment, false);
    if (schema->resource->dialect != SCHEMA_2020_12)
        return;
    add_anchor(schema, text_at(tree, schema->source, "$anchor"), false);
    add_anchor(schema, text_at(tree, schema->source, "$dynamicAnchor"), true);
}

struct subschema *schema_met(const struct validator *validator, const void *source)
{
    return validator->count > 0 ? *slot_of(validator, source) : NULL;
}

struct subschema *schema_at(struct validator *validator, const void *source,
                            struct resource *resource)
{
    grow_table(validator);
    struct subschema **slot = slot_of(validator, source);
    if (*slot || validator->count == VALIDATOR_SCHEMAS_MAX)
        return *slot;
    struct subschema *schema = arena_get(&validator->arena, sizeof(*schema));
    schema->validator = validator;
    schema->source = source;
    schema->resource = resource;
    *slot = validator->schemas[validator->count++] = schema;
    if (!validator->options.resolve)
        read_identifiers(schema);
    return schema;
}
