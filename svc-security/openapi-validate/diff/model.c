/* svc-security/openapi-validate/diff/model.c - build the model from either specification. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "openapi-validate/check/paths.h"
#include "openapi-validate/check/values.h"

static int by_key_and_name(const void *a, const void *b)
{
    const struct keyed *left = a;
    const struct keyed *right = b;
    int order = text_order(left->key, right->key);
    return order != 0 ? order : text_order(left->name, right->name);
}

static void sort_list(struct list *list)
{
    if (list->count > 1)
        qsort(list->item, list->count, list->item_bytes, by_key_and_name);
}

static struct text lower_case(struct model *model, struct text text)
{
    char *copy = arena_copy(&model->check->document->arena, text);
    for (size_t i = 0; i < text.size; i++)
        copy[i] = ascii_lower(copy[i]);
    return (struct text){ copy, text.size };
}

static struct text join_texts(struct model *model, struct text a, struct text b)
{
    char *joined = arena_get(&model->check->document->arena, a.size + b.size + 2);
    memcpy(joined, a.bytes, a.size);
    joined[a.size] = ' ';
    memcpy(joined + a.size + 1, b.bytes, b.size);
    return (struct text){ joined, a.size + 1 + b.size };
}

static void *get_node(struct model *model, size_t count, size_t item_bytes)
{
    return arena_get(&model->check->document->arena, count * item_bytes + 1);
}

static struct list new_list(struct model *model, size_t most, size_t item_bytes)
{
    return (struct list){ .item = get_node(model, most, item_bytes), .item_bytes = item_bytes };
}

/* Append a zeroed item. */
static void *add_item(struct list *list)
{
    return (char *)list->item + list->count++ * list->item_bytes;
}

/* Number of children to use: all, or 0 once the work limit is reached. */
static size_t affordable_children(struct model *model, const struct node *node)
{
    size_t count = node_count(node);
    return check_step(model->check, 4 * count) ? count : 0;
}

/* ---- media types ---- */

static void add_media(struct model *model, struct list *medias, struct text name,
                      const struct node *at, const struct node *schema)
{
    struct media *media = add_item(medias);
    *media = (struct media){ lower_case(model, mime_essence(name)), name, at, schema };
}

static struct list medias_of_content(struct model *model, const struct node *content)
{
    size_t count = affordable_children(model, content);
    struct list medias = new_list(model, count, sizeof(struct media));
    for (size_t i = 0; node_is(content, NODE_OBJECT) && i < count; i++) {
        const struct node *media = content->child[i];
        add_media(model, &medias, media->key, media, node_get(deref(media), "schema"));
    }
    sort_list(&medias);
    return medias;
}

/* In Swagger 2.0, a schema applies to all listed media types; the default is JSON. */
static struct list medias_of_list(struct model *model, const struct node *operation,
                                  const char *field, const struct node *at,
                                  const struct node *schema)
{
    const struct node *list = node_get(operation, field);
    list = list ? list : node_get(model->check->document->root, field);
    size_t count = node_is(list, NODE_LIST) ? affordable_children(model, list) : 0;
    struct list medias = new_list(model, count + 1, sizeof(struct media));
    for (size_t i = 0; i < count; i++)
        add_media(model, &medias, node_text(list->child[i]), at, schema);
    if (count == 0)
        add_media(model, &medias, TEXT("application/json"), at, schema);
    sort_list(&medias);
    return medias;
}

/* ---- parameters ---- */

/* The position of a variable in the template as a key that survives renaming. An unknown name is
 * its own key. */
static struct text place_in_path(struct model *model, struct text path, struct text name)
{
    size_t at = 0;
    bool is_balanced;
    unsigned place = 0;
    for (struct text variable; next_variable(path, &at, &variable, &is_balanced); place++)
        if (text_order(variable, name) == 0) {
            char *text = arena_get(&model->check->document->arena, 16);
            snprintf(text, 16, "%u", place);
            return text_of(text);
        }
    return name;
}

/* The schema of a parameter, or of its content's only media type. */
static const struct node *schema_of(const struct check *check, const struct node *parameter)
{
    const struct node *content = node_get(parameter, "content");
    if (check->version == V20)
        return parameter;
    if (node_is(content, NODE_OBJECT) && content->count > 0)
        return node_get(deref(content->child[0]), "schema");
    return node_get(parameter, "schema");
}

