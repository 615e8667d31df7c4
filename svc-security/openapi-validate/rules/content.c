/* svc-security/openapi-validate/rules/content.c - rules for bodies, media types, headers, links,
 * examples. */
#include "base/text.h"
#include "openapi-validate/check/references.h"
#include "openapi-validate/check/values.h"
#include "rules.h"

static void body_has_content(struct check *check, const struct node *body)
{
    const struct node *content = node_get(body, "content");
    if (node_is(content, NODE_OBJECT) && content->count == 0)
        flag(check->findings, RULE_CONTENT_EMPTY, content);
}

static void content_keys(struct check *check, const struct node *owner)
{
    const struct node *content = node_get(owner, "content");
    for (size_t i = 0; node_is(content, NODE_OBJECT) && i < content->count; i++)
        if (!is_mime_type(content->child[i]->key))
            flag_text(check->findings, RULE_MIME_TYPE, content->child[i], content->child[i]->key);
}

/* ---- encoding ---- */

static bool is_multipart(struct text essence)
{
    return essence.size > 10 && text_begins(essence, "multipart/");
}

static void encoding_fits(struct check *check, const struct node *media)
{
    const struct node *encoding = node_get(media, "encoding");
    const struct node *properties = node_get(deref_at(media, "schema"), "properties");
    struct text essence = mime_essence(media->key);
    if (encoding && !is_multipart(essence) &&
        !text_is(essence, "application/x-www-form-urlencoded"))
        report(check->findings, RULE_ENCODING_WITHOUT_FORM, encoding,
               "\"encoding\" applies to multipart and forms only.");
    for (size_t i = 0; properties && node_is(encoding, NODE_OBJECT) && i < encoding->count; i++)
        if (!node_member(properties, encoding->child[i]->key))
            flag_text(check->findings, RULE_ENCODING_PROPERTY, encoding->child[i],
                      encoding->child[i]->key);
}

/* Parts of a multipart body by position (OpenAPI 3.2.0 section 4.14.5). */
static void places_are_of_parts(struct check *check, const struct node *media)
{
    static const char *const fields[] = { "prefixEncoding", "itemEncoding" };
    bool is_named = media->parent && text_is(media->parent->key, "mediaTypes");
    bool is_good = is_named || is_multipart(mime_essence(media->key));
    for (size_t i = 0; !is_good && i < countof(fields); i++)
        if (node_get(media, fields[i]))
            report(check->findings, RULE_ENCODING_WITHOUT_FORM, node_get(media, fields[i]),
                   "\"%s\" applies to multipart only.", fields[i]);
}

/* Only arrays have parts by position (3.2.0, Encoding By Position). */
static void places_are_of_an_array(struct check *check, const struct node *media)
{
    const struct node *type = node_get(deref_at(media, "schema"), "type");
    bool is_array = type ? node_says(type, "array") || node_has(type, "array")
                         : node_get(media, "schema") != NULL;
    bool has_places = node_get(media, "prefixEncoding") || node_get(media, "itemEncoding");
    if (has_places && !is_array && !node_get(media, "itemSchema"))
        flag(check->findings, RULE_ENCODING_WITHOUT_ARRAY, media);
}

static void encoding_is_one_kind(struct check *check, const struct node *media)
{
    if (node_get(media, "encoding") &&
        (node_get(media, "prefixEncoding") || node_get(media, "itemEncoding")))
        flag(check->findings, RULE_ENCODING_EXCLUSIVE, media);
}

/* ---- headers ---- */

static void header_names(struct check *check, const struct node *owner)
{
    const struct node *headers = node_get(owner, "headers");
    for (size_t i = 0; node_is(headers, NODE_OBJECT) && i < headers->count; i++) {
        struct text name = headers->child[i]->key;
        if (text_is_any_case(name, "Content-Type"))
            flag(check->findings, RULE_HEADER_CONTENT_TYPE, headers->child[i]);
        if (check->version == V32 && !is_token(name))
            flag_text(check->findings, RULE_HEADER_TOKEN, headers->child[i], name);
    }
}

static void header_has_no_place(struct check *check, const struct node *header)
{
    if (node_get(header, "name") || node_get(header, "in"))
        flag(check->findings, RULE_HEADER_NAME_OR_IN, header);
}

static void header_has_type(struct check *check, const struct node *header)
{
    if (!node_get(header, "type"))
        flag(check->findings, RULE_PARAMETER_TYPE_REQUIRED, header);
}

