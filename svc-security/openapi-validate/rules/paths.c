/* svc-security/openapi-validate/rules/paths.c - rules for path templates and their parameters. */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"
#include "named.h"
#include "openapi-validate/check/paths.h"
#include "openapi-validate/check/values.h"
#include "rules.h"

/* ---- one template ---- */

/* Grammar of OpenAPI 3.2.0, Path Templating: pchar, and slashes between non-empty segments. */
static bool is_path_literal(struct text text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!ascii_is_alnum((unsigned char)text.bytes[i]) &&
            (text.bytes[i] == '\0' || !strchr("-._~!$&'()*+,;=:@/%", text.bytes[i])))
            return false;
    return !text_has(text, "//") && has_uri_characters(text);
}

static void check_form(struct check *check, const struct node *entry)
{
    struct text path = entry->key;
    if (path.size == 0 || path.bytes[0] != '/')
        flag(check->findings, RULE_PATH_SLASH, entry);
    if (check->version == V32 && !literals_are(path, is_path_literal))
        flag(check->findings, RULE_PATH_FORMAT, entry);
    else if (memchr(path.bytes, '?', path.size) || memchr(path.bytes, '#', path.size))
        flag(check->findings, RULE_PATH_QUERY, entry);
    if (path.size > 1 && path.bytes[path.size - 1] == '/')
        flag(check->findings, RULE_PATH_TRAILING_SLASH, entry);
}

static struct named_list collect_variables(struct check *check, const struct node *entry)
{
    struct named_list variables = named_new(entry->key.size / 2);
    size_t at = 0;
    bool is_balanced;
    for (struct text name; next_variable(entry->key, &at, &name, &is_balanced);) {
        if (name.size == 0)
            flag(check->findings, RULE_PATH_VARIABLE_EMPTY, entry);
        else
            named_add(&variables, name, entry);
    }
    if (!is_balanced)
        flag(check->findings, RULE_PATH_BRACES, entry);
    named_report_repeated(&variables, check, RULE_PATH_VARIABLE_REPEATED, "variable");
    return variables;
}

/* ---- pairs of templates ---- */

static size_t count_segments(struct text shape)
{
    size_t count = 0;
    for (size_t i = 0; i < shape.size; i++)
        count += shape.bytes[i] == '/';
    return count;
}

static struct text next_segment(struct text *rest)
{
    const char *end = rest->size > 0 ? memchr(rest->bytes + 1, '/', rest->size - 1) : NULL;
    size_t size = end ? (size_t)(end - rest->bytes) : rest->size;
    struct text segment = { rest->bytes, size };
    *rest = (struct text){ rest->bytes + size, rest->size - size };
    return segment;
}

/* Can both match the same path, while each is more specific in another segment? */
static bool are_ambiguous(struct text a, struct text b)
{
    bool a_is_wider = false;
    bool b_is_wider = false;
    while (a.size > 0 && b.size > 0) {
        struct text left = next_segment(&a);
        struct text right = next_segment(&b);
        bool left_varies = memchr(left.bytes, '{', left.size) != NULL;
        bool right_varies = memchr(right.bytes, '{', right.size) != NULL;
        if (!left_varies && !right_varies && text_order(left, right) != 0)
            return false;
        /* two partly variable segments cannot be compared */
        if (left_varies && right_varies && text_order(left, right) != 0)
            return false;
        bool is_whole = text_is(left, "/{}") || text_is(right, "/{}");
        if (left_varies != right_varies && !is_whole)
            return false;
        a_is_wider |= left_varies && !right_varies;
        b_is_wider |= right_varies && !left_varies;
    }
    return a.size == 0 && b.size == 0 && a_is_wider && b_is_wider;
}

static int by_segments(const void *a, const void *b)
{
    const struct named *left = a;
    const struct named *right = b;
    int order = number_order(count_segments(left->name), count_segments(right->name));
    return order != 0 ? order : text_order(left->name, right->name);
}

/* Pairs are quadratic: hundreds of paths with the same number of segments are compared completely,
 * thousands are not. */
