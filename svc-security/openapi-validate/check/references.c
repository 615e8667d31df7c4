/*
 * svc-security/openapi-validate/check/references.c - resolve each $ref. Fetches nothing: a
 * reference into a document that is not available matches anything.
 */
#include "references.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "values.h"
#include "visit.h"

/* ---- names of schemas within the document: $id, $anchor, $dynamicAnchor (3.1 and later) ---- */

struct anchor {
    struct text name;
    const struct node *resource; /* the enclosing schema with an $id, or the root */
    struct node *node;
};

struct anchors {
    struct anchor *item; /* sorted */
    size_t count;
};

static void free_anchors(struct anchors *anchors)
{
    mem_free(&anchors->item);
}

static struct node *root_around(const struct check *check, const struct node *node)
{
    uint32_t number = node_document(node);
    return number == 0 ? check->document->root : check->library->entry[number].document.root;
}

/* The base of "#…" within a node: the nearest enclosing schema with an $id, or the root. */
static const struct node *resource_of(const struct check *check, const struct node *node)
{
    if (!(check->version & V31_UP))
        return root_around(check, node);
    while (node->parent && !(node->type == TYPE_SCHEMA && node_get(node, "$id")))
        node = node->parent;
    return node;
}

static int by_name(const void *a, const void *b)
{
    const struct anchor *left = a;
    const struct anchor *right = b;
    int order = text_order(left->name, right->name);
    return order != 0 ? order : number_order((uintptr_t)left->resource, (uintptr_t)right->resource);
}

static void add_anchor(const struct check *check, struct anchors *anchors, struct node *node,
                       const char *keyword)
{
    struct text name = node_text_at(node, keyword);
    if (name.size == 0)
        return;
    /* an $id applies to the whole document, an anchor to its resource */
    const struct node *resource = *(keyword + 1) == 'i' ? NULL : resource_of(check, node);
    anchors->item[anchors->count++] = (struct anchor){ name, resource, node };
}

static void collect_anchors(const struct check *check, struct anchors *anchors)
{
    static const char *const keywords[] = { "$id", "$anchor", "$dynamicAnchor" };
    if (!(check->version & V31_UP))
        return;
    anchors->item = mem_array(countof(keywords) * check->visit_count + 1, sizeof(*anchors->item));
    for (size_t i = 0; i < check->visit_count; i++)
        for (size_t k = 0; check->visits[i]->type == TYPE_SCHEMA && k < countof(keywords); k++)
            add_anchor(check, anchors, check->visits[i], keywords[k]);
    qsort(anchors->item, anchors->count, sizeof(*anchors->item), by_name);
}

static struct node *find_anchor(const struct anchors *anchors, struct text name,
                                const struct node *resource)
{
    struct anchor wanted = { .name = name, .resource = resource };
    struct anchor *found = NULL;
    if (anchors->count > 0)
        found = bsearch(&wanted, anchors->item, anchors->count, sizeof(wanted), by_name);
    return found ? found->node : NULL;
}

/* ---- pointers ---- */

/* One segment of a pointer: percent-decoded, then ~1 and ~0 (RFC 6901 sections 4 and 6). */
static struct text unescape_segment(struct text part, struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i < part.size; i++) {
        char byte = part.bytes[i];
        bool is_escape = byte == '%' && i + 2 < part.size && hex_digit(part.bytes[i + 1]) >= 0 &&
                         hex_digit(part.bytes[i + 2]) >= 0;
        if (is_escape) {
            byte = (char)(hex_digit(part.bytes[i + 1]) << 4 | hex_digit(part.bytes[i + 2]));
            i += 2;
        }
        bool is_tilde = out->size > 0 && out->bytes[out->size - 1] == '~';
        if (is_tilde && (byte == '0' || byte == '1'))
            out->bytes[out->size - 1] = byte == '0' ? '\x01' : '/';
        else
            buf_add_byte(out, byte);
    }
    for (size_t i = 0; i < out->size; i++)
        if (out->bytes[i] == '\x01')
            out->bytes[i] = '~';
    return buf_text(out);
}

/* The pointer must begin with a slash. */
static struct node *follow_pointer(const struct node *from, struct text pointer)
{
    scoped(buf_free) struct buf part = BUF(SCALAR_BYTES_MAX);
    struct node *node = NULL;
    while (from && pointer.size > 0) {
        const char *end = memchr(pointer.bytes + 1, '/', pointer.size - 1);
        size_t size = end ? (size_t)(end - pointer.bytes) : pointer.size;
        node =
            node_child(from, unescape_segment((struct text){ pointer.bytes + 1, size - 1 }, &part));
        from = node;
        pointer = (struct text){ pointer.bytes + size, pointer.size - size };
    }
    return node;
}

/* ---- URIs ---- */