static void add_parameters(struct model *model, struct operation *operation,
                           const struct node *list, size_t count, bool is_shared)
{
    for (size_t i = 0; node_is(list, NODE_LIST) && i < count; i++) {
        const struct node *node = deref(list->child[i]);
        struct text in = node_text_at(node, "in");
        struct text name = node_text_at(node, "name");
        if (!node_is(node, NODE_OBJECT) || is_word_of(in, "body formData") ||
            !check_step(model->check, 1 + operation->path.size / 16))
            continue;
        struct text known = name;
        if (text_is(in, "path"))
            known = place_in_path(model, operation->path, name);
        else if (text_is(in, "header"))
            known = lower_case(model, name);
        struct parameter *parameter = add_item(&operation->parameters);
        *parameter = (struct parameter){
            .key = join_texts(model, in, known),
            .name = name,
            .in = in,
            .node = list->child[i],
            .schema = schema_of(model->check, node),
            .is_required = node_is_true(node_get(node, "required")) || text_is(in, "path"),
            .is_shared = is_shared,
        };
    }
}

/* Parameters of the operation replace those of the path: the first of each key applies. */
static void drop_replaced(struct operation *operation)
{
    size_t count = 0;
    struct parameter *items = operation->parameters.item;
    for (size_t i = 0; i < operation->parameters.count; i++) {
        bool is_same = count > 0 && text_order(items[count - 1].key, items[i].key) == 0;
        if (!is_same)
            items[count++] = items[i];
        else if (items[count - 1].is_shared)
            items[count - 1] = items[i];
    }
    operation->parameters.count = count;
}

static void build_parameters(struct model *model, struct operation *operation)
{
    const struct node *own = node_get(operation->node, "parameters");
    const struct node *shared = node_get(operation->item, "parameters");
    size_t own_count = affordable_children(model, own);
    size_t shared_count = affordable_children(model, shared);
    operation->parameters = new_list(model, own_count + shared_count, sizeof(struct parameter));
    add_parameters(model, operation, own, own_count, false);
    add_parameters(model, operation, shared, shared_count, true);
    sort_list(&operation->parameters);
    drop_replaced(operation);
}

/* ---- bodies ---- */

static int by_node_key(const void *a, const void *b)
{
    return text_order((*(struct node *const *)a)->key, (*(struct node *const *)b)->key);
}

static struct node *new_object(struct model *model, const struct node *place, struct text key,
                               size_t count)
{
    struct node *object = get_node(model, 1, sizeof(*object));
    *object = (struct node){ .kind = NODE_OBJECT, .parent = place->parent, .index = place->index };
    object->key = key;
    object->line = place->line;
    object->column = place->column;
    object->child = get_node(model, count, sizeof(struct node *));
    object->by_name = get_node(model, count, sizeof(struct node *));
    return object;
}

static void add_child(struct node *object, struct node *child)
{
    object->child[object->count] = child;
    object->by_name[object->count++] = child;
    qsort(object->by_name, object->count, sizeof(struct node *), by_node_key);
}

/* The parameter as a property of an object. */
static struct node *property_of(struct model *model, const struct node *parameter)
{
    struct node *property = get_node(model, 1, sizeof(*property));
    *property = *parameter;
    property->key = node_text_at(parameter, "name");
    return property;
}

/* The form parameters as a schema: an object with properties. */
static const struct node *schema_of_form(struct model *model, const struct node *list,
                                         bool *is_required)
{
    struct node *schema = new_object(model, list, list->key, 2);
    struct node *properties = new_object(model, list, TEXT("properties"), list->count);
    struct node *required = new_object(model, list, TEXT("required"), list->count);
    required->kind = NODE_LIST;
    for (size_t i = 0; i < list->count; i++) {
        const struct node *parameter = deref(list->child[i]);
        if (!node_says(node_get(parameter, "in"), "formData"))
            continue;
        struct node *property = property_of(model, parameter);
        properties->child[properties->count] = property;
        properties->by_name[properties->count++] = property;
        if (node_is_true(node_get(parameter, "required")))
            required->child[required->count++] =
                node_member(parameter, TEXT("name")); /* the name member's text is the name */
    }
    qsort(properties->by_name, properties->count, sizeof(struct node *), by_node_key);
    add_child(schema, properties);
    add_child(schema, required);
    *is_required = required->count > 0;
    return properties->count > 0 ? schema : NULL;
}

