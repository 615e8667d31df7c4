/* svc-security/openapi-validate/diff/documents.c - compare document-level parts and security. */
#include "documents.h"

#include <stdlib.h>

#include "base/mem.h"
#include "openapi-validate/check/values.h"
#include "servers.h"

static const struct node *root_of(const struct model *model)
{
    return model->check->document->root;
}

/* Does the new scheme have all old flows with the same URLs? */
static bool has_flows_of(const struct node *scheme, const struct node *old)
{
    static const char *const urls[] = { "authorizationUrl", "tokenUrl", "refreshUrl",
                                        "deviceAuthorizationUrl" };
    const struct node *before = node_get(old, "flows");
    const struct node *after = node_get(scheme, "flows");
    for (size_t i = 0; node_is(before, NODE_OBJECT) && i < before->count; i++) {
        const struct node *flow = node_member(after, before->child[i]->key);
        for (size_t k = 0; k < countof(urls); k++)
            if (!flow || text_order(node_text_at(flow, urls[k]),
                                    node_text_at(before->child[i], urls[k])) != 0)
                return false;
    }
    return true;
}

/* Two unresolved references count as equal. */
static bool is_same_scheme(const struct node *before, const struct node *after)
{
    static const char *const fields[] = {
        "type", "name", "in", "scheme", "openIdConnectUrl", "flow", "authorizationUrl", "tokenUrl"
    };
    if (!before || !after)
        return before == after;
    for (size_t i = 0; i < countof(fields); i++)
        if (text_order(node_text_at(before, fields[i]), node_text_at(after, fields[i])) != 0)
            return false;
    return has_flows_of(after, before);
}

/* The scopes of one flow, an object of names. */
static void compare_flow_scopes(struct diff *diff, const struct node *old, const struct node *new)
{
    const struct node *before = node_get(old, "scopes");
    const struct node *after = node_get(new, "scopes");
    for (size_t i = 0; node_is(before, NODE_OBJECT) && i < before->count && diff_step(diff); i++)
        if (!is_extension(before->child[i]->key) && !node_member(after, before->child[i]->key))
            diff_add(diff, CHANGE_SCHEME_SCOPE_REMOVED, before->child[i], NULL, NULL);
    for (size_t i = 0; node_is(after, NODE_OBJECT) && i < after->count && diff_step(diff); i++)
        if (!is_extension(after->child[i]->key) && !node_member(before, after->child[i]->key))
            diff_add(diff, CHANGE_SCHEME_SCOPE_ADDED, after->child[i], NULL, NULL);
}

/* In Swagger 2.0, the scheme is its only flow. */
static void compare_scheme_scopes(struct diff *diff, const struct node *old, const struct node *new)
{
    const struct node *flows = node_get(old, "flows");
    compare_flow_scopes(diff, old, new);
    for (size_t i = 0; node_is(flows, NODE_OBJECT) && i < flows->count; i++) {
        const struct node *flow = node_member(node_get(new, "flows"), flows->child[i]->key);
        if (flow)
            compare_flow_scopes(diff, flows->child[i], flow);
    }
}

static void compare_schemes(struct diff *diff)
{
    const struct node *old =
        check_components(diff->old.check, "securitySchemes", "securityDefinitions");
    const struct node *new =
        check_components(diff->new.check, "securitySchemes", "securityDefinitions");
    bool is_same_language = (diff->old.check->version == V20) == (diff->new.check->version == V20);
    for (size_t i = 0; is_same_language && node_is(old, NODE_OBJECT) && i < old->count; i++) {
        const struct node *before = old->child[i];
        const struct node *after = node_member(new, before->key);
        if (!after)
            diff_add(diff, CHANGE_SCHEME_REMOVED, before, NULL, NULL);
        if (!after || !is_same_scheme(deref(before), deref(after)))
            diff_add(diff, CHANGE_SCHEME_CHANGED, after ? after : before, NULL, NULL);
        else
            compare_scheme_scopes(diff, deref(before), deref(after));
    }
    for (size_t i = 0; is_same_language && node_is(new, NODE_OBJECT) && i < new->count; i++)
        if (!node_member(old, new->child[i]->key))
            diff_add(diff, CHANGE_SCHEME_ADDED, new->child[i], NULL, NULL);
}