/* Anchors are collected only in the first document, so search another one. */
static struct node *find_named(struct check *check, struct node *node, struct text name)
{
    bool is_found = text_order(node_text_at(node, "$anchor"), name) == 0 ||
                    text_order(node_text_at(node, "$dynamicAnchor"), name) == 0;
    struct node *found = NULL;
    if (is_found)
        return node;
    for (size_t i = 0; !found && i < node_count(node) && check_step(check, 1); i++)
        found = find_named(check, node->child[i], name); /* recursion is limited by the document's
                                                          * depth */
    return found;
}

/* The same node, writable. */
static struct node *writable_node(const struct check *check, const struct node *node)
{
    return node->parent ? node->parent->child[node->index] : root_around(check, node);
}

/* The node of a fragment in a resource. */
static struct node *find_fragment(struct check *check, const struct anchors *anchors,
                                  const struct node *resource, struct text fragment)
{
    if (fragment.size == 0)
        return writable_node(check, resource);
    if (fragment.bytes[0] == '/')
        return follow_pointer(resource, fragment);
    return node_document(resource) == 0
               ? find_anchor(anchors, fragment, resource)
               : find_named(check, writable_node(check, resource), fragment);
}

/* The node of a URI, in this document or in the library (which may be NULL). If it is in a document
 * that is not available, lead->why has the reason. */
static struct node *locate_node(struct check *check, const struct anchors *anchors,
                                struct library *library, const struct node *from, struct text uri,
                                struct resolution *lead)
{
    const char *hash = memchr(uri.bytes, '#', uri.size);
    struct text base = { uri.bytes, hash ? (size_t)(hash - uri.bytes) : uri.size };
    struct text fragment = hash ? (struct text){ hash + 1, uri.size - base.size - 1 } : TEXT("");
    struct node *root = check->document->root;
    const struct node *resource = resource_of(check, from);
    *lead = (struct resolution){ 0 };
    if (base.size > 0) {
        bool is_self = text_order(base, node_text_at(root, "$self")) == 0;
        resource = is_self ? root : find_anchor(anchors, base, NULL);
        if (!resource && library)
            *lead = library_find(library, from, base);
        else if (!resource)
            lead->why = "";
        resource = resource ? resource : lead->root;
    }
    return resource ? find_fragment(check, anchors, resource, fragment) : NULL;
}

struct node *locate(struct check *check, const struct node *from, struct text uri,
                    struct resolution *lead)
{
    static const struct anchors none;
    return locate_node(check, &none, check->library, from, uri, lead);
}

/* ---- one reference ---- */

/* Also marks all ancestors: an object used in part is used. */
static void mark_used(struct node *node)
{
    for (const struct node *at = node; at && !at->is_used; at = at->parent) {
        struct node *writable = at->parent ? at->parent->child[at->index] : node;
        writable->is_used = true;
    }
}

void report_not_fetched(struct check *check, const struct node *ref, const struct resolution *lead)
{
    report(check->findings, RULE_REF_NOT_FETCHED, ref,
           "The document of \"%s\" could not be fetched: %s.", quote(ref->text).bytes, lead->why);
}

static struct node *report_unresolved(struct check *check, const struct node *ref,
                                      const struct resolution *lead)
{
    struct quote uri = quote(ref->text);
    check->external_refs += lead->why != NULL;
    if (!lead->why)
        flag_text(check->findings, RULE_UNRESOLVED_REF, ref, ref->text);
    else if (!is_uri_reference(ref->text))
        report(check->findings, RULE_REF_FORMAT, ref,
               "A $ref must be a URL or a relative reference.");
    else if (lead->is_missing)
        report_not_fetched(check, ref, lead);
    else
        report(check->findings, RULE_EXTERNAL_REF, ref,
               "The document of \"%s\" is not read%s%s; the reference is not checked.", uri.bytes,
               *lead->why ? ": " : "", lead->why);
    return NULL;
}

static struct node *target_of(struct check *check, const struct anchors *anchors,
                              const struct node *node, const char *keyword)
{
    const struct node *ref = node_get(node, keyword);
    struct resolution lead;
    if (!node_is(ref, NODE_STRING)) {
        report(check->findings, RULE_REF_FORMAT, ref, "A $ref must be a string.");
        return NULL;
    }
    check->refs++;
    struct node *target = locate_node(check, anchors, check->library, node, ref->text, &lead);
    if (!target)
        return report_unresolved(check, ref, &lead);
    mark_used(target);
    if (target->type == TYPE_NOTHING)
        visit_node(check, target, (enum type)node->type);
    bool is_alike = target->type == node->type;
    if (!is_alike)
        report(check->findings, RULE_REF_WRONG_KIND, ref,
               "\"%s\" must point to an object of type %s.", quote(ref->text).bytes,
               object_type((enum type)node->type)->label);
    return is_alike ? target : NULL;
}

