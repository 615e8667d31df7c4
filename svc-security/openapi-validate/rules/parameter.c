/* svc-security/openapi-validate/rules/parameter.c - parameters, alone and in their lists. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "openapi-validate/evaluate.h"
#include "openapi-validate/values.h"
#include "rules.h"

static bool is_in(const struct node *parameter, const char *place)
{
    return node_says(node_get(parameter, "in"), place);
}

/* ---- one parameter ---- */

static void path_is_required(struct check *check, const struct node *parameter)
{
    if (is_in(parameter, "path") && !node_is_true(node_get(parameter, "required")))
        report(check->findings, RULE_PATH_PARAMETER_REQUIRED, parameter,
               "A parameter in the path must have \"required: true\".");
}

static void header_is_described_elsewhere(struct check *check, const struct node *parameter)
{
    static const char *const names[] = { "Accept", "Content-Type", "Authorization" };
    struct text name = node_text_at(parameter, "name");
    for (size_t i = 0; is_in(parameter, "header") && i < countof(names); i++)
        if (text_is_any_case(name, names[i]))
            report(check->findings, RULE_HEADER_PARAMETER_IGNORED, parameter,
                   "A header parameter %s is ignored: content and security say it.", names[i]);
}

static void schema_or_content(struct check *check, const struct node *parameter)
{
    const struct node *schema = node_get(parameter, "schema");
    const struct node *content = node_get(parameter, "content");
    bool is_querystring = is_in(parameter, "querystring");
    if (is_querystring && !content)
        report(check->findings, RULE_QUERYSTRING_CONTENT, parameter,
               "A parameter in the query string as a whole needs \"content\".");
    else if (!schema == !content)
        report(check->findings, RULE_PARAMETER_SCHEMA_OR_CONTENT, parameter,
               "Exactly one of \"schema\" and \"content\" must be there.");
    if (node_is(content, NODE_OBJECT) && content->count != 1)
        report(check->findings, RULE_PARAMETER_CONTENT_ONE, content,
               "\"content\" must have exactly one media type.");
}

/* clang-format off */
static const struct {
    const char *in;
    unsigned versions;
    const char *styles;
} styles[] = {
    { "path",   ALL,       "matrix label simple" },
    { "query",  ALL,       "form spaceDelimited pipeDelimited deepObject" },
    { "header", ALL,       "simple" },
    { "cookie", V30 | V31, "form" },
    { "cookie", V32,       "form cookie" },
};
/* clang-format on */

static void style_fits_place(struct check *check, const struct node *parameter)
{
    const struct node *style = node_get(parameter, "style");
    for (size_t i = 0; node_is(style, NODE_STRING) && i < countof(styles); i++)
        if (is_in(parameter, styles[i].in) && styles[i].versions & check->version &&
            !is_word_of(style->text, styles[i].styles))
            report(check->findings, RULE_PARAMETER_STYLE, style,
                   "A parameter in the %s has a style of: %s.", styles[i].in, styles[i].styles);
}

/* Where values are percent-encoded at all: from 3.1 on a flag may not stand elsewhere, whatever it
 * says (the published schemas of 3.1 and 3.2). */
static bool takes_reserved(const struct check *check, const struct node *parameter)
{
    if (is_in(parameter, "query") || is_in(parameter, "formData"))
        return true;
    if (check->version != V32)
        return false;
    return is_in(parameter, "path") ||
           (is_in(parameter, "cookie") && !node_says(node_get(parameter, "style"), "cookie"));
}

static void flags_fit_place(struct check *check, const struct node *parameter)
{
    const struct node *empty = node_get(parameter, "allowEmptyValue");
    const struct node *reserved = node_get(parameter, "allowReserved");
    bool is_strict = check->version & V31_UP;
    if (empty && (is_strict || node_is_true(empty)) && !is_in(parameter, "query") &&
        !is_in(parameter, "formData"))
        report(check->findings, is_strict ? RULE_ALLOW_EMPTY_VALUE_HERE : RULE_ALLOW_EMPTY_VALUE,
               parameter, "\"allowEmptyValue\" counts in the query only.");
    if (reserved && (is_strict || node_is_true(reserved)) && !takes_reserved(check, parameter))
        report(check->findings, RULE_ALLOW_RESERVED, parameter,
               "\"allowReserved\" does not count here.");
}

