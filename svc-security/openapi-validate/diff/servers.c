/* svc-security/openapi-validate/diff/servers.c - compare servers. */
#include "servers.h"

#include <string.h>

#include "base/mem.h"

enum { SERVERS_MAX = 200, URL_BYTES = 2048 };

struct server {
    struct text url;         /* without a final slash */
    const struct node *node; /* where it is declared */
};

/* The servers of one side. */
struct servers {
    size_t count;
    struct server item[SERVERS_MAX];
    bool is_declared; /* false: the default, which depends on where the document is */
};

/* ---- one side ---- */

static void add_server(struct servers *servers, struct text url, const struct node *node)
{
    while (url.size > 0 && url.bytes[url.size - 1] == '/')
        url.size--;
    if (servers->count < SERVERS_MAX)
        servers->item[servers->count++] = (struct server){ url, node };
}

/* Swagger 2.0: each scheme with host and basePath. Without a host, it is that of the document. */
static void add_swagger2_server(struct diff *diff, const struct node *root,
                                const struct node *scheme, struct servers *servers)
{
    scoped(buf_free) struct buf url = BUF(URL_BYTES);
    struct text host = node_text_at(root, "host");
    struct text path = node_text_at(root, "basePath");
    struct text word = node_text(scheme);
    if (host.size > 0)
        buf_format(&url, "%.*s%s//%.*s", (int)word.size, word.bytes, scheme ? ":" : "",
                   (int)host.size, host.bytes);
    buf_add(&url, path.bytes, path.size);
    const struct node *at = scheme ? scheme : node_get(root, "host");
    at = at ? at : node_get(root, "basePath");
    if (!url.full)
        add_server(servers, text_of(arena_copy(&diff->arena, buf_text(&url))), at ? at : root);
}

static void find_swagger2_servers(struct diff *diff, const struct node *root,
                                  const struct node *schemes, struct servers *servers)
{
    schemes = schemes ? schemes : node_get(root, "schemes");
    servers->is_declared = node_get(root, "host") || node_get(root, "basePath");
    for (size_t i = 0; node_is(schemes, NODE_LIST) && i < schemes->count; i++)
        add_swagger2_server(diff, root, schemes->child[i], servers);
    if (servers->count == 0)
        add_swagger2_server(diff, root, NULL, servers);
}

/* own: the servers or schemes of an operation or its path, or NULL. */
static void find_servers(struct diff *diff, const struct model *model, const struct node *own,
                         struct servers *servers)
{
    const struct node *root = model->check->document->root;
    const struct node *list = own ? own : node_get(root, "servers");
    if (model->check->version == V20) {
        find_swagger2_servers(diff, root, own, servers);
        return;
    }
    for (size_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++)
        add_server(servers, node_text_at(list->child[i], "url"), list->child[i]);
    servers->is_declared = servers->count > 0;
    if (!servers->is_declared)
        add_server(servers, TEXT("/"), root);
}

/* ---- comparing ---- */

/* From // on, or empty: the URL is relative to the document. */
static struct text without_scheme(struct text url)
{
    const char *slashes = url.size > 0 ? memmem(url.bytes, url.size, "//", 2) : NULL;
    return slashes ? text_skip(url, (size_t)(slashes - url.bytes)) : TEXT("");
}

static struct text path_of(struct text url)
{
    struct text rest = without_scheme(url);
    if (rest.size == 0)
        return url;
    rest = text_skip(rest, 2);
    const char *slash = rest.size > 0 ? memchr(rest.bytes, '/', rest.size) : NULL;
    return slash ? text_skip(rest, (size_t)(slash - rest.bytes)) : TEXT("");
}

/* A relative URL may be the absolute one with the same path. */
static bool is_same_place(struct text a, struct text b)
{
    struct text left = without_scheme(a);
    struct text right = without_scheme(b);
    if (left.size == 0 || right.size == 0)
        return text_order(path_of(a), path_of(b)) == 0;
    if (left.size == a.size || right.size == b.size) /* any scheme */
        return text_order(left, right) == 0;
    return text_order(a, b) == 0;
}

static void compare_values(struct diff *diff, const struct node *old, const struct node *new)
{
    const struct node *before = node_get(old, "variables");
    const struct node *after = node_get(new, "variables");
    for (size_t i = 0; node_is(before, NODE_OBJECT) && i < before->count && diff_step(diff); i++) {
        const struct node *variable = node_member(after, before->child[i]->key);
        const struct node *values = node_get(before->child[i], "enum");
        const struct node *left = node_get(variable, "enum");
        if (!node_is(left, NODE_LIST))
            continue; /* any value */
        if (!node_is(values, NODE_LIST))
            diff_add(diff, CHANGE_SERVER_VALUE_REMOVED, left, NULL, left);
        for (size_t k = 0;
             node_is(values, NODE_LIST) && k < values->count && diff_steps(diff, 1 + left->count);
             k++)
            if (!diff_has(left, values->child[k]))
                diff_add(diff, CHANGE_SERVER_VALUE_REMOVED, left, values->child[k], NULL);
    }
}

static void compare_servers(struct diff *diff, const struct node *own_old,
                            const struct node *own_new)
{
    scoped(mem_free) struct servers *old = mem_new(sizeof(*old));
    scoped(mem_free) struct servers *new = mem_new(sizeof(*new));
    find_servers(diff, &diff->old, own_old, old);
    find_servers(diff, &diff->new, own_new, new);
    for (size_t i = 0; old->is_declared && i < old->count && diff_steps(diff, 1 + new->count);
         i++) {
        const struct server *server = &old->item[i];
        size_t k = 0;
        while (k < new->count && !is_same_place(server->url, new->item[k].url))
            k++;
        if (k < new->count)
            compare_values(diff, server->node, new->item[k].node);
        else
            diff_add(diff, CHANGE_SERVER_REMOVED, server->node, node_get(server->node, "url"),
                     NULL);
    }
}

void diff_root_servers(struct diff *diff)
{
    compare_servers(diff, NULL, NULL);
}

/* The servers, or schemes, of an operation or else of its path. */
static const struct node *own_servers(const struct model *model, const struct operation *operation)
{
    if (model->check->version == V20)
        return node_get(operation->node, "schemes");
    const struct node *own = node_get(operation->node, "servers");
    return own ? own : node_get(operation->item, "servers");
}

void diff_servers(struct diff *diff, const struct operation *old, const struct operation *new)
{
    const struct node *own_old = own_servers(&diff->old, old);
    const struct node *own_new = own_servers(&diff->new, new);
    if (own_old || own_new)
        compare_servers(diff, own_old, own_new);
}