/* A mapping into another document has its schema checked, like a $ref. */
static void resolve_mapping_entry(struct check *check, const struct anchors *anchors,
                                  const struct node *entry)
{
    const struct node *schemas = node_get(node_get(check->document->root, "components"), "schemas");
    struct resolution lead;
    struct text to = node_text(entry);
    if (to.size == 0 || node_member(schemas, to))
        return;
    struct node *schema = locate_node(check, anchors, check->library, entry, to, &lead);
    if (schema && node_document(schema) > 0 && schema->type == TYPE_NOTHING)
        visit_node(check, schema, TYPE_SCHEMA);
    else if (lead.is_missing)
        report_not_fetched(check, entry, &lead);
}

static void resolve_mapping(struct check *check, const struct anchors *anchors,
                            const struct node *discriminator)
{
    const struct node *mapping = node_get(discriminator, "mapping");
    for (size_t i = 0; node_is(mapping, NODE_OBJECT) && i < mapping->count; i++)
        resolve_mapping_entry(check, anchors, mapping->child[i]);
    resolve_mapping_entry(check, anchors, node_get(discriminator, "defaultMapping"));
}

static void mark_schema_used(struct check *check, const struct node *at, struct text to)
{
    const struct node *schemas = node_get(node_get(check->document->root, "components"), "schemas");
    struct resolution lead;
    struct node *schema = node_member(schemas, to);
    mark_used(schema ? schema : locate(check, at, to, &lead));
}

/* A discriminator mapping names schemas or references them. */
static void mark_mapping_used(struct check *check, const struct node *discriminator)
{
    const struct node *mapping = node_get(discriminator, "mapping");
    const struct node *other = node_get(discriminator, "defaultMapping");
    for (size_t i = 0; node_is(mapping, NODE_OBJECT) && i < mapping->count; i++)
        mark_schema_used(check, mapping, node_text(mapping->child[i]));
    if (node_is(other, NODE_STRING))
        mark_schema_used(check, other, other->text);
}

/* Without a mapping, the schemas that extend one with a discriminator are used by name. */
static void mark_subtypes_used(struct node *schema)
{
    const struct node *parts = node_get(schema, "allOf");
    for (size_t i = 0; node_is(parts, NODE_LIST) && i < parts->count; i++)
        if (node_get(deref(parts->child[i]), "discriminator"))
            mark_used(schema);
}

static void find_target(struct check *check, const struct anchors *anchors, struct node *node)
{
    enum type type = (enum type)node->type;
    if (node->kind != NODE_OBJECT)
        return;
    if (is_reference_of(check, node, type))
        node->target = target_of(check, anchors, node, "$ref");
    if (type == TYPE_DISCRIMINATOR && check->library)
        resolve_mapping(check, anchors, node);
    if (type == TYPE_SCHEMA && check->version & V31_UP && node_get(node, "$dynamicRef"))
        (void)target_of(check, anchors, node, "$dynamicRef");
}

/* ---- chains ---- */

enum { NEW, ON_THE_WAY, ACYCLIC, SHORT };

/* Each reference is followed once: those of earlier searches are ACYCLIC. */
static void break_cycle(struct check *check, struct node *start)
{
    struct node *node = start;
    while (node && node->target && node->mark == NEW) {
        node->mark = ON_THE_WAY;
        node = node->target;
    }
    bool is_cycle = node && node->mark == ON_THE_WAY;
    for (struct node *seen = start; seen && seen->mark == ON_THE_WAY; seen = seen->target)
        seen->mark = ACYCLIC;
    if (!is_cycle)
        return;
    flag(check->findings, RULE_REF_CYCLE, node);
    node->target = NULL;
}

/* Set the target of all pure references of a chain to its end. */
static void shorten_chain(struct node *start)
{
    struct node *end = start;
    while (end && end->is_reference)
        end = end->target; /* the end of a chain that is already SHORT */
    for (struct node *node = start; node && node->is_reference && node->mark != SHORT;) {
        struct node *next = node->target;
        node->mark = SHORT;
        node->target = end;
        node = next;
    }
}

bool check_references(struct check *check)
{
    scoped(free_anchors) struct anchors anchors = { 0 };
    check_begin(check);
    if (!visit_document(check))
        return false;
    collect_anchors(check, &anchors);
    for (size_t i = 0; i < check->visit_count; i++) /* the list grows by targets without another
                                                     * visit */
        find_target(check, &anchors, check->visits[i]);
    for (size_t i = 0; i < check->visit_count; i++)
        if (check->visits[i]->target)
            break_cycle(check, check->visits[i]);
    for (size_t i = 0; i < check->visit_count; i++)
        shorten_chain(check->visits[i]);
    for (size_t i = 0; i < check->visit_count; i++) {
        if (check->visits[i]->type == TYPE_DISCRIMINATOR)
            mark_mapping_used(check, check->visits[i]);
        if (check->visits[i]->type == TYPE_SCHEMA)
            mark_subtypes_used(check->visits[i]);
    }
    return true;
}
