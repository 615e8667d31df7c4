/*
 * svc-security/openapi-validate/document/read-yaml.c - build nodes from YAML, by the core schema of
 * YAML 1.2 (section 10.3): `no`, `on` and dates are strings. An alias copies its anchor's node, so
 * every node has one place, and an alias bomb reaches the node limit.
 */
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "builder.h"
#include "text/yaml-read.h"

/* Anchors in a balanced tree; a later anchor replaces one of the same name. */
struct anchor {
    const char *name;
    struct node *node;
};

struct yaml {
    struct builder *builder;
    struct yaml_reader *reader;
    void *anchors; /* tsearch() tree; the anchors belong to the document */
    bool has_document;
    bool has_merge[DOCUMENT_DEPTH_MAX + 1]; /* the open object at this depth has a << */
};

static void keep_anchor(void *anchor)
{
    (void)anchor; /* the arena frees it */
}

static void free_yaml(struct yaml *yaml)
{
    yaml_reader_free(&yaml->reader);
    tdestroy(yaml->anchors, keep_anchor);
}

static struct place place_of(const struct yaml_read_event *event)
{
    return (struct place){ event->line, event->column };
}

/* ---- scalars ---- */

struct scalar {
    enum node_kind kind;
    bool is_true;
    double number;
};

static const struct {
    const char *text;
    struct scalar scalar;
} words[] = {
    { "", { NODE_NULL } },           { "~", { NODE_NULL } },
    { "null", { NODE_NULL } },       { "Null", { NODE_NULL } },
    { "NULL", { NODE_NULL } },       { "true", { NODE_BOOL, true } },
    { "True", { NODE_BOOL, true } }, { "TRUE", { NODE_BOOL, true } },
    { "false", { NODE_BOOL } },      { "False", { NODE_BOOL } },
    { "FALSE", { NODE_BOOL } },
};

static size_t digit_span(const char *text, const char *characters)
{
    return strspn(text, characters);
}

/* [-+]? ( \.[0-9]+ | [0-9]+ ( \.[0-9]* )? ) ( [eE][-+]?[0-9]+ )? */
static bool is_decimal(const char *text)
{
    static const char digits[] = "0123456789";
    text += *text == '-' || *text == '+';
    size_t whole = digit_span(text, digits);
    text += whole;
    size_t fraction = 0;
    if (*text == '.') {
        fraction = digit_span(text + 1, digits);
        text += 1 + fraction;
    }
    if (whole + fraction == 0)
        return false;
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '-' || *text == '+';
        size_t exponent = digit_span(text, digits);
        if (exponent == 0)
            return false;
        text += exponent;
    }
    return *text == '\0';
}

static bool is_based(const char *text, const char *prefix, const char *digits)
{
    size_t size = strlen(prefix);
    return strncmp(text, prefix, size) == 0 && text[size] != '\0' &&
           text[size + digit_span(text + size, digits)] == '\0';
}

