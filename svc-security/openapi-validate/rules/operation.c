/* svc-security/openapi-validate/rules/operation.c - rules for operations, responses, callbacks. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "named.h"
#include "openapi-validate/check/paths.h"
#include "openapi-validate/check/values.h"
#include "rules.h"

/* ---- operations ---- */

static void operation_id(struct check *check, const struct node *operation)
{
    const struct node *id = node_get(operation, "operationId");
    if (!id)
        flag(check->findings, RULE_OPERATION_ID_MISSING, operation);
    else if (node_is(id, NODE_STRING) && memchr(id->text.bytes, ' ', id->text.size))
        flag(check->findings, RULE_OPERATION_ID_SPACES, id);
    else if (node_is(id, NODE_STRING) && !is_template_name_safe(id->text))
        flag(check->findings, RULE_OPERATION_ID_URL_SAFE, id);
}

static void tags_are_declared(struct check *check, const struct node *root)
{
    scoped(named_free) struct named_list tags = named_of(node_get(root, "tags"), "name", false);
    named_sort(&tags);
    for (size_t i = 0; i < check->visit_count; i++) {
        const struct node *used = node_get(check->visits[i], "tags");
        if (check->visits[i]->type != TYPE_OPERATION || !node_is(used, NODE_LIST))
            continue;
        for (size_t k = 0; k < used->count; k++)
            if (node_is(used->child[k], NODE_STRING) && !named_find(&tags, used->child[k]->text))
                flag_text(check->findings, RULE_TAG_UNDECLARED, used->child[k],
                          used->child[k]->text);
    }
}

static void tags_occur_once(struct check *check, const struct node *operation)
{
    scoped(named_free) struct named_list tags = named_of(node_get(operation, "tags"), NULL, true);
    named_report_repeated(&tags, check, RULE_OPERATION_TAG_REPEATED, "tag");
}

static bool has_body_parameter(const struct node *owner)
{
    const struct node *list = node_get(owner, "parameters");
    for (size_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++)
        if (node_says(node_get(deref(list->child[i]), "in"), "body"))
            return true;
    return false;
}

static void body_has_a_meaning(struct check *check, const struct node *operation)
{
    bool has_meaning = !is_word_of(operation->key, "get head delete");
    if (has_meaning)
        return;
    if (node_get(operation, "requestBody") || has_body_parameter(operation) ||
        has_body_parameter(path_item_of(operation)))
        flag_text(check->findings, RULE_BODY_WITHOUT_MEANING, operation, operation->key);
}

static void methods_are_tokens(struct check *check, const struct node *item)
{
    const struct node *more = node_get(item, "additionalOperations");
    for (size_t i = 0; node_is(more, NODE_OBJECT) && i < more->count; i++) {
        struct text name = more->child[i]->key;
        if (!is_token(name))
            flag_text(check->findings, RULE_METHOD_TOKEN, more->child[i], name);
        else if (is_word_of(name, "GET PUT POST DELETE OPTIONS HEAD PATCH TRACE QUERY"))
            flag_text(check->findings, RULE_METHOD_HAS_A_FIELD, more->child[i], name);
    }
}

/* ---- responses ---- */

static bool is_code(struct text key)
{
    return key.size == 3 && key.bytes[0] >= '1' && key.bytes[0] <= '5' &&
           strspn(key.bytes, "0123456789") == 3;
}

static bool is_range(struct text key)
{
    return key.size == 3 && key.bytes[0] >= '1' && key.bytes[0] <= '5' &&
           memcmp(key.bytes + 1, "XX", 2) == 0;
}

static void response_codes(struct check *check, const struct node *responses)
{
    size_t codes = 0;
    bool has_success = false;
    for (size_t i = 0; i < responses->count; i++) {
        const struct node *response = responses->child[i];
        struct text key = response->key;
        bool is_default = text_is(key, "default");
        if (is_extension(key))
            continue;
        if (!is_default && !is_code(key) && !(check->version & V3 && is_range(key)))
            report(check->findings, RULE_RESPONSE_CODE, response,
                   "\"%s\" is not a status code; allowed: 100 to 599%s or \"default\".",
                   quote(key).bytes, check->version & V3 ? ", 1XX to 5XX" : "");
        codes++;
        has_success |= is_default || (key.size > 0 && key.bytes[0] >= '1' && key.bytes[0] <= '3');
    }
    if (codes == 0)
        flag(check->findings, RULE_RESPONSES_EMPTY, responses);
    else if (!has_success)
        flag(check->findings, RULE_NO_SUCCESS_RESPONSE, responses);
}

static void codes_without_content(struct check *check, const struct node *responses)
{
    for (size_t i = 0; i < responses->count; i++) {
        const struct node *response = deref(responses->child[i]);
        bool has_content =
            node_count(node_get(response, "content")) > 0 || node_get(response, "schema");
        if (has_content && is_word_of(responses->child[i]->key, "204 304"))
            flag_text(check->findings, RULE_CONTENT_FORBIDDEN, responses->child[i],
                      responses->child[i]->key);
    }
}

/* ---- callbacks: runtime expressions ---- */