/* How a schema is written into the URL; content says it by its media type. */
static void style_goes_with_schema(struct check *check, const struct node *parameter)
{
    static const char *const fields[] = { "style", "explode", "allowReserved" };
    for (size_t i = 0; node_get(parameter, "content") && i < countof(fields); i++)
        if (node_get(parameter, fields[i]))
            report(check->findings, RULE_STYLE_WITH_CONTENT, node_get(parameter, fields[i]),
                   "\"%s\" does not go with \"content\".", fields[i]);
}

/* OpenAPI 3.2.0 section 4.8.2, RFC 9110 section 5.1. */
static void name_fits_place(struct check *check, const struct node *parameter)
{
    const struct node *name = node_get(parameter, "name");
    if (!node_is(name, NODE_STRING))
        return;
    if (is_in(parameter, "header") && !is_token(name->text))
        report(check->findings, RULE_HEADER_TOKEN, name, "\"%s\" can be no header of HTTP.",
               quote(name->text).bytes);
    if (is_in(parameter, "path") && (text_has(name->text, "{") || text_has(name->text, "}")))
        report(check->findings, RULE_PARAMETER_NAME, name,
               "The name of a parameter in the path has no braces.");
}

static void one_kind_of_example(struct check *check, const struct node *node)
{
    if (node_get(node, "example") && node_get(node, "examples"))
        report(check->findings, RULE_EXAMPLE_OR_EXAMPLES, node,
               "\"example\" and \"examples\" exclude each other.");
}

static void default_of_required(struct check *check, const struct node *parameter)
{
    const struct node *from = check->version == V20 ? parameter : deref_at(parameter, "schema");
    if (node_is_true(node_get(parameter, "required")) && node_get(from, "default"))
        report(check->findings, RULE_REQUIRED_WITH_DEFAULT, parameter,
               "A required parameter needs no default.");
}

/* Where a list and a single value look alike. */
static void type_is_clear(struct check *check, const struct node *parameter)
{
    const struct node *type = node_get(deref_at(parameter, "schema"), "type");
    if (!check_step(check, 1 + node_count(type)))
        return;
    bool has_list = node_has(type, "array");
    bool has_scalar = node_has(type, "string") || node_has(type, "integer") ||
                      node_has(type, "number") || node_has(type, "boolean");
    if (has_list && has_scalar)
        report(check->findings, RULE_PARAMETER_TYPE_AMBIGUOUS, parameter,
               "The type may be a list or a single value, which look the same in a URL.");
}

/* ---- Swagger 2.0 ---- */

static bool takes_forms(struct check *check, const struct node *operation)
{
    const struct node *consumes = node_get(operation, "consumes");
    consumes = consumes ? consumes : node_get(check->document->root, "consumes");
    return !check_step(check, node_count(consumes)) || node_has(consumes, "multipart/form-data") ||
           node_has(consumes, "application/x-www-form-urlencoded");
}

static void has_schema_or_type(struct check *check, const struct node *parameter)
{
    bool is_body = is_in(parameter, "body");
    if (is_body && !node_get(parameter, "schema"))
        report(check->findings, RULE_BODY_SCHEMA_REQUIRED, parameter,
               "A parameter in the body needs a \"schema\".");
    if (!is_body && node_is(node_get(parameter, "in"), NODE_STRING) && !node_get(parameter, "type"))
        report(check->findings, RULE_PARAMETER_TYPE_REQUIRED, parameter, "\"type\" is missing.");
}

static void list_has_items(struct check *check, const struct node *node)
{
    if (node_says(node_get(node, "type"), "array") && !node_get(node, "items"))
        report(check->findings, RULE_ITEMS_REQUIRED, node, "An array needs \"items\".");
}

static void multi_fits_place(struct check *check, const struct node *parameter)
{
    if (node_says(node_get(parameter, "collectionFormat"), "multi") && !is_in(parameter, "query") &&
        !is_in(parameter, "formData"))
        report(check->findings, RULE_COLLECTION_FORMAT_MULTI, parameter,
               "\"multi\" is for the query and forms only.");
}

static void files_come_in_forms(struct check *check, const struct node *operation)
{
    const struct node *list = node_get(operation, "parameters");
    for (size_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++) {
        const struct node *parameter = deref(list->child[i]);
        if (!node_says(node_get(parameter, "type"), "file"))
            continue;
        if (!is_in(parameter, "formData") || !takes_forms(check, operation))
            report(check->findings, RULE_FILE_IN_FORM, list->child[i],
                   "A file comes in formData and needs \"consumes\" of a form.");
    }
}

