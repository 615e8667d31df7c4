/* svc-security/openapi-validate/rules/parameter.c - rules for parameters and lists of
 * parameters. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "openapi-validate/check/paths.h"
#include "openapi-validate/check/values.h"
#include "rules.h"

/* Is the parameter in one of these places? */
static bool has_place(const struct node *parameter, const char *places)
{
    return is_word_of(node_text_at(parameter, "in"), places);
}

/* ---- one parameter ---- */

static void path_is_required(struct check *check, const struct node *parameter)
{
    if (has_place(parameter, "path") && !node_is_true(node_get(parameter, "required")))
        flag(check->findings, RULE_PATH_PARAMETER_REQUIRED, parameter);
}

static void header_is_described_elsewhere(struct check *check, const struct node *parameter)
{
    static const char *const names[] = { "Accept", "Content-Type", "Authorization" };
    struct text name = node_text_at(parameter, "name");
    for (size_t i = 0; has_place(parameter, "header") && i < countof(names); i++)
        if (text_is_any_case(name, names[i]))
            flag_text(check->findings, RULE_HEADER_PARAMETER_IGNORED, parameter, text_of(names[i]));
}

static void schema_or_content(struct check *check, const struct node *parameter)
{
    const struct node *schema = node_get(parameter, "schema");
    const struct node *content = node_get(parameter, "content");
    bool is_querystring = has_place(parameter, "querystring");
    if (is_querystring && !content)
        flag(check->findings, RULE_QUERYSTRING_CONTENT, parameter);
    else if (!schema == !content)
        flag(check->findings, RULE_PARAMETER_SCHEMA_OR_CONTENT, parameter);
    if (node_is(content, NODE_OBJECT) && content->count != 1)
        flag(check->findings, RULE_PARAMETER_CONTENT_ONE, content);
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
        if (has_place(parameter, styles[i].in) && styles[i].versions & check->version &&
            !is_word_of(style->text, styles[i].styles))
            report(check->findings, RULE_PARAMETER_STYLE, style,
                   "The style of a %s parameter must be one of: %s.", styles[i].in,
                   styles[i].styles);
}

/* Are values percent-encoded here? From 3.1 on, allowReserved is not allowed elsewhere, whatever
 * its value (the published schemas of 3.1 and 3.2). */
static bool takes_reserved(const struct check *check, const struct node *parameter)
{
    if (has_place(parameter, "query formData"))
        return true;
    if (check->version != V32)
        return false;
    return has_place(parameter, "path") ||
           (has_place(parameter, "cookie") && !node_says(node_get(parameter, "style"), "cookie"));
}

static void flags_fit_place(struct check *check, const struct node *parameter)
{
    const struct node *empty = node_get(parameter, "allowEmptyValue");
    const struct node *reserved = node_get(parameter, "allowReserved");
    bool is_strict = check->version & V31_UP;
    if (empty && (is_strict || node_is_true(empty)) && !has_place(parameter, "query formData"))
        flag(check->findings, is_strict ? RULE_ALLOW_EMPTY_VALUE_HERE : RULE_ALLOW_EMPTY_VALUE,
             parameter);
    if (reserved && (is_strict || node_is_true(reserved)) && !takes_reserved(check, parameter))
        flag(check->findings, RULE_ALLOW_RESERVED, parameter);
}

/* style and explode serialize a schema; content has a media type instead, and until 3.2 its own
 * examples. */
static void style_goes_with_schema(struct check *check, const struct node *parameter)
{
    static const struct {
        const char *name;
        unsigned versions;
    } fields[] = { { "style", V3 },
                   { "explode", V3 },
                   { "allowReserved", V3 },
                   { "example", V30 | V31 },
                   { "examples", V30 | V31 } };
    for (size_t i = 0; node_get(parameter, "content") && i < countof(fields); i++)
        if (fields[i].versions & check->version && node_get(parameter, fields[i].name))
            flag_text(check->findings, RULE_STYLE_WITH_CONTENT, node_get(parameter, fields[i].name),
                      text_of(fields[i].name));
}

/* OpenAPI 3.2.0 section 4.8.2, RFC 9110 section 5.1. */
static void name_fits_place(struct check *check, const struct node *parameter)
{
    const struct node *name = node_get(parameter, "name");
    if (!node_is(name, NODE_STRING))
        return;
    if (has_place(parameter, "header") && !is_token(name->text))
        flag_text(check->findings, RULE_HEADER_TOKEN, name, name->text);
    if (has_place(parameter, "path") && (text_has(name->text, "{") || text_has(name->text, "}")))
        flag(check->findings, RULE_PARAMETER_NAME, name);
}

static void one_kind_of_example(struct check *check, const struct node *node)
{
    if (node_get(node, "example") && node_get(node, "examples"))
        flag(check->findings, RULE_EXAMPLE_OR_EXAMPLES, node);
}

static void default_of_required(struct check *check, const struct node *parameter)
{
    const struct node *from = check->version == V20 ? parameter : deref_at(parameter, "schema");
    if (node_is_true(node_get(parameter, "required")) && node_get(from, "default"))
        flag(check->findings, RULE_REQUIRED_WITH_DEFAULT, parameter);
}

