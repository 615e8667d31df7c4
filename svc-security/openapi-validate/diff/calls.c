/* svc-security/openapi-validate/diff/calls.c - compare parameters, bodies and responses of an
 * operation. */
#include "calls.h"

#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "schema.h"
#include "sunset.h"
#include "view.h"

/* ---- queries ---- */

/* Reports an added or removed item. */
static bool are_both(struct diff *diff, const struct keyed *old, const struct keyed *new,
                     enum change_kind removed, enum change_kind added)
{
    if (!new)
        diff_add(diff, removed, old->node, NULL, NULL);
    else if (!old)
        diff_add(diff, added, new->node, NULL, NULL);
    return old && new;
}

static void compare_required(struct diff *diff, bool was_required, bool is_required,
                             const struct node *at, enum change_kind became_required,
                             enum change_kind became_optional)
{
    if (was_required != is_required)
        diff_add(diff, is_required ? became_required : became_optional, at, NULL, NULL);
}

/* Does the provider send the request, as in webhooks and callbacks? */
static bool is_outgoing(const struct diff *diff)
{
    return diff->operation->is_outgoing;
}

/* ---- parameters ---- */

static void note_new_parameter(struct diff *diff, const struct parameter *new)
{
    enum change_kind kind =
        new->is_shared ? CHANGE_PARAMETER_SHARED_OPTIONAL_NEW : CHANGE_PARAMETER_OPTIONAL_NEW;
    if (text_is(new->in, "path"))
        kind = CHANGE_PARAMETER_PATH_NEW;
    else if (new->is_required)
        kind = new->is_shared ? CHANGE_PARAMETER_SHARED_NEW : CHANGE_PARAMETER_REQUIRED_NEW;
    diff_add(diff, kind, new->node, NULL, node_get(deref(new->node), "name"));
}

static void note_old_parameter(struct diff *diff, const struct parameter *old)
{
    const struct node *node = deref(old->node);
    const struct node *sunset = node_get(node, "x-sunset");
    enum change_kind kind = CHANGE_PARAMETER_REMOVED;
    int64_t day;
    if (node_is_true(node_get(node, "deprecated"))) {
        kind = CHANGE_PARAMETER_REMOVED_DEPRECATED;
        if (sunset && !sunset_day(sunset, &day))
            kind = CHANGE_PARAMETER_SUNSET_PARSE;
        else if (sunset && day > diff->today)
            kind = CHANGE_PARAMETER_REMOVED_EARLY;
    }
    diff_add(diff, kind, old->node, node_get(node, "name"), NULL);
}

/* How a value is serialized in the URL or header, in terms of OpenAPI 3. */
struct serialization {
    struct text style;
    bool is_exploded;
};

/* Swagger 2.0: collectionFormat. */
static struct serialization swagger2_serialization_of(const struct node *parameter,
                                                      struct text usual)
{
    static const struct {
        const char *format;
        const char *style;
    } formats[] = { { "ssv", "spaceDelimited" },
                    { "tsv", "tabDelimited" },
                    { "pipes", "pipeDelimited" } };
    struct text format = node_text_at(parameter, "collectionFormat");
    for (size_t i = 0; i < countof(formats); i++)
        if (text_is(format, formats[i].format))
            return (struct serialization){ text_of(formats[i].style), false };
    return (struct serialization){ usual, text_is(format, "multi") };
}

static struct serialization serialization_of(const struct check *check,
                                             const struct parameter *parameter)
{
    const struct node *node = deref(parameter->node);
    const struct node *style = node_get(node, "style");
    const struct node *explode = node_get(node, "explode");
    bool is_form = text_is(parameter->in, "query") || text_is(parameter->in, "cookie");
    struct text usual = is_form ? TEXT("form") : TEXT("simple");
    if (check->version == V20)
        return swagger2_serialization_of(node, usual);
    struct text said = node_is(style, NODE_STRING) ? style->text : usual;
    return (struct serialization){ said, explode ? node_is_true(explode) : text_is(said, "form") };
}

/* Only lists and objects have several serializations; in the path, single values do too. */
static void compare_serialization(struct diff *diff, const struct parameter *old,
                                  const struct parameter *new)
{
    struct serialization before = serialization_of(diff->old.check, old);
    struct serialization after = serialization_of(diff->new.check, new);
    struct view view;
    view_of(diff->new.check, new->schema, &view);
    bool is_object = view_get(&view, "type") && view_types(&view) & BIT_OBJECT;
    bool is_list = view_get(&view, "type") && view_types(&view) & BIT_ARRAY;
    bool styles_differ = text_order(before.style, after.style) != 0 &&
                         (is_object || is_list || text_is(new->in, "path"));
    bool explodes_differ = before.is_exploded != after.is_exploded &&
                           (is_object || (is_list && !text_is(after.style, "simple")));
    if (new->schema && (styles_differ || explodes_differ))
        diff_add(diff, CHANGE_PARAMETER_SERIALIZATION, new->node,
                 node_get(deref(old->node), "style"), node_get(deref(new->node), "style"));
    if (node_is_true(node_get(deref(old->node), "allowEmptyValue")) &&
        !node_is_true(node_get(deref(new->node), "allowEmptyValue")))
        diff_add(diff, CHANGE_PARAMETER_NOT_EMPTY, new->node, NULL, NULL);
}