static void build_swagger2_body(struct model *model, struct operation *operation,
                                const struct node *list)
{
    for (size_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++) {
        const struct node *parameter = deref(list->child[i]);
        if (!node_says(node_get(parameter, "in"), "body"))
            continue;
        operation->body.node = list->child[i];
        operation->body.is_required = node_is_true(node_get(parameter, "required"));
        operation->body.medias = medias_of_list(model, operation->node, "consumes", list->child[i],
                                                node_get(parameter, "schema"));
        return;
    }
    bool is_required = false;
    const struct node *form =
        affordable_children(model, list) > 0 ? schema_of_form(model, list, &is_required) : NULL;
    if (!form)
        return;
    operation->body.node = list;
    operation->body.is_required = is_required;
    operation->body.medias = medias_of_list(model, operation->node, "consumes", list, form);
}

static void build_body(struct model *model, struct operation *operation)
{
    const struct node *body = deref_at(operation->node, "requestBody");
    if (model->check->version == V20) {
        const struct node *own = node_get(operation->node, "parameters");
        build_swagger2_body(model, operation, own ? own : node_get(operation->item, "parameters"));
    } else if (node_is(body, NODE_OBJECT)) {
        operation->body.node = node_get(operation->node, "requestBody");
        operation->body.is_required = node_is_true(node_get(body, "required"));
        operation->body.medias = medias_of_content(model, node_get(body, "content"));
    }
}

/* ---- responses ---- */

static void build_headers(struct model *model, struct response *response, const struct node *node)
{
    const struct node *headers = node_get(node, "headers");
    size_t count = affordable_children(model, headers);
    response->headers = new_list(model, count, sizeof(struct header));
    for (size_t i = 0; node_is(headers, NODE_OBJECT) && i < count; i++) {
        const struct node *header = deref(headers->child[i]);
        *(struct header *)add_item(&response->headers) = (struct header){
            .key = lower_case(model, headers->child[i]->key),
            .name = headers->child[i]->key,
            .node = headers->child[i],
            .schema = header ? schema_of(model->check, header) : NULL,
            .is_required = node_is_true(node_get(header, "required")),
        };
    }
    sort_list(&response->headers);
}

static void build_responses(struct model *model, struct operation *operation)
{
    const struct node *responses = node_get(operation->node, "responses");
    size_t count = affordable_children(model, responses);
    operation->responses = new_list(model, count, sizeof(struct response));
    for (size_t i = 0; node_is(responses, NODE_OBJECT) && i < count; i++) {
        const struct node *node = deref(responses->child[i]);
        if (!node_is(node, NODE_OBJECT) || is_extension(responses->child[i]->key))
            continue;
        struct response *response = add_item(&operation->responses);
        const struct node *schema = node_get(node, "schema");
        *response = (struct response){ responses->child[i]->key, responses->child[i]->key,
                                       .node = responses->child[i] };
        if (model->check->version != V20)
            response->medias = medias_of_content(model, node_get(node, "content"));
        else if (schema)
            response->medias = medias_of_list(model, operation->node, "produces", schema, schema);
        build_headers(model, response, node);
    }
    sort_list(&operation->responses);
}

/* ---- operations ---- */

/* Callbacks of callbacks are not compared. */
static void add_callbacks(struct model *model, const struct operation *parent);

static void add_operation(struct model *model, const struct operation *kind, struct text method,
                          const struct node *node)
{
    if (!node_is(node, NODE_OBJECT) || !check_step(model->check, 8 + kind->path.size / 16))
        return;
    struct operation *operation = add_item(&model->operations);
    *operation = *kind;
    operation->node = node;
    operation->method = lower_case(model, method);
    operation->is_outgoing = kind->is_webhook || kind->is_callback;
    operation->key =
        join_texts(model,
                   operation->is_outgoing ? kind->path
                                          : path_shape(&model->check->document->arena, kind->path),
                   operation->method);
    build_parameters(model, operation);
    build_body(model, operation);
    build_responses(model, operation);
    if (!kind->is_callback)
        add_callbacks(model, operation);
}

