/* svc-security/openapi-validate/document/library.c - documents by URL. */
#include "library.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

struct library *library_new(struct target *target)
{
    struct library *library = mem_new(sizeof(*library));
    library->count = 1;
    library->joins_left = LIBRARY_JOINS_MAX;
    library->entry[0].target = *target;
    *target = (struct target){ 0 };
    return library;
}

void library_free(struct library **library)
{
    if (!*library)
        return;
    for (size_t i = 0; i < (*library)->count; i++) {
        document_free(&(*library)->entry[i].document);
        target_free(&(*library)->entry[i].target);
    }
    mem_free(library);
}

/* ---- places ---- */

static struct text own_name(const struct library *library, const struct node *node)
{
    struct text self = node->parent ? TEXT("") : node_text_at(node, "$self");
    if (!library->has_ids)
        return TEXT("");
    return self.size > 0 ? self : node_text_at(node, "$id");
}

/* Resolve a reference of a node: relative to the nearest $id or $self around it, which may be
 * relative too (RFC 3986 section 5.1), otherwise to the document's URL. */
static bool resolve_uri(const struct library *library, const struct node *from,
                        struct text reference, struct target *out)
{
    scoped(target_free) struct target base = { 0 };
    while (from->parent && own_name(library, from).size == 0)
        from = from->parent;
    struct text name = own_name(library, from);
    const struct target *place = &library->entry[node_document(from)].target;
    if (name.size == 0)
        return target_join(place, reference, out, NULL);
    bool has_base = from->parent ? resolve_uri(library, from->parent, name, &base)
                                 : target_join(place, name, &base, NULL);
    return has_base && target_join(&base, reference, out, NULL);
}

static struct library_entry *find_place(struct library *library, const struct target *target)
{
    for (size_t i = 0; i < library->count; i++)
        if (strcmp(library->entry[i].target.url, target->url) == 0)
            return &library->entry[i];
    return NULL;
}

static void add_place(struct library *library, const struct node *from, struct text uri)
{
    scoped(target_free) struct target target = { 0 };
    if (library->joins_left == 0 || library->count == LIBRARY_MAX)
        return;
    library->joins_left--;
    bool is_wanted = resolve_uri(library, from, uri, &target) &&
                     target_same_origin(&library->entry[0].target, &target) &&
                     !find_place(library, &target);
    if (!is_wanted)
        return;
    library->entry[library->count++].target = target;
    target = (struct target){ 0 };
}

static void want_uri(struct library *library, const struct node *from, struct text uri)
{
    if (uri.size > 0 && uri.bytes[0] != '#')
        add_place(library, from, uri);
}

static bool is_name(struct text text)
{
    return !memchr(text.bytes, '/', text.size) && !memchr(text.bytes, '#', text.size);
}

/* A value that could be a schema's name is one: "Dog" and "dog.yaml", but not "./dog.yaml". */
static void want_mapping(struct library *library, const struct node *schema)
{
    const struct node *discriminator = node_get(schema, "discriminator");
    const struct node *mapping = node_get(discriminator, "mapping");
    struct text other = node_text_at(discriminator, "defaultMapping");
    for (size_t i = 0; node_is(mapping, NODE_OBJECT) && i < mapping->count; i++) {
        struct text to = node_text(mapping->child[i]);
        if (!is_name(to))
            want_uri(library, schema, to);
    }
    if (!is_name(other))
        want_uri(library, schema, other);
}

static void want_references(struct library *library,
                            const struct node *node) /* recursion is limited by the
                                                      * document's depth */
{
    want_uri(library, node, node_text_at(node, "$ref"));
    want_uri(library, node, node_text_at(node, "operationRef"));
    want_mapping(library, node);
    for (size_t i = 0; i < node_count(node); i++)
        want_references(library, node->child[i]);
}

void library_want(struct library *library, const struct node *root)
{
    if (library->entry[0].target.url)
        want_references(library, root);
}

void library_set_missing(struct library_entry *entry, bool is_missing, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(entry->why, sizeof(entry->why), format, arguments);
    va_end(arguments);
    entry->is_missing = is_missing;
    entry->text = TEXT("");
}

/* ---- reading ---- */

bool library_peek(const struct library *library, size_t number, struct document *document)
{
    scoped(findings_free) struct findings *unheard = findings_new();
    unheard->document = (uint32_t)number;
    return document_read(document, library->entry[number].text, unheard);
}

void library_read(struct library *library, struct findings *findings)
{
    size_t nodes = library->entry[0].document.node_count;
    for (size_t i = 1; i < library->count; i++) {
        struct library_entry *entry = &library->entry[i];
        if (entry->why[0])
            continue;
        findings->document = (uint32_t)i;
        entry->document.nodes_before = nodes;
        if (!document_read(&entry->document, entry->text, findings))
            library_set_missing(entry, false, "it cannot be parsed");
        nodes += entry->document.node_count;
    }
    findings->document = 0;
}

/* ---- finding ---- */

static struct resolution no_document(const char *why)
{
    return (struct resolution){ .why = why };
}

struct resolution library_find(struct library *library, const struct node *from, struct text uri)
{
    scoped(target_free) struct target target = { 0 };
    if (!library->entry[0].target.url)
        return no_document("its base URL is unknown; set url");
    if (library->joins_left == 0)
        return no_document("the document has too many references");
    library->joins_left--;
    if (!resolve_uri(library, from, uri, &target))
        return no_document("its URL is not an http or https URL");
    if (!target_same_origin(&library->entry[0].target, &target))
        return no_document("its scheme, host or port differs from url");
    const struct library_entry *entry = find_place(library, &target);
    if (!entry)
        return no_document("the limit of 20 documents is reached");
    if (entry->document.root)
        return (struct resolution){ .root = entry->document.root };
    return (struct resolution){ .why = entry->why, .is_missing = entry->is_missing };
}