static void compare_deprecated(struct diff *diff, const struct node *old, const struct node *new,
                               const struct node *at)
{
    bool was = node_is_true(node_get(old, "deprecated"));
    bool is = node_is_true(node_get(new, "deprecated"));
    if (was != is)
        diff_add(diff, is ? CHANGE_PARAMETER_DEPRECATED : CHANGE_PARAMETER_REACTIVATED, at, NULL,
                 NULL);
}

static void compare_parameter(struct diff *diff, const void *before, const void *after)
{
    static const enum change_kind sunsets[SUNSET_CHANGES] = {
        [SUNSET_MISSING] = CHANGE_PARAMETER_SUNSET_MISSING,
        [SUNSET_INVALID] = CHANGE_PARAMETER_SUNSET_PARSE,
        [SUNSET_PAST] = CHANGE_PARAMETER_SUNSET_TOO_SMALL,
        [SUNSET_DELETED] = CHANGE_PARAMETER_SUNSET_DELETED,
        [SUNSET_EARLIER] = CHANGE_PARAMETER_SUNSET_EARLIER,
    };
    const struct parameter *old = before;
    const struct parameter *new = after;
    if (!old) {
        note_new_parameter(diff, new);
        return;
    }
    if (!new) {
        note_old_parameter(diff, old);
        return;
    }
    compare_required(diff, old->is_required, new->is_required, new->node,
                     CHANGE_PARAMETER_BECAME_REQUIRED, CHANGE_PARAMETER_BECAME_OPTIONAL);
    diff_sunset(diff, sunsets, deref(old->node), deref(new->node));
    compare_deprecated(diff, deref(old->node), deref(new->node), new->node);
    compare_serialization(diff, old, new);
    struct schema_spot spot = { .family = IN_PARAMETER,
                                .is_text = true,
                                .is_sent = is_outgoing(diff),
                                .in_header = text_is(new->in, "header"),
                                .name = new->name };
    diff_schemas(diff, &spot, old->schema, new->schema);
}

/* ---- request bodies ---- */

static bool is_json(struct text mime)
{
    return text_has(mime, "json");
}

static void compare_encoding_headers(struct diff *diff, const struct node *old,
                                     const struct node *new)
{
    for (size_t i = 0; node_is(new, NODE_OBJECT) && i < new->count &&diff_step(diff); i++)
        if (!node_member(old, new->child[i]->key) &&
            node_is_true(node_get(deref(new->child[i]), "required")))
            diff_add(diff, CHANGE_ENCODING_HEADER_ADDED, new->child[i], NULL, NULL);
    for (size_t i = 0; node_is(old, NODE_OBJECT) && i < old->count && diff_step(diff); i++)
        if (!node_member(new, old->child[i]->key))
            diff_add(diff, CHANGE_ENCODING_HEADER_REMOVED, old->child[i], NULL, NULL);
}

/* Properties of a form or of multipart content, with their media types and headers. A property
 * without an encoding has the default, which the type of its schema decides. */
static void compare_encodings(struct diff *diff, const struct node *old, const struct node *new)
{
    const struct node *sides[] = { node_get(deref(old), "encoding"),
                                   node_get(deref(new), "encoding") };
    for (size_t s = 0; s < countof(sides); s++)
        for (size_t i = 0; node_is(sides[s], NODE_OBJECT) && i < sides[s]->count && diff_step(diff);
             i++) {
            struct text name = sides[s]->child[i]->key;
            const struct node *before = deref(node_member(sides[0], name));
            const struct node *after = deref(node_member(sides[1], name));
            const struct node *from = node_get(before, "contentType");
            const struct node *to = node_get(after, "contentType");
            if (s == 1 && before)
                continue; /* compared with the old side */
            if (text_order(node_text(from), node_text(to)) != 0)
                diff_add(diff, CHANGE_ENCODING_TYPE, sides[s]->child[i], from, to);
            compare_encoding_headers(diff, node_get(before, "headers"), node_get(after, "headers"));
        }
}

static void compare_request_media(struct diff *diff, const void *before, const void *after)
{
    const struct media *old = before;
    const struct media *new = after;
    if (!are_both(diff, before, after, CHANGE_BODY_MEDIA_REMOVED, CHANGE_BODY_MEDIA_ADDED))
        return;
    compare_encodings(diff, old->node, new->node);
    struct schema_spot spot = { .family = IN_REQUEST,
                                .is_text = !is_json(new->key),
                                .is_sent = is_outgoing(diff) };
    if (new->schema && !old->schema)
        diff_add(diff, CHANGE_BODY_SCHEMA_ADDED, new->schema, NULL, NULL);
    else
        diff_schemas(diff, &spot, old->schema, new->schema);
}