static void compare_named_schemas(struct diff *diff)
{
    const struct node *old = check_components(diff->old.check, "schemas", "definitions");
    const struct node *new = check_components(diff->new.check, "schemas", "definitions");
    for (size_t i = 0; node_is(old, NODE_OBJECT) && i < old->count; i++)
        if (!node_member(new, old->child[i]->key))
            diff_add(diff, CHANGE_SCHEMA_REMOVED, old->child[i], NULL, NULL);
}

/* ---- security: a list of requirements, each an object of schemes and their scopes ---- */

/* The security requirements of both documents. A scheme may occur in several, with different
 * scopes. */
struct alternatives {
    const struct node *old;
    const struct node *new;
    size_t *twin;   /* by new requirement: 1 + index of its old one, or 0 */
    bool *is_taken; /* by old requirement */
};

static void alternatives_free(struct alternatives *alternatives)
{
    mem_free(&alternatives->twin);
    mem_free(&alternatives->is_taken);
}

/* Do both have the same schemes? */
static bool has_same_schemes(struct diff *diff, const struct node *a, const struct node *b)
{
    bool is_alike = node_is(a, NODE_OBJECT) && node_is(b, NODE_OBJECT) && a->count == b->count;
    for (size_t k = 0; is_alike && k < a->count && diff_step(diff); k++)
        is_alike = text_order(a->by_name[k]->key, b->by_name[k]->key) == 0;
    return is_alike;
}

/* Number of scopes that two requirements with the same schemes share, and whether all are
 * shared. */
static size_t count_shared(struct diff *diff, const struct node *a, const struct node *b,
                           bool *is_same)
{
    size_t shared = 0;
    *is_same = true;
    for (size_t k = 0; k < a->count; k++) {
        const struct node *left = a->by_name[k];
        const struct node *right = b->by_name[k];
        size_t here = 0;
        for (size_t i = 0; i < node_count(left) && diff_steps(diff, 1 + node_count(right)); i++)
            here += diff_has(right, left->child[i]);
        *is_same = *is_same && here == node_count(left) && here == node_count(right);
        shared += here;
    }
    return shared;
}

/* Pair a new requirement with the old one of the same schemes that shares the most scopes, or only
 * with one of exactly the same scopes. */
static void find_counterpart(struct diff *diff, struct alternatives *alternatives, size_t place,
                             bool must_be_same)
{
    size_t best = 0;
    for (size_t i = 0; i < node_count(alternatives->old) && diff_step(diff); i++) {
        bool is_same;
        if (alternatives->is_taken[i] ||
            !has_same_schemes(diff, alternatives->old->child[i], alternatives->new->child[place]))
            continue;
        size_t shared = 1 + count_shared(diff, alternatives->old->child[i],
                                         alternatives->new->child[place], &is_same);
        if (shared <= best || (must_be_same && !is_same))
            continue;
        best = shared;
        alternatives->twin[place] = i + 1;
        if (is_same)
            break;
    }
    if (alternatives->twin[place] > 0)
        alternatives->is_taken[alternatives->twin[place] - 1] = true;
}

static void pair_requirements(struct diff *diff, const struct node *old, const struct node *new,
                              struct alternatives *alternatives)
{
    *alternatives = (struct alternatives){
        .old = node_is(old, NODE_LIST) ? old : NULL,
        .new = node_is(new, NODE_LIST) ? new : NULL,
        .twin = mem_array(node_count(new) + 1, sizeof(size_t)),
        .is_taken = mem_array(node_count(old) + 1, sizeof(bool)),
    };
    for (int must_be_same = 1; must_be_same >= 0; must_be_same--)
        for (size_t i = 0; i < node_count(alternatives->new) && diff_step(diff); i++)
            if (alternatives->twin[i] == 0)
                find_counterpart(diff, alternatives, i, must_be_same);
}

