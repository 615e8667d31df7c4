/* common/jsonschema/compile.c - compiles documents to rules, and resolves references to schemas. */
#include <stdlib.h>

#include "base/codec/percent.h"
#include "base/mem.h"
#include "base/num.h"
#include "jsonschema/compiled.h"
#include "jsonschema/uri.h"

enum { PLACE_BYTES = 200 };

static const struct {
    const char *name;
    unsigned dialects;
    enum argument argument;
    unsigned kinds;
} keywords[] = {
#define KEYWORD(id, name, dialects, argument, kinds) { name, dialects, ARGUMENT_##argument, kinds },
#include "jsonschema/keywords.def"
#undef KEYWORD
};

struct validator *validator_new(const struct validator_options *options)
{
    struct validator *validator = mem_new(sizeof(*validator));
    validator->options = *options;
    return validator;
}

void validator_free(struct validator **address)
{
    struct validator *validator = *address;
    if (!validator)
        return;
    for (struct pattern *pattern = validator->patterns; pattern; pattern = pattern->next)
        regex_free(&pattern->regex);
    free(validator->slots);
    free(validator->schemas);
    arena_free(&validator->arena);
    mem_free(address);
}

struct subschema *validator_add(struct validator *validator, struct text uri, const void *root)
{
    struct resource *resource = find_resource(validator, uri);
    if (!resource || resource->root != root)
        resource = add_resource(validator, uri, validator->options.dialect, root);
    return schema_at(validator, root, resource);
}

struct subschema *validator_at(const struct validator *validator, const void *node)
{
    return schema_met(validator, node);
}

const struct rule *rule_of(const struct subschema *schema, enum keyword keyword)
{
    for (size_t i = 0; i < schema->count; i++)
        if (schema->rules[i].keyword == keyword)
            return &schema->rules[i];
    return NULL;
}

/* ---- malformed schemas ---- */

/* Append the JSON pointer from a node to another below it; false if it is not there. */
static bool add_path(const struct tree *tree, const void *node, const void *target, struct buf *out)
{
    static const struct schema_place top = { 0 };
    size_t size = out->size;
    size_t index = 0;
    if (node == target)
        return true;
    if (tree->kind(node) != TREE_ARRAY && tree->kind(node) != TREE_OBJECT)
        return false;
    for (const void *child = tree->first(node); child; child = tree->next(child), index++) {
        struct text name = { 0 };
        if (tree->kind(node) == TREE_OBJECT)
            name = tree->name(child);
        out->size = size;
        schema_place_write(&(struct schema_place){ &top, name, index }, out);
        if (add_path(tree, child, target, out))
            return true;
    }
    return false;
}

static bool reject_keyword(const struct subschema *schema, const char *keyword,
                           const char *complaint, struct err *err)
{
    scoped(buf_free) struct buf place = BUF(PLACE_BYTES);
    buf_add_byte(&place, '#');
    (void)add_path(tree_of(schema), schema->resource->root, schema->source, &place);
    return err_set(err, ERR_INVALID_VALUE, "%s%s%s %s", buf_str(&place), *keyword ? "/" : "",
                   keyword, complaint);
}

/* ---- schemas ---- */

/* OpenAPI before 3.1: `nullable` with a type, or with an enum without null. */
static void read_nullable(struct subschema *schema)
{
    const char *name = schema->resource->dialect == SCHEMA_SWAGGER_2_0 ? "x-nullable" : "nullable";
    const struct rule *type = rule_of(schema, KEYWORD_TYPE);
    bool is_nullable = has_flag(schema, name);
    schema->takes_null = type && (is_nullable || type->types & IN_NULL);
    for (size_t i = 0; i < schema->count && is_nullable; i++)
        if (schema->rules[i].keyword == KEYWORD_ENUM)
            schema->rules[i].kinds &= ~(unsigned)IN_NULL;
}

/* The value of a keyword in the schema; NULL: absent. */
static const void *argument_of(const struct subschema *schema, enum keyword keyword)
{
    if (keyword == KEYWORD_OWN)
        return schema->validator->options.has_own ? schema->source : NULL;
    if (!(keywords[keyword].dialects & schema->resource->dialect))
        return NULL;
    return tree_of(schema)->member(schema->source, text_of(keywords[keyword].name));
}