static void compare_bodies(struct diff *diff, const struct body *old, const struct body *new)
{
    if (!old->node && new->node)
        diff_add(diff, new->is_required ? CHANGE_BODY_ADDED_REQUIRED : CHANGE_BODY_ADDED_OPTIONAL,
                 new->node, NULL, NULL);
    if (old->node && !new->node)
        diff_add(diff, CHANGE_BODY_REMOVED, old->node, NULL, NULL);
    if (!old->node || !new->node)
        return;
    compare_required(diff, old->is_required, new->is_required, new->node,
                     CHANGE_BODY_BECAME_REQUIRED, CHANGE_BODY_BECAME_OPTIONAL);
    diff_join(diff, &old->medias, &new->medias, compare_request_media);
}

/* ---- responses ---- */

static void compare_response_media(struct diff *diff, const void *before, const void *after)
{
    const struct media *old = before;
    const struct media *new = after;
    if (!are_both(diff, before, after, CHANGE_MEDIA_REMOVED, CHANGE_MEDIA_ADDED))
        return;
    struct schema_spot spot = { .family = IN_RESPONSE,
                                .is_text = !is_json(new->key),
                                .is_sent = is_outgoing(diff) };
    if (old->schema && !new->schema)
        diff_add(diff, CHANGE_SCHEMA_OF_RESPONSE_REMOVED, new->node, NULL, NULL);
    else
        diff_schemas(diff, &spot, old->schema, new->schema);
}

/* Did the only media type of a response become a range that includes it, such as any image for
 * image/png? */
static bool became_range(const struct list *old, const struct list *new)
{
    if (old->count != 1 || new->count != 1)
        return false;
    struct text from = ((const struct media *)old->item)->key;
    struct text to = ((const struct media *)new->item)->key;
    bool is_range = to.size > 2 && memcmp(to.bytes + to.size - 2, "/*", 2) == 0;
    bool is_any = text_is(to, "*/*");
    return text_order(from, to) != 0 && is_range &&
           (is_any || (from.size >= to.size && memcmp(from.bytes, to.bytes, to.size - 1) == 0));
}

static void compare_medias(struct diff *diff, const struct list *old, const struct list *new)
{
    if (became_range(old, new))
        diff_add(diff, CHANGE_MEDIA_GENERALIZED, ((const struct media *)new->item)->node, NULL,
                 NULL);
    else
        diff_join(diff, old, new, compare_response_media);
}

static void compare_header(struct diff *diff, const void *before, const void *after)
{
    const struct header *old = before;
    const struct header *new = after;
    enum change_kind removed =
        old && old->is_required ? CHANGE_HEADER_REQUIRED_REMOVED : CHANGE_HEADER_OPTIONAL_REMOVED;
    if (!are_both(diff, before, after, removed, CHANGE_HEADER_ADDED))
        return;
    compare_required(diff, old->is_required, new->is_required, new->node,
                     CHANGE_HEADER_BECAME_REQUIRED, CHANGE_HEADER_BECAME_OPTIONAL);
    struct schema_spot spot = {
        .family = IN_HEADER, .is_text = true, .is_sent = is_outgoing(diff), .name = new->key
    };
    diff_schemas(diff, &spot, old->schema, new->schema);
}

static void compare_links(struct diff *diff, const struct node *old, const struct node *new)
{
    for (size_t i = 0; node_is(old, NODE_OBJECT) && i < old->count && diff_step(diff); i++) {
        const struct node *member = node_member(new, old->child[i]->key);
        const struct node *before = deref(old->child[i]);
        const struct node *after = deref(member); /* NULL: a reference that leads nowhere */
        if (!member)
            diff_add(diff, CHANGE_LINK_REMOVED, old->child[i], NULL, NULL);
        else if (text_order(node_text_at(before, "operationId"),
                            node_text_at(after, "operationId")) != 0 ||
                 text_order(node_text_at(before, "operationRef"),
                            node_text_at(after, "operationRef")) != 0)
            diff_add(diff, CHANGE_LINK_CHANGED, member, NULL, NULL);
    }
    for (size_t i = 0; node_is(new, NODE_OBJECT) && i < new->count &&diff_step(diff); i++)
        if (!node_member(old, new->child[i]->key))
            diff_add(diff, CHANGE_LINK_ADDED, new->child[i], NULL, NULL);
}

static void compare_response(struct diff *diff, const void *before, const void *after)
{
    const struct response *old = before;
    const struct response *new = after;
    struct text code = old ? old->key : new->key;
    bool is_success = code.size > 0 && code.bytes[0] == '2';
    if (!are_both(diff, before, after, is_success ? CHANGE_SUCCESS_REMOVED : CHANGE_FAILURE_REMOVED,
                  is_success ? CHANGE_SUCCESS_ADDED : CHANGE_FAILURE_ADDED))
        return;
    compare_links(diff, node_get(deref(old->node), "links"), node_get(deref(new->node), "links"));
    diff_join(diff, &old->headers, &new->headers, compare_header);
    compare_medias(diff, &old->medias, &new->medias);
}

void diff_calls(struct diff *diff, const struct operation *old, const struct operation *new)
{
    diff_join(diff, &old->parameters, &new->parameters, compare_parameter);
    compare_bodies(diff, &old->body, &new->body);
    diff_join(diff, &old->responses, &new->responses, compare_response);
}
