/* svc-security/openapi-validate/stats.c - statistics of the document and the visited nodes. */
#include "stats.h"

#include "base/num.h"
#include "openapi-validate/check/paths.h"
#include "openapi-validate/check/values.h"
#include "text/json.h"

enum { METHODS_MAX = 9 };

struct operations {
    int64_t total;
    int64_t deprecated;
    int64_t by_method[METHODS_MAX]; /* by index in path_methods */
    int64_t paths;
};

static void count_operation(struct operations *operations, const struct node *operation,
                            size_t method)
{
    if (!node_is(operation, NODE_OBJECT))
        return;
    operations->total++;
    operations->deprecated += node_is_true(node_get(operation, "deprecated"));
    if (method < METHODS_MAX)
        operations->by_method[method]++;
}

static void count_paths(const struct check *check, struct operations *operations)
{
    const struct node *paths = node_get(check->document->root, "paths");
    for (size_t i = 0; node_is(paths, NODE_OBJECT) && i < paths->count; i++) {
        if (is_extension(paths->child[i]->key))
            continue;
        const struct node *item = deref(paths->child[i]);
        const struct node *more = node_get(item, "additionalOperations");
        operations->paths++;
        for (size_t k = 0; path_methods[k]; k++)
            count_operation(operations, node_get(item, path_methods[k]), k);
        for (size_t k = 0; node_is(more, NODE_OBJECT) && k < more->count; k++)
            count_operation(operations, more->child[k], METHODS_MAX);
    }
}

static int64_t count_visits(const struct check *check, enum type type)
{
    int64_t count = 0;
    for (size_t i = 0; i < check->visit_count; i++)
        count += check->visits[i]->type == type && !check->visits[i]->is_reference;
    return count;
}

static int64_t count_servers(const struct check *check)
{
    const struct node *root = check->document->root;
    size_t schemes = node_count(node_get(root, "schemes"));
    if (check->version != V20)
        return (int64_t)node_count(node_get(root, "servers"));
    return node_get(root, "host") ? (int64_t)MAX(schemes, (size_t)1) : 0;
}

static bool has_security(const struct check *check)
{
    if (node_count(check_components(check, "securitySchemes", "securityDefinitions")) > 0)
        return true;
    for (size_t i = 0; i < check->visit_count; i++)
        if (check->visits[i]->type == TYPE_SECURITY_REQUIREMENT && check->visits[i]->count > 0)
            return true;
    return false;
}

static int64_t count_of(const struct node *node)
{
    return (int64_t)node_count(node);
}

static int64_t count_webhooks(const struct node *webhooks)
{
    int64_t count = 0;
    for (size_t i = 0; node_is(webhooks, NODE_OBJECT) && i < webhooks->count; i++)
        count += !is_extension(webhooks->child[i]->key);
    return count;
}

void stats_add(const struct check *check, cJSON *result)
{
    struct operations operations = { 0 };
    cJSON *stats = json_map(result, "stats");
    const struct node *root = check->visit_count > 0 ? check->document->root : NULL;
    if (root)
        count_paths(check, &operations);
    json_int(stats, "paths", operations.paths);
    json_int(stats, "operations", operations.total);
    json_int(stats, "schemas",
             root ? count_of(check_components(check, "schemas", "definitions")) : 0);
    json_int(stats, "servers", root ? count_servers(check) : 0);
    cJSON *methods = json_map(stats, "operations_by_method");
    for (size_t i = 0; path_methods[i]; i++)
        if (operations.by_method[i] > 0)
            json_int(methods, path_methods[i], operations.by_method[i]);
    json_bool(stats, "has_security", root && has_security(check));
    json_int(stats, "webhooks", count_webhooks(node_get(root, "webhooks")));
    json_int(stats, "callbacks", count_visits(check, TYPE_CALLBACK));
    json_int(stats, "parameters", count_visits(check, TYPE_PARAMETER));
    json_int(stats, "responses", count_visits(check, TYPE_RESPONSE));
    json_int(stats, "tags", count_of(node_get(root, "tags")));
    json_int(stats, "security_schemes",
             root ? count_of(check_components(check, "securitySchemes", "securityDefinitions"))
                  : 0);
    json_int(stats, "deprecated_operations", operations.deprecated);
    json_int(stats, "refs", (int64_t)check->refs);
    json_int(stats, "external_refs", (int64_t)check->external_refs);
}