static void compare_scopes(struct diff *diff, const struct node *old, const struct node *new)
{
    for (size_t i = 0; i < new->count &&diff_step(diff); i++) {
        const struct node *before = old->by_name[i];
        const struct node *after = new->by_name[i];
        for (size_t k = 0; node_is(after, NODE_LIST) && k < after->count &&
                           diff_steps(diff, 1 + node_count(before));
             k++)
            if (!diff_has(before, after->child[k]))
                diff_add(diff, CHANGE_SCOPE_ADDED, after->child[k], NULL, after->child[k]);
        for (size_t k = 0; node_is(before, NODE_LIST) && k < before->count &&
                           diff_steps(diff, 1 + node_count(after));
             k++)
            if (!diff_has(after, before->child[k]))
                diff_add(diff, CHANGE_SCOPE_REMOVED, before->child[k], before->child[k], NULL);
    }
}

/* Without requirements, or with {} among them, no authentication is required. */
static bool is_open(const struct node *list)
{
    for (size_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++)
        if (node_is(list->child[i], NODE_OBJECT) && list->child[i]->count == 0)
            return true;
    return node_count(list) == 0;
}

/* Is everything that `part` requires also required by `whole`? */
static bool is_subset(struct diff *diff, const struct node *part, const struct node *whole)
{
    bool is_part = node_is(part, NODE_OBJECT);
    for (size_t i = 0; is_part && i < part->count && diff_step(diff); i++) {
        const struct node *scopes = part->child[i];
        const struct node *others = node_member(whole, scopes->key);
        is_part = others != NULL;
        for (size_t k = 0;
             is_part && k < node_count(scopes) && diff_steps(diff, 1 + node_count(others)); k++)
            is_part = diff_has(others, scopes->child[k]);
    }
    return is_part;
}

static bool has_part_of(struct diff *diff, const struct node *list, const struct node *whole)
{
    for (size_t i = 0; i < node_count(list) && diff_step(diff); i++)
        if (is_subset(diff, list->child[i], whole))
            return true;
    return false;
}

/* Does every old way to authenticate still work? */
static bool keeps_all_alternatives(struct diff *diff, const struct alternatives *alternatives)
{
    const struct node *old = alternatives->old;
    if (is_open(old) || is_open(alternatives->new))
        return is_open(alternatives->new);
    for (size_t i = 0; i < node_count(old) && diff_step(diff); i++)
        if (node_is(old->child[i], NODE_OBJECT) && !alternatives->is_taken[i] &&
            !has_part_of(diff, alternatives->new, old->child[i]))
            return false;
    return true;
}

static bool is_requirement(const struct node *entry)
{
    return node_is(entry, NODE_OBJECT) && entry->count > 0;
}

static void compare_requirements(struct diff *diff, const struct node *old, const struct node *new,
                                 enum change_kind added, enum change_kind removed)
{
    scoped(alternatives_free) struct alternatives pair;
    pair_requirements(diff, old, new, &pair);
    bool is_harmless =
        keeps_all_alternatives(diff, &pair); /* an additional alternative breaks no caller */
    for (size_t i = 0; i < node_count(pair.new) && diff_step(diff); i++) {
        const struct node *entry = pair.new->child[i];
        if (is_requirement(entry) && pair.twin[i] > 0)
            compare_scopes(diff, pair.old->child[pair.twin[i] - 1], entry);
        else if (is_requirement(entry) && !is_harmless)
            diff_add(diff, added, entry, NULL, NULL);
    }
    for (size_t i = 0; i < node_count(pair.old) && diff_step(diff); i++)
        if (is_requirement(pair.old->child[i]) && !pair.is_taken[i])
            diff_add(diff, removed, pair.old->child[i], NULL, NULL);
}

void diff_security(struct diff *diff, const struct operation *old, const struct operation *new)
{
    const struct node *before = node_get(old->node, "security");
    const struct node *after = node_get(new->node, "security");
    if (!before && !after)
        return; /* global requirements are reported once */
    before = before ? before : node_get(root_of(&diff->old), "security");
    after = after ? after : node_get(root_of(&diff->new), "security");
    compare_requirements(diff, before, after, CHANGE_SECURITY_ADDED, CHANGE_SECURITY_REMOVED);
}

void diff_documents(struct diff *diff)
{
    diff_root_servers(diff);
    compare_schemes(diff);
    compare_named_schemas(diff);
    compare_requirements(diff, node_get(root_of(&diff->old), "security"),
                         node_get(root_of(&diff->new), "security"), CHANGE_GLOBAL_SECURITY_ADDED,
                         CHANGE_GLOBAL_SECURITY_REMOVED);
}