/* Where a list and a single value look the same. */
static void type_is_clear(struct check *check, const struct node *parameter)
{
    const struct node *type = node_get(deref_at(parameter, "schema"), "type");
    if (!check_step(check, 1 + node_count(type)))
        return;
    bool has_list = node_has(type, "array");
    bool has_scalar = node_has(type, "string") || node_has(type, "integer") ||
                      node_has(type, "number") || node_has(type, "boolean");
    if (has_list && has_scalar)
        flag(check->findings, RULE_PARAMETER_TYPE_AMBIGUOUS, parameter);
}

/* ---- Swagger 2.0 ---- */

static void has_schema_or_type(struct check *check, const struct node *parameter)
{
    bool is_body = has_place(parameter, "body");
    if (is_body && !node_get(parameter, "schema"))
        flag(check->findings, RULE_BODY_SCHEMA_REQUIRED, parameter);
    if (!is_body && node_is(node_get(parameter, "in"), NODE_STRING) && !node_get(parameter, "type"))
        flag(check->findings, RULE_PARAMETER_TYPE_REQUIRED, parameter);
}

/* The schema of a body replaces fields of other parameters. */
static void fields_fit_place(struct check *check, const struct node *parameter)
{
    static const char everywhere[] = "name in description required";
    bool is_body = has_place(parameter, "body");
    if (!node_is(node_get(parameter, "in"), NODE_STRING))
        return;
    for (size_t i = 0; i < parameter->count; i++) {
        const struct node *field = parameter->child[i];
        bool is_schema = text_is(field->key, "schema");
        if (is_schema != is_body && !is_word_of(field->key, everywhere) &&
            field_find(TYPE_PARAMETER, V20, field->key))
            report(check->findings, RULE_PARAMETER_FIELD, field,
                   "\"%s\" is not a field of a %s parameter.", quote(field->key).bytes,
                   quote(node_text_at(parameter, "in")).bytes);
    }
}

static void multi_fits_place(struct check *check, const struct node *parameter)
{
    if (node_says(node_get(parameter, "collectionFormat"), "multi") &&
        !has_place(parameter, "query formData"))
        flag(check->findings, RULE_COLLECTION_FORMAT_MULTI, parameter);
}

static void file_is_in_form(struct check *check, const struct node *parameter)
{
    if (node_says(node_get(parameter, "type"), "file") && !has_place(parameter, "formData"))
        report(check->findings, RULE_FILE_IN_FORM, parameter,
               "A file parameter must be in formData.");
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
    return order != 0 ? order : text_order(left->in, right->in);
}

static int by_name_in_and_place(const void *a, const void *b)
{
    const struct entry *left = a;
    const struct entry *right = b;
    int order = by_name_and_in(a, b);
    return order != 0 ? order : number_order(left->node->index, right->node->index);
}

struct entries {
    struct entry *item; /* sorted */
    size_t count;
};

static void free_entries(struct entries *entries)
{
    mem_free(&entries->item);
}

/* The parameters in the list of a path item or an operation. */
static struct entries entries_of(struct check *check, const struct node *owner)
{
    const struct node *list = node_get(owner, "parameters");
    struct entries entries = { .item = mem_array(node_count(list) + 1, sizeof(*entries.item)) };
    for (size_t i = 0; node_is(list, NODE_LIST) && i < list->count && check_step(check, 2); i++) {
        const struct node *parameter = deref(list->child[i]);
        if (parameter)
            entries.item[entries.count++] =
                (struct entry){ node_text_at(parameter, "name"), node_text_at(parameter, "in"),
                                list->child[i] };
    }
    qsort(entries.item, entries.count, sizeof(*entries.item), by_name_in_and_place);
    return entries;
}

/* The path's parameters that an operation inherits: those without one of the same name and place in
 * its own list. */
static struct entries inherited_entries(struct check *check, const struct node *operation,
                                        const struct entries *own)
{
    struct entries shared = entries_of(check, path_item_of(operation));
    size_t count = 0;
    for (size_t i = 0; i < shared.count; i++)
        if (!bsearch(&shared.item[i], own->item, own->count, sizeof(*own->item), by_name_and_in))
            shared.item[count++] = shared.item[i];
    shared.count = count;
    return shared;
}

static void report_repeated_entries(struct check *check, const struct entries *entries)
{
    for (size_t i = 1; i < entries->count; i++) {
        const struct entry *entry = &entries->item[i];
        if (entry->name.size > 0 && by_name_and_in(entry - 1, entry) == 0)
            flag_text(check->findings, RULE_PARAMETER_REPEATED, entry->node, entry->name);
    }
}

static size_t count_in_place(const struct entries *entries, const char *in)
{
    size_t found = 0;
    for (size_t i = 0; i < entries->count; i++)
        found += text_is(entries->item[i].in, in);
    return found;
}