static void add_item_of_paths(struct model *model, struct operation *kind)
{
    const struct node *more = node_get(kind->item, "additionalOperations");
    for (size_t i = 0; path_methods[i]; i++)
        add_operation(model, kind, text_of(path_methods[i]), node_get(kind->item, path_methods[i]));
    for (size_t i = 0; node_is(more, NODE_OBJECT) && i < more->count; i++)
        add_operation(model, kind, more->child[i]->key, more->child[i]);
}

static void add_path(struct model *model, const struct node *entry, bool is_webhook)
{
    struct operation kind = { .path = entry->key, .item = deref(entry), .is_webhook = is_webhook };
    add_item_of_paths(model, &kind);
}

static const struct node *callbacks_of(const struct model *model, const struct node *operation)
{
    const struct node *callbacks = node_get(operation, "callbacks");
    return model->check->version != V20 && node_is(callbacks, NODE_OBJECT) ? callbacks : NULL;
}

/* The path of a callback is that of its operation, its name and its expression. */
static void add_callbacks(struct model *model, const struct operation *parent)
{
    const struct node *callbacks = callbacks_of(model, parent->node);
    struct operation above = *parent;
    for (size_t i = 0; i < node_count(callbacks); i++) {
        const struct node *callback = deref(callbacks->child[i]);
        for (size_t k = 0; node_is(callback, NODE_OBJECT) && k < callback->count; k++) {
            struct operation kind = { .item = deref(callback->child[k]),
                                      .is_callback = true,
                                      .parent = above.key };
            if (is_extension(callback->child[k]->key) ||
                !check_step(model->check, 8 + above.key.size / 16))
                continue;
            kind.path = join_texts(model, join_texts(model, above.key, callbacks->child[i]->key),
                                   callback->child[k]->key);
            add_item_of_paths(model, &kind);
        }
    }
}

static size_t count_item(struct model *model, const struct node *item)
{
    return 9 + affordable_children(model, node_get(item, "additionalOperations"));
}

static size_t count_callbacks(struct model *model, const struct node *operation)
{
    const struct node *callbacks = callbacks_of(model, operation);
    size_t count = 0;
    for (size_t i = 0; i < node_count(callbacks); i++) {
        const struct node *callback = deref(callbacks->child[i]);
        size_t items = affordable_children(model, callback);
        for (size_t k = 0; node_is(callback, NODE_OBJECT) && k < items; k++)
            count += count_item(model, deref(callback->child[k]));
    }
    return count;
}

/* Each path has at most nine methods, and a path item may be used twice. */
static size_t count_operations(struct model *model, const struct node *paths)
{
    size_t count = 0;
    for (size_t i = 0; node_is(paths, NODE_OBJECT) && i < paths->count; i++) {
        const struct node *item = deref(paths->child[i]);
        const struct node *more = node_get(item, "additionalOperations");
        count += count_item(model, item);
        for (size_t k = 0; path_methods[k]; k++)
            count += count_callbacks(model, node_get(item, path_methods[k]));
        for (size_t k = 0; node_is(more, NODE_OBJECT) && k < more->count; k++)
            count += count_callbacks(model, more->child[k]);
    }
    return count;
}

void model_build(struct model *model)
{
    const struct check *check = model->check;
    const struct node *paths = node_get(check->document->root, "paths");
    const struct node *webhooks =
        check->version & V31_UP ? node_get(check->document->root, "webhooks") : NULL;
    model->operations =
        new_list(model, count_operations(model, paths) + count_operations(model, webhooks),
                 sizeof(struct operation));
    for (size_t i = 0; node_is(paths, NODE_OBJECT) && i < paths->count; i++)
        if (!is_extension(paths->child[i]->key))
            add_path(model, paths->child[i], false);
    for (size_t i = 0; node_is(webhooks, NODE_OBJECT) && i < webhooks->count; i++)
        add_path(model, webhooks->child[i], true);
    sort_list(&model->operations);
}