/* ---- Swagger 2.0: examples of a response by media type ---- */

static void examples_are_produced(struct check *check, const struct node *response)
{
    const struct node *examples = node_get(response, "examples");
    const struct node *operation = response->parent ? response->parent->parent : NULL;
    const struct node *produces = node_get(operation, "produces");
    produces = produces ? produces : node_get(check->document->root, "produces");
    for (size_t i = 0; produces && node_is(examples, NODE_OBJECT) && i < examples->count; i++)
        if (check_step(check, node_count(produces)) &&
            !node_has(produces, examples->child[i]->key.bytes))
            flag(check->findings, RULE_EXAMPLE_NOT_PRODUCED, examples->child[i]);
}

/* ---- examples and links ---- */

static void example_has_one_value(struct check *check, const struct node *example)
{
    if (node_get(example, "value") && node_get(example, "externalValue"))
        report(check->findings, RULE_EXAMPLE_VALUE, example,
               "\"value\" and \"externalValue\" exclude each other.");
}

static void example_values_combine(struct check *check, const struct node *example)
{
    bool has_data = node_get(example, "dataValue") != NULL;
    bool has_serialized = node_get(example, "serializedValue") != NULL;
    if (node_get(example, "value") && (has_data || has_serialized))
        report(check->findings, RULE_EXAMPLE_VALUE, example,
               "\"value\" excludes \"dataValue\" and \"serializedValue\".");
    if (node_get(example, "externalValue") && has_serialized)
        report(check->findings, RULE_EXAMPLE_VALUE, example,
               "\"externalValue\" excludes \"serializedValue\".");
}

static bool has_operation(const struct check *check, struct text id)
{
    for (size_t i = 0; i < check->visit_count; i++)
        if (check->visits[i]->type == TYPE_OPERATION &&
            text_order(node_text_at(check->visits[i], "operationId"), id) == 0)
            return true;
    return false;
}

/* A node in another document may not have been visited; then check whether it looks like an
 * operation. */
static bool is_operation(const struct node *node)
{
    bool is_visited = node && (node_document(node) == 0 || node->type != TYPE_NOTHING);
    return is_visited ? node->type == TYPE_OPERATION : node_get(node, "responses") != NULL;
}

static void link_has_target(struct check *check, const struct node *link)
{
    const struct node *ref = node_get(link, "operationRef");
    const struct node *id = node_get(link, "operationId");
    struct resolution lead;
    if (!ref == !id)
        flag(check->findings, RULE_LINK_REF_OR_ID, link);
    if (node_is(id, NODE_STRING) && check_step(check, check->visit_count) &&
        !has_operation(check, id->text) && check->external_refs == 0)
        report(check->findings, RULE_LINK_TARGET, id, "The operation \"%s\" does not exist.",
               quote(id->text).bytes);
    if (!node_is(ref, NODE_STRING))
        return;
    const struct node *target = locate(check, ref, ref->text, &lead);
    if (lead.is_missing)
        report_not_fetched(check, ref, &lead);
    else if (!lead.why && !is_operation(target))
        report(check->findings, RULE_LINK_TARGET, ref, "\"%s\" does not point to an operation.",
               quote(ref->text).bytes);
}

static const struct rule_row rows[] = {
    { TYPE_REQUEST_BODY, V3, body_has_content },
    { TYPE_REQUEST_BODY, V3, content_keys },
    { TYPE_RESPONSE, V3, content_keys },
    { TYPE_MEDIA_TYPE, V3, encoding_fits },
    { TYPE_MEDIA_TYPE, V32, encoding_is_one_kind },
    { TYPE_ENCODING, V32, encoding_is_one_kind },
    { TYPE_MEDIA_TYPE, V32, places_are_of_parts },
    { TYPE_MEDIA_TYPE, V32, places_are_of_an_array },
    { TYPE_RESPONSE, ALL, header_names },
    { TYPE_ENCODING, V3, header_names },
    { TYPE_HEADER, ALL, header_has_no_place },
    { TYPE_HEADER, V20, header_has_type },
    { TYPE_RESPONSE, V20, examples_are_produced },
    { TYPE_EXAMPLE, V3, example_has_one_value },
    { TYPE_EXAMPLE, V32, example_values_combine },
    { TYPE_LINK, V3, link_has_target },
};

const struct rule_table content_rules = { rows, countof(rows) };