/* clang-format off */
static const struct {
    enum rule rule;
    const char *in;    /* at most one in this place, */
    const char *other; /* or, if not NULL, only one of both places */
} exclusions[] = {
    { RULE_BODY_PARAMETER_REPEATED, "body",        NULL },
    { RULE_BODY_AND_FORM,           "body",        "formData" },
    { RULE_QUERYSTRING_REPEATED,    "querystring", NULL },
    { RULE_QUERYSTRING_AND_QUERY,   "querystring", "query" },
};
/* clang-format on */

/* Violations among the inherited parameters are reported at the path. */
static void check_places(struct check *check, const struct node *owner, const struct entries *own,
                         const struct entries *inherited)
{
    const struct node *list = node_get(owner, "parameters");
    for (size_t i = 0; i < countof(exclusions); i++) {
        const char *in = exclusions[i].in;
        const char *other = exclusions[i].other;
        size_t before = count_in_place(inherited, in);
        size_t count = before + count_in_place(own, in);
        size_t others_before = other ? count_in_place(inherited, other) : 0;
        size_t others = other ? others_before + count_in_place(own, other) : 0;
        if (!other && before <= 1 && count > 1)
            report(check->findings, exclusions[i].rule, list,
                   "Only one %s parameter is allowed, including those of the path.", in);
        if ((before == 0 || others_before == 0) && count > 0 && others > 0)
            report(check->findings, exclusions[i].rule, list,
                   "Parameters in %s and in %s exclude each other, including those of the path.",
                   in, other);
    }
}

static void parameters_of_path(struct check *check, const struct node *item)
{
    static const struct entries none;
    scoped(free_entries) struct entries own = entries_of(check, item);
    report_repeated_entries(check, &own);
    check_places(check, item, &own, &none);
}

static void parameters_of_operation(struct check *check, const struct node *operation)
{
    scoped(free_entries) struct entries own = entries_of(check, operation);
    scoped(free_entries) struct entries inherited = inherited_entries(check, operation, &own);
    report_repeated_entries(check, &own);
    check_places(check, operation, &own, &inherited);
}

/* ---- Swagger 2.0: files ---- */

/* Vendor types are forms too: multipart/vnd.a+form-data (RFC 6838 section 4.2.8). */
static bool takes_forms(struct check *check, const struct node *operation)
{
    const struct node *list = node_get(operation, "consumes");
    list = list ? list : node_get(check->document->root, "consumes");
    for (size_t i = 0; node_is(list, NODE_LIST) && i < list->count && check_step(check, 1); i++) {
        struct text type = mime_essence(node_text(list->child[i]));
        if (text_has_any_case(type, "form-data") ||
            text_has_any_case(type, "x-www-form-urlencoded"))
            return true;
    }
    return check->is_cut;
}

static const struct node *find_file(const struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        if (text_is(entries->item[i].in, "formData") &&
            node_says(node_get(deref(entries->item[i].node), "type"), "file"))
            return entries->item[i].node;
    return NULL;
}

static void files_need_forms(struct check *check, const struct node *operation)
{
    scoped(free_entries) struct entries own = entries_of(check, operation);
    scoped(free_entries) struct entries inherited = inherited_entries(check, operation, &own);
    const struct node *file = find_file(&own);
    if (!file && find_file(&inherited))
        file = operation; /* "consumes" belongs to the operation */
    if (file && !takes_forms(check, operation))
        report(check->findings, RULE_FILE_IN_FORM, file,
               "A file parameter requires \"consumes\" of multipart/form-data or "
               "application/x-www-form-urlencoded.");
}

static const struct rule_row rows[] = {
    { TYPE_PARAMETER, ALL, path_is_required },
    { TYPE_PARAMETER, V3, header_is_described_elsewhere },
    { TYPE_PARAMETER, V3, schema_or_content },
    { TYPE_HEADER, V3, schema_or_content },
    { TYPE_PARAMETER, V3, style_fits_place },
    { TYPE_PARAMETER, ALL, flags_fit_place },
    { TYPE_PARAMETER, V3, style_goes_with_schema },
    { TYPE_HEADER, V3, style_goes_with_schema },
    { TYPE_PARAMETER, V32, name_fits_place },
    { TYPE_PARAMETER, V3, one_kind_of_example },
    { TYPE_HEADER, V3, one_kind_of_example },
    { TYPE_MEDIA_TYPE, V3, one_kind_of_example },
    { TYPE_PARAMETER, ALL, default_of_required },
    { TYPE_PARAMETER, V31_UP, type_is_clear },
    { TYPE_PARAMETER, V20, has_schema_or_type },
    { TYPE_PARAMETER, V20, fields_fit_place },
    { TYPE_PARAMETER, V20, array_has_items },
    { TYPE_ITEMS, V20, array_has_items },
    { TYPE_HEADER, V20, array_has_items },
    { TYPE_PARAMETER, V20, multi_fits_place },
    { TYPE_PARAMETER, V20, file_is_in_form },
    { TYPE_OPERATION, V20, files_need_forms },
    { TYPE_PATH_ITEM, ALL, parameters_of_path },
    { TYPE_OPERATION, ALL, parameters_of_operation },
};

const struct rule_table parameter_rules = { rows, countof(rows) };
