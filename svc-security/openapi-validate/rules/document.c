/* svc-security/openapi-validate/rules/document.c - rules for document, info, tags, servers,
 * components. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "named.h"
#include "openapi-validate/check/paths.h"
#include "openapi-validate/check/values.h"
#include "rules.h"

/* ---- the document ---- */

static void has_parts(struct check *check, const struct node *root)
{
    if (!node_get(root, "paths") && !node_get(root, "components") && !node_get(root, "webhooks"))
        flag(check->findings, RULE_DOC_PARTS_REQUIRED, root);
}

/* ^[^{}/ :\\]+(:\d+)?$ */
static bool is_host(struct text text)
{
    size_t size = 0;
    while (size < text.size && !strchr("{}/ :\\", text.bytes[size]))
        size++;
    if (size == 0 || size == text.size)
        return size > 0;
    size_t digits = strspn(text.bytes + size + 1, "0123456789");
    return text.bytes[size] == ':' && digits > 0 && size + 1 + digits == text.size;
}

static void host_and_base_path(struct check *check, const struct node *root)
{
    const struct node *host = node_get(root, "host");
    const struct node *base = node_get(root, "basePath");
    if (node_is(host, NODE_STRING) && !is_host(host->text))
        flag(check->findings, RULE_HOST_FORMAT, host);
    if (node_is(base, NODE_STRING) && (base->text.size == 0 || base->text.bytes[0] != '/'))
        flag(check->findings, RULE_BASE_PATH_FORMAT, base);
}

static void self_has_no_fragment(struct check *check, const struct node *root)
{
    const struct node *self = node_get(root, "$self");
    if (node_is(self, NODE_STRING) && memchr(self->text.bytes, '#', self->text.size))
        flag(check->findings, RULE_SELF_FRAGMENT, self);
}

static void says_where_it_is(struct check *check, const struct node *root)
{
    bool has_servers = check->version == V20 ? node_get(root, "host") != NULL
                                             : node_count(node_get(root, "servers")) > 0;
    if (!has_servers)
        report(check->findings, RULE_NO_SERVERS, root, "%s, so the URL of the API is unknown.",
               check->version == V20 ? "\"host\" is missing" : "\"servers\" is missing or empty");
}

static void uses_http(struct check *check, const struct node *root)
{
    const struct node *schemes = node_get(root, "schemes");
    if (node_has(schemes, "http") && !node_has(schemes, "https"))
        flag(check->findings, RULE_HTTP_SERVER, schemes);
}

static void has_security(struct check *check, const struct node *root)
{
    bool has_operations = false;
    if (node_count(node_get(root, "security")) > 0)
        return;
    for (size_t i = 0; i < check->visit_count; i++) {
        if (check->visits[i]->type != TYPE_OPERATION)
            continue;
        has_operations = true;
        if (node_count(node_get(check->visits[i], "security")) > 0)
            return;
    }
    if (has_operations)
        flag(check->findings, RULE_NO_SECURITY, root);
}

static void operation_ids_are_unique(struct check *check, const struct node *root)
{
    (void)root;
    scoped(named_free) struct named_list ids = named_new(check->visit_count);
    for (size_t i = 0; i < check->visit_count; i++) {
        const struct node *id = node_get(check->visits[i], "operationId");
        if (check->visits[i]->type == TYPE_OPERATION && node_is(id, NODE_STRING))
            named_add(&ids, id->text, id);
    }
    named_report_repeated(&ids, check, RULE_OPERATION_ID_UNIQUE, "operationId");
}

/* ---- info ---- */

static void info_is_helpful(struct check *check, const struct node *info)
{
    if (!node_get(info, "contact"))
        flag(check->findings, RULE_NO_CONTACT, info);
    if (node_text_at(info, "description").size == 0)
        flag(check->findings, RULE_NO_DESCRIPTION, info);
}

static void license_is_one(struct check *check, const struct node *license)
{
    if (node_get(license, "identifier") && node_get(license, "url"))
        flag(check->findings, RULE_LICENSE_URL_OR_IDENTIFIER, license);
}

/* ---- tags ---- */

static void tags_are_unique(struct check *check, const struct node *root)
{
    scoped(named_free) struct named_list tags = named_of(node_get(root, "tags"), "name", true);
    named_report_repeated(&tags, check, RULE_TAG_REPEATED, "tag");
}

/* Follow the parents of a tag; more steps than tags mean a cycle. */
static bool is_acyclic(struct check *check, const struct named_list *tags, const struct node *tag)
{
    for (size_t steps = 0; tag && check_step(check, 8); steps++) {
        if (steps > tags->count)
            return false;
        const struct named *parent = named_find(tags, node_text_at(tag, "parent"));
        tag = parent ? parent->node : NULL;
    }
    return true;
}

static void tag_parents_exist(struct check *check, const struct node *root)
{
    scoped(named_free) struct named_list tags = named_of(node_get(root, "tags"), "name", true);
    named_sort(&tags);
    for (size_t i = 0; i < tags.count; i++) {
        const struct node *parent = node_get(tags.item[i].node, "parent");
        if (!node_is(parent, NODE_STRING))
            continue;
        if (!named_find(&tags, parent->text))
            flag_text(check->findings, RULE_TAG_PARENT_UNKNOWN, parent, parent->text);
        else if (!is_acyclic(check, &tags, tags.item[i].node))
            flag_text(check->findings, RULE_TAG_PARENT_CYCLE, parent, tags.item[i].name);
    }
}

static void tag_is_described(struct check *check, const struct node *tag)
{
    if (node_text_at(tag, "description").size == 0)
        flag(check->findings, RULE_TAG_DESCRIPTION, tag);
}