static bool compile_rules(struct subschema *schema, struct err *err)
{
    const struct tree *tree = tree_of(schema);
    enum schema_dialect dialect = schema->resource->dialect;
    bool is_alone = is_reference_alone(schema->validator, schema->source, dialect);
    size_t most = MIN(tree->size(schema->source), countof(keywords));
    schema->rules = arena_get(&schema->validator->arena, (most + 1) * sizeof(*schema->rules));
    for (size_t i = 0; i < countof(keywords); i++) {
        const void *value = argument_of(schema, (enum keyword)i);
        if (!value || (is_alone && keywords[i].kinds != 0 && i != KEYWORD_REF))
            continue;
        struct rule *rule = &schema->rules[schema->count];
        *rule = (struct rule){ .keyword = (enum keyword)i,
                               .name = keywords[i].name,
                               .kinds = keywords[i].kinds,
                               .value = value };
        const char *complaint = read_argument(keywords[i].argument, schema, rule);
        if (complaint && !schema->validator->options.resolve)
            return reject_keyword(schema, keywords[i].name, complaint, err);
        schema->count += !complaint;
    }
    schema->is_tracking = rule_of(schema, KEYWORD_UNEVALUATED_ITEMS) ||
                          rule_of(schema, KEYWORD_UNEVALUATED_PROPERTIES);
    if (!(dialect & JSON_SCHEMA))
        read_nullable(schema);
    return true;
}

static bool compile_schema(struct subschema *schema, struct err *err)
{
    const struct tree *tree = tree_of(schema);
    enum tree_kind kind = tree->kind(schema->source);
    schema->is_compiled = true;
    schema->is_false = kind == TREE_BOOLEAN && !tree->is_true(schema->source);
    if (kind == TREE_OBJECT)
        return compile_rules(schema, err);
    return kind == TREE_BOOLEAN || schema->validator->options.resolve ||
           reject_keyword(schema, "", "must be a schema", err);
}

void compile_late(struct subschema *schema)
{
    if (!schema->is_compiled)
        (void)!compile_schema(schema, NULL);
}

/* ---- references ---- */

/* Follow a JSON pointer from the root of a resource; schemas on its way may start others. */
static struct subschema *follow_pointer(struct validator *validator, struct resource *resource,
                                        struct text pointer)
{
    scoped(buf_free) struct buf part = BUF(URI_BYTES);
    const void *node = resource->root;
    while (node && uri_cut_part(&pointer, &part)) {
        node = tree_child(validator->options.tree, node, buf_text(&part));
        const struct subschema *met = node ? schema_met(validator, node) : NULL;
        resource = met ? met->resource : resource;
    }
    return node && pointer.size == 0 ? schema_at(validator, node, resource) : NULL;
}

/* The schema that a reference of another refers to; NULL: unknown. Sets *anchor to a dynamic
 * anchor's name. */
static struct subschema *locate_reference(const struct subschema *from, struct text reference,
                                          struct text *anchor)
{
    scoped(buf_free) struct buf uri = BUF(URI_BYTES);
    scoped(buf_free) struct buf decoded = BUF(URI_BYTES);
    struct text fragment = uri_cut_fragment(&reference);
    uri_resolve(from->resource->uri, reference, &uri);
    struct resource *resource = find_resource(from->validator, buf_text(&uri));
    if (!resource || !percent_decode(fragment, &decoded))
        return NULL;
    if (decoded.size == 0 || decoded.bytes[0] == '/')
        return follow_pointer(from->validator, resource, buf_text(&decoded));
    const struct anchor *found = find_anchor(resource, buf_text(&decoded));
    if (found && found->is_dynamic)
        *anchor = found->name;
    return found ? found->schema : NULL;
}

bool validator_compile(struct validator *validator, struct err *err)
{
    while (validator->compiled < validator->count || validator->links) {
        while (validator->compiled < validator->count)
            if (!compile_schema(validator->schemas[validator->compiled++], err))
                return false;
        for (struct link *link = take(validator->links); link; link = link->next)
            link->rule->schema = locate_reference(
                link->schema, tree_of(link->schema)->text(link->rule->value), &link->rule->anchor);
    }
    return true;
}
