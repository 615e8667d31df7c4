/* svc-ai/schema/resolve.c - resolve references, and drop annotations. */
#include "schema/resolve.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/table.h"
#include "schema/path.h"
#include "text/json.h"

enum { PATH_BYTES = 1 << 10 };

struct name {
    const char *name;
};

/* Annotations of JSON Schema (drafts 4 to 2020-12) and OpenAPI, and what only holds other schemas.
 */
static const struct name annotations[] = { { "$id" },
                                           { "id" },
                                           { "$schema" },
                                           { "$comment" },
                                           { "$anchor" },
                                           { "$vocabulary" },
                                           { "$defs" },
                                           { "definitions" },
                                           { "default" },
                                           { "examples" },
                                           { "example" },
                                           { "deprecated" },
                                           { "readOnly" },
                                           { "writeOnly" },
                                           { "contentMediaType" },
                                           { "contentEncoding" },
                                           { "xml" },
                                           { "externalDocs" } };

/* Keywords that change which values are valid: those of the subset, and those that it rejects. */
static const struct name keywords[] = {
    { "type" },
    { "properties" },
    { "required" },
    { "items" },
    { "enum" },
    { "const" },
    { "title" },
    { "description" },
    { "format" },
    { "minimum" },
    { "maximum" },
    { "minLength" },
    { "maxLength" },
    { "minItems" },
    { "maxItems" },
    { "additionalProperties" },
    { "$ref" },
    { "$dynamicRef" },
    { "$recursiveRef" },
    { "$dynamicAnchor" },
    { "$recursiveAnchor" },
    { "pattern" },
    { "anyOf" },
    { "oneOf" },
    { "allOf" },
    { "not" },
    { "if" },
    { "then" },
    { "else" },
    { "patternProperties" },
    { "propertyNames" },
    { "dependencies" },
    { "dependentRequired" },
    { "dependentSchemas" },
    { "contains" },
    { "minContains" },
    { "maxContains" },
    { "prefixItems" },
    { "additionalItems" },
    { "unevaluatedItems" },
    { "unevaluatedProperties" },
    { "uniqueItems" },
    { "multipleOf" },
    { "exclusiveMinimum" },
    { "exclusiveMaximum" },
    { "minProperties" },
    { "maxProperties" },
    { "contentSchema" },
    { "nullable" },
    { "discriminator" },
    { "extends" },
    { "disallow" },
    { "divisibleBy" },
};

struct resolving {
    const cJSON *root;
    cJSON *ignored;
    struct buf path;
    const cJSON *open[RESOLVE_DEPTH]; /* definitions that are being resolved */
    size_t open_count;
    size_t references;
    struct err *err;
};

static bool resolve_node(struct resolving *resolving, const cJSON *schema, unsigned depth,
                         cJSON **resolved);

static bool reject_reference(const struct resolving *resolving, enum err_kind kind,
                             const char *what)
{
    return err_set(resolving->err, kind, "%.200s.$ref %s", buf_str(&resolving->path), what);
}

/* ---- references ---- */

/* The schema that #/definitions/NAME or #/$defs/NAME names; NULL: another form, or nothing. */
static const cJSON *find_definition(const struct resolving *resolving, struct text reference,
                                    bool *is_local)
{
    static const char *const folders[] = { "definitions", "$defs" };
    *is_local = false;
    for (size_t i = 0; i < countof(folders); i++) {
        scoped(mem_free) char *prefix = str_format("#/%s/", folders[i]);
        if (!text_begins(reference, prefix))
            continue;
        struct text name = text_skip(reference, strlen(prefix));
        *is_local = !text_has(name, "/") && !text_has(name, "~") && !text_has(name, "%");
        return *is_local ? json_get(json_get(resolving->root, folders[i]), name.bytes) : NULL;
    }
    return NULL;
}

static bool is_open(const struct resolving *resolving, const cJSON *definition)
{
    for (size_t i = 0; i < resolving->open_count; i++)
        if (resolving->open[i] == definition)
            return true;
    return false;
}

/* Only words may be next to a reference; they replace those of the definition. */
static bool add_words(const struct resolving *resolving, const cJSON *schema, cJSON *resolved)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, schema) {
        bool is_word =
            strcmp(member->string, "title") == 0 || strcmp(member->string, "description") == 0;
        if (strcmp(member->string, "$ref") == 0 ||
            (!is_word && !TABLE_FIND(keywords, member->string)))
            continue;
        if (!is_word)
            return reject_reference(resolving, ERR_UNSUPPORTED_SCHEMA,
                                    "must not have other keywords next to it");
        cJSON *old = json_take(resolved, member->string);
        json_free(&old);
        json_add(resolved, member->string, json_copy(member));
    }
    return true;
}