/* .inf and .nan of the core schema are not JSON values. */
static bool is_beyond_json(const char *text)
{
    static const char *const forms[] = { ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN" };
    bool has_sign = *text == '-' || *text == '+';
    for (size_t i = 0; i < countof(forms); i++)
        if (strcmp(text + has_sign, forms[i]) == 0)
            return !has_sign || i < 3;
    return false;
}

/* The text ends with NUL and contains none. */
static struct scalar resolve_plain(const char *text)
{
    for (size_t i = 0; i < countof(words); i++)
        if (strcmp(text, words[i].text) == 0)
            return words[i].scalar;
    if (is_decimal(text))
        return (struct scalar){ NODE_NUMBER, .number = strtod(text, NULL) };
    if (is_based(text, "0o", "01234567"))
        return (struct scalar){ NODE_NUMBER, .number = (double)strtoull(text + 2, NULL, 8) };
    if (is_based(text, "0x", "0123456789abcdefABCDEF"))
        return (struct scalar){ NODE_NUMBER, .number = (double)strtoull(text + 2, NULL, 16) };
    if (is_beyond_json(text))
        return (struct scalar){ NODE_NUMBER, .number = NAN };
    return (struct scalar){ NODE_STRING };
}

/* ---- tags ---- */

#define CORE "tag:yaml.org,2002:"

/* Does the tag make it a string? Other tags of the core schema, and types of YAML 1.1 without a
 * JSON equivalent, change nothing. All other tags are ignored with a warning. */
static bool is_tagged_string(struct yaml *yaml, const struct yaml_read_event *event)
{
    static const char *const texts[] = { CORE "str", "!", CORE "binary", CORE "timestamp" };
    static const char *const known[] = { CORE "map",  CORE "seq",   CORE "int",
                                         CORE "bool", CORE "float", CORE "null",
                                         CORE "set",  CORE "omap",  CORE "pairs" };
    if (!event->tag)
        return false;
    for (size_t i = 0; i < countof(texts); i++)
        if (strcmp(event->tag, texts[i]) == 0)
            return true;
    for (size_t i = 0; i < countof(known); i++)
        if (strcmp(event->tag, known[i]) == 0)
            return false;
    report_at(yaml->builder->findings, RULE_YAML_TAG, place_of(event),
              "The tag \"%s\" is not supported and is ignored.", quote(text_of(event->tag)).bytes);
    return false;
}

/* ---- nodes ---- */

static int by_anchor_name(const void *a, const void *b)
{
    const struct anchor *left = a;
    const struct anchor *right = b;
    return strcmp(left->name, right->name);
}

static void keep_node(struct yaml *yaml, const char *name, struct node *node)
{
    if (!name)
        return;
    struct arena *arena = &yaml->builder->document->arena;
    struct anchor *anchor = arena_get(arena, sizeof(*anchor));
    *anchor = (struct anchor){ arena_copy(arena, text_of(name)), node };
    struct anchor **kept = tsearch(anchor, &yaml->anchors, by_anchor_name);
    if (!kept)
        abort();
    (*kept)->node = node;
}

/* A key with an anchor may be repeated as a value, which is a string. */
static void keep_key(struct yaml *yaml, const char *name, struct text key)
{
    struct arena *arena = &yaml->builder->document->arena;
    if (!name)
        return;
    struct node *node = arena_get(arena, sizeof(*node));
    *node = (struct node){ .kind = NODE_STRING };
    node->text = (struct text){ arena_copy(arena, key), key.size };
    keep_node(yaml, name, node);
}

static bool is_key_next(const struct builder *builder)
{
    return builder->depth > 0 && builder->open[builder->depth - 1]->kind == NODE_OBJECT &&
           !builder->has_key;
}

static bool add_key(struct yaml *yaml, const struct yaml_read_event *event)
{
    struct builder *builder = yaml->builder;
    builder->is_merge_key = event->is_plain && !event->tag && text_is(event->text, "<<");
    yaml->has_merge[builder->depth] |= builder->is_merge_key;
    struct scalar scalar = { NODE_STRING };
    if (event->is_plain && !event->tag)
        scalar = resolve_plain(event->text.bytes);
    if (scalar.kind == NODE_NULL || scalar.kind == NODE_BOOL)
        report_at(builder->findings, RULE_KEY_NOT_STRING, place_of(event),
                  "The key %s is not a string; put it in quotes.",
                  event->text.size > 0 ? quote(event->text).bytes : "null");
    struct text key = event->text.size > 0 || !event->is_plain ? event->text : TEXT("null");
    keep_key(yaml, event->anchor, key);
    return builder_key(builder, key, place_of(event));
}

/* Convert to a JSON number: 0x1F and 0o17 become decimal. */
static void set_number(struct builder *builder, struct node *node, const struct scalar *scalar,
                       struct text text)
{
    bool is_based = text.size > 1 && (text.bytes[1] == 'x' || text.bytes[1] == 'o');
    node->number = scalar->number;
    if (!is_based)
        return;
    int base = text.bytes[1] == 'x' ? 16 : 8;
    scoped(mem_free) char *digits = str_format("%llu", strtoull(text.bytes + 2, NULL, base));
    node->text = text_of(arena_copy(&builder->document->arena, text_of(digits)));
}

static bool add_scalar(struct yaml *yaml, const struct yaml_read_event *event)
{
    struct builder *builder = yaml->builder;
    if (memchr(event->text.bytes, '\0', event->text.size))
        return builder_stop(builder, RULE_INVALID_YAML, place_of(event),
                            "a string contains U+0000");
    bool is_text = is_tagged_string(yaml, event);
    if (is_key_next(builder))
        return add_key(yaml, event);
    struct scalar scalar = { NODE_STRING };
    if (event->is_plain && !is_text)
        scalar = resolve_plain(event->text.bytes);
    struct node *node = builder_add(builder, scalar.kind, place_of(event));
    const char *copy = node ? builder_copy(builder, event->text, place_of(event)) : NULL;
    if (!copy)
        return false;
    node->is_true = scalar.is_true;
    if (scalar.kind == NODE_STRING || scalar.kind == NODE_NUMBER)
        node->text = (struct text){ copy, event->text.size };
    if (scalar.kind == NODE_NUMBER)
        set_number(builder, node, &scalar, event->text);
    if (isnan(scalar.number))
        report(builder->findings, RULE_NOT_A_JSON_NUMBER, node, "%s is not a JSON number.", copy);
    keep_node(yaml, event->anchor, node);
    return true;
}

static bool is_scalar(const struct node *node)
{
    return node->kind != NODE_LIST && node->kind != NODE_OBJECT;
}

/* A scalar as a member name. */
static struct text key_of(const struct node *node)
{
    if (node->kind == NODE_BOOL)
        return node->is_true ? TEXT("true") : TEXT("false");
    return node->kind == NODE_NULL ? TEXT("null") : node->text;
}

static bool add_alias(struct yaml *yaml, const struct yaml_read_event *event)
{
    struct builder *builder = yaml->builder;
    struct anchor wanted = { .name = event->text.bytes };
    struct anchor **found = tfind(&wanted, &yaml->anchors, by_anchor_name);
    if (is_key_next(builder) && found && is_scalar((*found)->node))
        return builder_key(builder, key_of((*found)->node), place_of(event));
    if (is_key_next(builder))
        return builder_stop(builder, RULE_INVALID_YAML, place_of(event),
                            "an alias used as a key must refer to an earlier scalar");
    if (found && !(*found)->node->is_open)
        return builder_add_copy(builder, (*found)->node, place_of(event));
    report_at(builder->findings, found ? RULE_CYCLIC_ALIAS : RULE_UNDEFINED_ALIAS, place_of(event),
              found ? "The alias *%s refers to a value that contains it."
                    : "The alias *%s has no anchor before it.",
              quote(event->text).bytes);
    return builder_add(builder, NODE_NULL, place_of(event)) != NULL;
}

static bool open_container(struct yaml *yaml, const struct yaml_read_event *event)
{
    struct builder *builder = yaml->builder;
    if (is_key_next(builder))
        return builder_stop(builder, RULE_INVALID_YAML, place_of(event),
                            "a key must be a string, not a list or a map");
    is_tagged_string(yaml, event);
    enum node_kind kind = event->kind == YAML_MAP_OPEN ? NODE_OBJECT : NODE_LIST;
    struct node *node = builder_add(builder, kind, place_of(event));
    if (!node)
        return false;
    yaml->has_merge[builder->depth] = false;
    keep_node(yaml, event->anchor, node);
    return true;
}

/* ---- the merge key of YAML 1.1 ---- */

static void push_merged(struct builder *builder, struct node *object, const struct node *source)
{
    for (size_t i = 0; i < source->count; i++) {
        struct node *member = source->child[i];
        member->parent = object;
        member->merge = MERGED;
        builder_push(builder, member);
    }
}

/* Push the members that << merges. The first of several sources takes precedence, so push it
 * last. */
static void push_sources(struct builder *builder, struct node *object, const struct node *value)
{
    if (value->kind == NODE_OBJECT)
        push_merged(builder, object, value);
    for (size_t i = value->kind == NODE_LIST ? value->count : 0; i > 0; i--)
        if (value->child[i - 1]->kind == NODE_OBJECT)
            push_merged(builder, object, value->child[i - 1]);
}

/* Put merged members before the object's own ones: the last of a name applies. */
static void merge_members(struct builder *builder)
{
    struct node *object = builder->open[builder->depth - 1];
    size_t first = builder->first_child[builder->depth - 1];
    size_t count = builder->child_count - first;
    scoped(mem_free) struct node **own = mem_array(count + 1, sizeof(struct node *));
    memcpy(own, builder->children + first, count * sizeof(struct node *));
    builder->child_count = first;
    for (size_t i = 0; i < count; i++) {
        if (own[i]->merge != MERGE_SOURCE)
            continue;
        flag(builder->findings, RULE_MERGE_KEY, own[i]);
        push_sources(builder, object, own[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (own[i]->merge != MERGE_SOURCE)
            builder_push(builder, own[i]);
}

static void close_container(struct yaml *yaml)
{
    struct builder *builder = yaml->builder;
    if (yaml->has_merge[builder->depth])
        merge_members(builder);
    builder_close(builder);
}

/* ---- the whole text ---- */

static bool start_document(struct yaml *yaml, const struct yaml_read_event *event)
{
    if (yaml->has_document)
        report_at(yaml->builder->findings, RULE_SEVERAL_DOCUMENTS, place_of(event),
                  "A second YAML document begins here; only the first is read.");
    bool is_first = !yaml->has_document;
    yaml->has_document = true;
    return is_first;
}

static bool add_event(struct yaml *yaml, const struct yaml_read_event *event)
{
    switch (event->kind) {
    case YAML_SCALAR:
        return add_scalar(yaml, event);
    case YAML_ALIAS:
        return add_alias(yaml, event);
    case YAML_LIST_OPEN:
    case YAML_MAP_OPEN:
        return open_container(yaml, event);
    case YAML_LIST_CLOSE:
    case YAML_MAP_CLOSE:
        close_container(yaml);
        return true;
    case YAML_DOCUMENT:
    case YAML_END:
        break;
    }
    return true;
}

bool read_yaml(struct builder *builder, struct text input)
{
    scoped(free_yaml) struct yaml yaml = { .builder = builder, .reader = yaml_reader_new(input) };
    for (;;) {
        struct yaml_read_event event;
        if (!yaml_read(yaml.reader, &event)) {
            struct place place;
            const char *why = yaml_refused(yaml.reader, &place.line, &place.column);
            return builder_stop(builder, RULE_INVALID_YAML, place, why);
        }
        if (event.kind == YAML_END)
            return true;
        if (event.kind == YAML_DOCUMENT && !start_document(&yaml, &event))
            return true;
        if (!add_event(&yaml, &event))
            return false;
    }
}