/* ---- a list of parameters ---- */

struct entry {
    struct text name;
    struct text in;
    const struct node *node;
};

static int by_name_and_in(const void *a, const void *b)
{
    const struct entry *left = a;
    const struct entry *right = b;
    int order = text_order(left->name, right->name);
    order = order != 0 ? order : text_order(left->in, right->in);
    return order != 0 ? order
                      : (left->node->index > right->node->index) -
                            (left->node->index < right->node->index);
}

static size_t count_in(const struct entry *entries, size_t count, const char *in)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += text_is(entries[i].in, in);
    return found;
}

static void check_together(struct check *check, const struct node *list,
                           const struct entry *entries, size_t count)
{
    size_t bodies = count_in(entries, count, "body");
    size_t querystrings = count_in(entries, count, "querystring");
    if (bodies > 1)
        report(check->findings, RULE_BODY_PARAMETER_REPEATED, list,
               "There may be one parameter in the body.");
    if (bodies > 0 && count_in(entries, count, "formData") > 0)
        report(check->findings, RULE_BODY_AND_FORM, list,
               "Parameters in the body and in a form exclude each other.");
    if (querystrings > 1)
        report(check->findings, RULE_QUERYSTRING_REPEATED, list,
               "There may be one parameter in the query string as a whole.");
    if (querystrings > 0 && count_in(entries, count, "query") > 0)
        report(check->findings, RULE_QUERYSTRING_AND_QUERY, list,
               "Parameters in the query and in the query string as a whole exclude each other.");
}

static void parameters_differ(struct check *check, const struct node *node)
{
    const struct node *list = node_get(node, "parameters");
    if (!node_is(list, NODE_LIST))
        return;
    scoped(mem_free) struct entry *entries = mem_array(list->count + 1, sizeof(*entries));
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct node *parameter = deref(list->child[i]);
        if (parameter)
            entries[count++] = (struct entry){ node_text_at(parameter, "name"),
                                               node_text_at(parameter, "in"), list->child[i] };
    }
    qsort(entries, count, sizeof(*entries), by_name_and_in);
    for (size_t i = 1; i < count; i++)
        if (entries[i].name.size > 0 && text_order(entries[i - 1].name, entries[i].name) == 0 &&
            text_order(entries[i - 1].in, entries[i].in) == 0)
            report(check->findings, RULE_PARAMETER_REPEATED, entries[i].node,
                   "The parameter \"%s\" occurs twice.", quote(entries[i].name).bytes);
    check_together(check, list, entries, count);
}

static void examples_fit(struct check *check, const struct node *parameter)
{
    if (node_get(parameter, "schema"))
        check_examples(check, parameter, DIRECTION_REQUEST);
}

static void default_fits(struct check *check, const struct node *parameter)
{
    check_default(check, parameter);
}

static const struct rule_row rows[] = {
    { TYPE_PARAMETER, ALL, path_is_required },
    { TYPE_PARAMETER, V3, header_is_described_elsewhere },
    { TYPE_PARAMETER, V3, schema_or_content },
    { TYPE_HEADER, V3, schema_or_content },
    { TYPE_PARAMETER, V3, style_fits_place },
    { TYPE_PARAMETER, ALL, flags_fit_place },
    { TYPE_PARAMETER, V31_UP, style_goes_with_schema },
    { TYPE_HEADER, V31_UP, style_goes_with_schema },
    { TYPE_PARAMETER, V32, name_fits_place },
    { TYPE_PARAMETER, V3, one_kind_of_example },
    { TYPE_HEADER, V3, one_kind_of_example },
    { TYPE_MEDIA_TYPE, V3, one_kind_of_example },
    { TYPE_PARAMETER, ALL, default_of_required },
    { TYPE_PARAMETER, V31_UP, type_is_clear },
    { TYPE_PARAMETER, V20, has_schema_or_type },
    { TYPE_PARAMETER, V20, list_has_items },
    { TYPE_ITEMS, V20, list_has_items },
    { TYPE_HEADER, V20, list_has_items },
    { TYPE_PARAMETER, V20, multi_fits_place },
    { TYPE_OPERATION, V20, files_come_in_forms },
    { TYPE_PATH_ITEM, ALL, parameters_differ },
    { TYPE_OPERATION, ALL, parameters_differ },
    { TYPE_PARAMETER, V3, examples_fit },
    { TYPE_PARAMETER, V20, default_fits },
};

const struct rule_table parameter_rules = { rows, countof(rows) };