/* ---- servers ---- */

static void check_variables(struct check *check, const struct node *url,
                            const struct node *variables)
{
    scoped(mem_free) struct text *names = mem_array(url->text.size / 2 + 1, sizeof(*names));
    size_t count = 0;
    size_t at = 0;
    bool is_balanced;
    for (struct text name; next_variable(url->text, &at, &name, &is_balanced);) {
        names[count++] = name;
        if (!node_member(variables, name))
            flag_text(check->findings, RULE_SERVER_VARIABLE_UNDEFINED, url, name);
    }
    if (!is_balanced)
        flag(check->findings, RULE_SERVER_BRACES, url);
    qsort(names, count, sizeof(*names), by_text);
    for (size_t i = 1; check->version == V32 && i < count; i++)
        if (text_order(names[i - 1], names[i]) == 0 &&
            (i == 1 || text_order(names[i - 2], names[i]) != 0)) /* without duplicates */
            flag_text(check->findings, RULE_SERVER_VARIABLE_REPEATED, url, names[i]);
    for (size_t i = 0; node_is(variables, NODE_OBJECT) && i < variables->count; i++)
        if (!bsearch(&variables->child[i]->key, names, count, sizeof(*names), by_text))
            flag(check->findings, RULE_SERVER_VARIABLE_UNUSED, variables->child[i]);
}

/* Grammar of OpenAPI 3.2.0, Server Variable Object. */
static void server_url_has_form(struct check *check, const struct node *server)
{
    const struct node *url = node_get(server, "url");
    if (!node_is(url, NODE_STRING))
        return;
    if (url->text.size == 0 || text_has(url->text, "{}") ||
        !literals_are(url->text, has_uri_characters))
        flag(check->findings, RULE_SERVER_URL_FORMAT, url);
}

static void server_url(struct check *check, const struct node *server)
{
    const struct node *url = node_get(server, "url");
    if (!node_is(url, NODE_STRING))
        return;
    struct text text = url->text;
    check_variables(check, url, node_get(server, "variables"));
    if (text.size > 1 && text.bytes[text.size - 1] == '/')
        flag(check->findings, RULE_SERVER_TRAILING_SLASH, url);
    if (text_has(text, "?") || text_has(text, "#"))
        flag(check->findings, check->version == V32 ? RULE_SERVER_QUERY_3_2 : RULE_SERVER_QUERY,
             url);
    if (text_has(text, "example.com"))
        flag(check->findings, RULE_SERVER_EXAMPLE, url);
    if (text.size >= 7 && memcmp(text.bytes, "http://", 7) == 0)
        flag(check->findings, RULE_HTTP_SERVER, url);
}

static void server_variable(struct check *check, const struct node *variable)
{
    const struct node *choices = node_get(variable, "enum");
    const struct node *value = node_get(variable, "default");
    if (!node_is(choices, NODE_LIST))
        return;
    bool is_strict = check->version & V31_UP; /* SHOULD is MUST */
    if (choices->count == 0)
        flag(check->findings, is_strict ? RULE_SERVER_ENUM_EMPTY_3_1 : RULE_SERVER_ENUM_EMPTY,
             choices);
    else if (node_is(value, NODE_STRING) && !node_has(choices, value->text.bytes))
        flag(check->findings,
             is_strict ? RULE_SERVER_DEFAULT_NOT_IN_ENUM_3_1 : RULE_SERVER_DEFAULT_NOT_IN_ENUM,
             value);
}

/* ---- unused components ---- */

static void check_unused(struct check *check, const struct node *map)
{
    for (size_t i = 0; node_is(map, NODE_OBJECT) && i < map->count; i++)
        if (!map->child[i]->is_used)
            flag(check->findings, RULE_UNUSED_COMPONENT, map->child[i]);
}

static void components_are_used(struct check *check, const struct node *components)
{
    static const char *const maps[] = { "schemas",       "responses", "parameters", "examples",
                                        "requestBodies", "headers",   "links",      "callbacks",
                                        "pathItems",     "mediaTypes" };
    for (size_t i = 0; i < countof(maps); i++)
        check_unused(check, node_get(components, maps[i]));
}

static void definitions_are_used(struct check *check, const struct node *root)
{
    static const char *const maps[] = { "definitions", "parameters", "responses" };
    for (size_t i = 0; i < countof(maps); i++)
        check_unused(check, node_get(root, maps[i]));
}

static const struct rule_row rows[] = {
    { TYPE_DOCUMENT, V31_UP, has_parts },
    { TYPE_DOCUMENT, V20, host_and_base_path },
    { TYPE_DOCUMENT, V32, self_has_no_fragment },
    { TYPE_DOCUMENT, ALL, says_where_it_is },
    { TYPE_DOCUMENT, V20, uses_http },
    { TYPE_DOCUMENT, ALL, has_security },
    { TYPE_DOCUMENT, ALL, operation_ids_are_unique },
    { TYPE_DOCUMENT, ALL, tags_are_unique },
    { TYPE_DOCUMENT, V32, tag_parents_exist },
    { TYPE_DOCUMENT, V20, definitions_are_used },
    { TYPE_INFO, ALL, info_is_helpful },
    { TYPE_LICENSE, V31_UP, license_is_one },
    { TYPE_TAG, ALL, tag_is_described },
    { TYPE_SERVER, V3, server_url },
    { TYPE_SERVER, V32, server_url_has_form },
    { TYPE_SERVER_VARIABLE, V3, server_variable },
    { TYPE_COMPONENTS, V3, components_are_used },
};

const struct rule_table document_rules = { rows, countof(rows) };