static void find_ambiguous(struct check *check, struct named_list *shapes)
{
    size_t pairs_left = 100000;
    size_t end = 0; /* end of the paths with the same number of segments */
    qsort(shapes->item, shapes->count, sizeof(struct named), by_segments);
    for (size_t i = 0; i < shapes->count; i++) {
        const struct named *shape = &shapes->item[i];
        size_t segments = count_segments(shape->name);
        while (end < shapes->count &&
               (end <= i || count_segments(shapes->item[end].name) == segments))
            end++;
        for (size_t k = i + 1; k < end && pairs_left > 0; k++, pairs_left--)
            if (are_ambiguous(shape->name, shapes->item[k].name))
                flag_text(check->findings, RULE_AMBIGUOUS_PATHS, shapes->item[k].node,
                          shape->node->key);
    }
}

static void templates_differ(struct check *check, const struct node *paths)
{
    scoped(named_free) struct named_list shapes = named_new(paths->count);
    for (size_t i = 0; i < paths->count; i++)
        if (!is_extension(paths->child[i]->key))
            named_add(&shapes, path_shape(&check->document->arena, paths->child[i]->key),
                      paths->child[i]);
    named_sort(&shapes);
    for (size_t i = 1; i < shapes.count; i++)
        if (text_order(shapes.item[i - 1].name, shapes.item[i].name) == 0)
            flag_text(check->findings, RULE_CONFLICTING_PATHS, shapes.item[i].node,
                      shapes.item[i - 1].node->key);
    find_ambiguous(check, &shapes);
}

/* ---- parameters of a path ---- */

/* The path parameters, sorted; *has_unknown if one is in an unavailable document. */
static struct named_list collect_path_names(struct check *check, const struct node *owner,
                                            bool *has_unknown)
{
    const struct node *list = node_get(owner, "parameters");
    struct named_list names = named_new(node_count(list));
    for (size_t i = 0; node_is(list, NODE_LIST) && i < list->count && check_step(check, 2); i++) {
        const struct node *parameter = deref(list->child[i]);
        *has_unknown |= !parameter;
        if (node_says(node_get(parameter, "in"), "path"))
            named_add(&names, node_text_at(parameter, "name"), list->child[i]);
    }
    named_sort(&names);
    return names;
}

static void report_unused(struct check *check, const struct named_list *names,
                          const struct named_list *variables)
{
    for (size_t i = 0; i < names->count; i++)
        if (!named_find(variables, names->item[i].name))
            flag_text(check->findings, RULE_PATH_PARAMETER_UNUSED, names->item[i].node,
                      names->item[i].name);
}

static void check_operation(struct check *check, const struct node *operation,
                            const struct named_list *shared, bool has_unknown,
                            const struct named_list *variables)
{
    scoped(named_free) struct named_list own = collect_path_names(check, operation, &has_unknown);
    report_unused(check, &own, variables);
    for (size_t i = 0; !has_unknown && i < variables->count && check_step(check, 1); i++)
        if (!named_find(&own, variables->item[i].name) &&
            !named_find(shared, variables->item[i].name))
            flag_text(check->findings, RULE_PATH_PARAMETER_MISSING, operation,
                      variables->item[i].name);
}

static void check_operations(struct check *check, const struct node *item,
                             const struct named_list *variables)
{
    bool has_unknown = false;
    scoped(named_free) struct named_list shared = collect_path_names(check, item, &has_unknown);
    const struct node *more = node_get(item, "additionalOperations");
    report_unused(check, &shared, variables);
    for (size_t i = 0; path_methods[i]; i++) {
        const struct node *operation = node_get(item, path_methods[i]);
        if (node_is(operation, NODE_OBJECT))
            check_operation(check, operation, &shared, has_unknown, variables);
    }
    for (size_t i = 0; node_is(more, NODE_OBJECT) && i < more->count; i++)
        check_operation(check, more->child[i], &shared, has_unknown, variables);
}

static void paths_have_parameters(struct check *check, const struct node *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        const struct node *entry = paths->child[i];
        if (is_extension(entry->key))
            continue;
        check_form(check, entry);
        scoped(named_free) struct named_list variables = collect_variables(check, entry);
        const struct node *item = deref(entry);
        if (node_is(item, NODE_OBJECT))
            check_operations(check, item, &variables);
        if (item && !item->is_reference && item->target)
            check_operations(check, deref(item->target), &variables);
    }
}

static const struct rule_row rows[] = {
    { TYPE_PATHS, ALL, paths_have_parameters },
    { TYPE_PATHS, ALL, templates_differ },
};

const struct rule_table path_rules = { rows, countof(rows) };