static bool resolve_reference(struct resolving *resolving, const cJSON *schema, unsigned depth,
                              cJSON **resolved)
{
    bool is_local;
    const cJSON *definition =
        find_definition(resolving, json_text_of(json_get(schema, "$ref")), &is_local);
    if (!is_local)
        return reject_reference(resolving, ERR_UNSUPPORTED_SCHEMA,
                                "must name a schema in definitions or $defs, and is not supported "
                                "otherwise");
    if (!json_is(definition, cJSON_Object))
        return reject_reference(resolving, ERR_INVALID_SCHEMA, "names no schema");
    if (is_open(resolving, definition))
        return reject_reference(resolving, ERR_UNSUPPORTED_SCHEMA,
                                "contains itself, which is not supported");
    if (++resolving->references > RESOLVE_REFERENCES || resolving->open_count == RESOLVE_DEPTH)
        return reject_reference(resolving, ERR_INVALID_SCHEMA, "and others are too many");
    resolving->open[resolving->open_count++] = definition;
    bool ok = resolve_node(resolving, definition, depth + 1, resolved) &&
              add_words(resolving, schema, *resolved);
    resolving->open_count--;
    return ok;
}

/* ---- a schema ---- */

static void note_ignored(const struct resolving *resolving, const char *name)
{
    bool is_vendor = strncmp(name, "x-", 2) == 0;
    if (!resolving->ignored || is_vendor || json_size(resolving->ignored) >= RESOLVE_IGNORED)
        return;
    scoped(mem_free) char *path = str_format("%s.%s", buf_str(&resolving->path), name);
    json_item_str(resolving->ignored, path);
}

static bool resolve_properties(struct resolving *resolving, const cJSON *properties, unsigned depth,
                               cJSON *resolved)
{
    const cJSON *property;
    cJSON *inside = json_map(resolved, "properties");
    cJSON_ArrayForEach(property, properties) {
        cJSON *node = NULL;
        size_t size = path_push(&resolving->path, property->string);
        if (!resolve_node(resolving, property, depth + 1, &node))
            return false;
        json_add(inside, property->string, node);
        path_pop(&resolving->path, size);
    }
    return true;
}

static bool resolve_items(struct resolving *resolving, const cJSON *items, unsigned depth,
                          cJSON *resolved)
{
    cJSON *node = NULL;
    size_t size = path_push(&resolving->path, "items");
    if (!resolve_node(resolving, items, depth + 1, &node))
        return false;
    json_add(resolved, "items", node);
    path_pop(&resolving->path, size);
    return true;
}

static bool resolve_members(struct resolving *resolving, const cJSON *schema, unsigned depth,
                            cJSON *resolved)
{
    const cJSON *member;
    bool ok = true;
    for (member = schema->child; member && ok; member = member->next) {
        bool is_open_object = strcmp(member->string, "additionalProperties") == 0 &&
                              json_is(member, cJSON_True); /* as without it */
        if (TABLE_FIND(annotations, member->string) || is_open_object)
            continue;
        if (!TABLE_FIND(keywords, member->string))
            note_ignored(resolving, member->string);
        else if (strcmp(member->string, "properties") == 0 && json_is(member, cJSON_Object))
            ok = resolve_properties(resolving, member, depth, resolved);
        else if (strcmp(member->string, "items") == 0)
            ok = resolve_items(resolving, member, depth, resolved);
        else
            json_add(resolved, member->string, json_copy(member));
    }
    return ok;
}

/* What is not a schema stays, and is rejected by its reader. */
static bool resolve_node(struct resolving *resolving, const cJSON *schema, unsigned depth,
                         cJSON **resolved)
{
    scoped(json_free) cJSON *node = NULL;
    if (depth > RESOLVE_DEPTH)
        return err_set(resolving->err, ERR_INVALID_SCHEMA, "%.200s is nested too deep",
                       buf_str(&resolving->path));
    if (json_is(json_get(schema, "$ref"), cJSON_String)) {
        if (!resolve_reference(resolving, schema, depth, &node))
            return false;
    } else if (json_is(schema, cJSON_Object)) {
        node = json_object();
        if (!resolve_members(resolving, schema, depth, node))
            return false;
    } else {
        node = json_copy(schema);
    }
    *resolved = take(node);
    return true;
}

bool schema_resolve(const cJSON *schema, const char *field, cJSON *ignored, cJSON **resolved,
                    struct err *err)
{
    struct resolving resolving = {
        .root = schema, .ignored = ignored, .path = BUF(PATH_BYTES), .err = err
    };
    buf_add_str(&resolving.path, field);
    bool ok = resolve_node(&resolving, schema, 0, resolved);
    buf_free(&resolving.path);
    return ok;
}