/* $url, $method, $statusCode, $request.… and $response.… with header, query, path, body */
static bool is_expression(struct text text)
{
    static const char *const sources[] = { "header.", "query.", "path.", "body" };
    if (is_word_of(text, "$url $method $statusCode"))
        return true;
    if (!text_begins(text, "$request.") && !text_begins(text, "$response."))
        return false;
    text_cut(&text, '.');
    for (size_t i = 0; i < countof(sources); i++)
        if (text_begins(text, sources[i]))
            return true;
    return false;
}

static void callback_keys(struct check *check, const struct node *callback)
{
    for (size_t i = 0; i < callback->count; i++) {
        struct text key = callback->child[i]->key;
        bool is_balanced = true;
        bool is_good = is_expression(key) || (key.size > 0 && key.bytes[0] != '$');
        size_t at = 0;
        for (struct text name; next_variable(key, &at, &name, &is_balanced);)
            is_good = is_good && is_expression(name);
        if (!is_extension(key) && (!is_good || !is_balanced))
            flag(check->findings, RULE_CALLBACK_EXPRESSION, callback->child[i]);
    }
}

/* ---- parameters of runtime expressions ---- */

/* Is it a header that is never a parameter (OpenAPI 3.0.0, Parameter Object)? */
static bool is_header_of_its_own(struct text name)
{
    return text_is_any_case(name, "Accept") || text_is_any_case(name, "Content-Type") ||
           text_is_any_case(name, "Authorization");
}

/* Does a list have the parameter, or an unresolved one? */
static bool may_have_parameter(struct check *check, const struct node *owner, struct text in,
                               const char *name)
{
    const struct node *list = node_get(owner, "parameters");
    for (size_t i = 0; node_is(list, NODE_LIST) && i < list->count && check_step(check, 1); i++) {
        const struct node *parameter = deref(list->child[i]);
        struct text other = node_text_at(parameter, "name");
        bool is_named =
            text_is(in, "header") ? text_is_any_case(other, name) : text_is(other, name);
        if (!parameter || (is_named && text_order(node_text_at(parameter, "in"), in) == 0))
            return true;
    }
    return check->is_cut;
}

/* "Request parameters MUST be declared" for expressions such as $request.query.a (Runtime
 * Expressions). */
static void check_expression(struct check *check, const struct node *operation,
                             const struct node *at, struct text expression)
{
    static const char request[] = "$request.";
    struct text name = expression;
    if (!text_begins(expression, request))
        return;
    text_cut(&name, '.');
    struct text in = text_cut(&name, '.');
    if (!is_word_of(in, "query path header") ||
        (text_is(in, "header") && is_header_of_its_own(name)))
        return;
    scoped(mem_free) char *wanted = mem_dup(name.bytes, name.size);
    if (!may_have_parameter(check, operation, in, wanted) &&
        !may_have_parameter(check, path_item_of(operation), in, wanted))
        report(check->findings, RULE_EXPRESSION_PARAMETER, at,
               "The operation has no parameter \"%s\" in the %s.", quote(name).bytes,
               quote(in).bytes);
}

static void check_callback(struct check *check, const struct node *operation,
                           const struct node *callback)
{
    for (size_t i = 0; node_is(callback, NODE_OBJECT) && i < callback->count; i++) {
        struct text key = callback->child[i]->key;
        bool is_balanced;
        size_t at = 0;
        check_expression(check, operation, callback->child[i], key);
        for (struct text name; next_variable(key, &at, &name, &is_balanced);)
            check_expression(check, operation, callback->child[i], name);
    }
}

static void check_links(struct check *check, const struct node *operation,
                        const struct node *response)
{
    const struct node *links = node_get(response, "links");
    for (size_t i = 0; node_is(links, NODE_OBJECT) && i < links->count; i++) {
        const struct node *link = deref(links->child[i]);
        const struct node *values = node_get(link, "parameters");
        const struct node *body = node_get(link, "requestBody");
        for (size_t k = 0; node_is(values, NODE_OBJECT) && k < values->count; k++)
            check_expression(check, operation, values->child[k], node_text(values->child[k]));
        check_expression(check, operation, body, node_text(body));
    }
}

static void expressions_have_parameters(struct check *check, const struct node *operation)
{
    const struct node *callbacks = node_get(operation, "callbacks");
    const struct node *responses = node_get(operation, "responses");
    for (size_t i = 0; node_is(callbacks, NODE_OBJECT) && i < callbacks->count; i++)
        check_callback(check, operation, deref(callbacks->child[i]));
    for (size_t i = 0; node_is(responses, NODE_OBJECT) && i < responses->count; i++)
        check_links(check, operation, deref(responses->child[i]));
}

static const struct rule_row rows[] = {
    { TYPE_DOCUMENT, ALL, tags_are_declared },
    { TYPE_OPERATION, ALL, operation_id },
    { TYPE_OPERATION, ALL, tags_occur_once },
    { TYPE_OPERATION, ALL, body_has_a_meaning },
    { TYPE_PATH_ITEM, V32, methods_are_tokens },
    { TYPE_RESPONSES, ALL, response_codes },
    { TYPE_RESPONSES, ALL, codes_without_content },
    { TYPE_CALLBACK, V3, callback_keys },
    { TYPE_OPERATION, V3, expressions_have_parameters },
};

const struct rule_table operation_rules = { rows, countof(rows) };
