/* common/text/yaml.c - converts YAML events to a JSON tree. */
#include "text/yaml.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/file.h"
#include "text/json.h"
#include "text/names.h"
#include "text/yaml-read.h"

enum { FILE_MAX_BYTES = 4 << 20 };

struct builder {
    struct yaml_reader *reader;
    bool has_document;
    cJSON *root;
    struct {
        cJSON *node;
        uint32_t first_name; /* names.count when it was opened */
    } open[JSON_DEPTH];
    unsigned depth;
    struct names names; /* keys of the open mappings; the nodes own their bytes */
    char *key;          /* read, and waits for its value */
    struct mark {
        size_t line, column;
    } key_mark;
};

static bool fail_at(struct err *err, struct mark at, const char *why)
{
    return err_set(err, ERR_INVALID_VALUE, "line %zu, column %zu: %s", at.line, at.column, why);
}

static struct mark mark_of(const struct yaml_read_event *event)
{
    return (struct mark){ event->line, event->column };
}

static cJSON *parent_of_next(const struct builder *builder)
{
    return builder->depth ? builder->open[builder->depth - 1].node : NULL;
}

static bool is_key_next(const struct builder *builder)
{
    return cJSON_IsObject(parent_of_next(builder)) && !builder->key;
}

/* ---- scalars ---- */

/* NULL if a plain scalar is not a number that a double can hold. */
static cJSON *number_of(struct text scalar)
{
    bool is_negative = scalar.size > 0 && scalar.bytes[0] == '-';
    struct text digits = { scalar.bytes + is_negative, scalar.size - is_negative };
    bool is_whole = strspn(digits.bytes, "0123456789") == digits.size;
    int64_t whole;
    if (digits.size == 0 || digits.bytes[0] < '0' || digits.bytes[0] > '9')
        return NULL;
    if (is_whole && !num_parse(digits, JSON_INTEGER_MAX, &whole))
        return NULL;
    cJSON *number = NULL;
    if (json_parse(scalar, 0, &number, NULL) && !isfinite(number->valuedouble))
        json_free(&number);
    return number;
}

static cJSON *word_of(struct text scalar)
{
    static const struct {
        const char *word;
        cJSON *(*make)(void);
    } words[] = {
        { "", cJSON_CreateNull },       { "~", cJSON_CreateNull },
        { "null", cJSON_CreateNull },   { "Null", cJSON_CreateNull },
        { "NULL", cJSON_CreateNull },   { "true", cJSON_CreateTrue },
        { "True", cJSON_CreateTrue },   { "TRUE", cJSON_CreateTrue },
        { "false", cJSON_CreateFalse }, { "False", cJSON_CreateFalse },
        { "FALSE", cJSON_CreateFalse },
    };
    for (size_t i = 0; i < countof(words); i++)
        if (text_is(scalar, words[i].word))
            return words[i].make();
    return NULL;
}

static cJSON *scalar_of(const struct yaml_read_event *event)
{
    cJSON *node = event->is_plain ? word_of(event->text) : NULL;
    if (!node && event->is_plain)
        node = number_of(event->text);
    return node ? node : json_new_text(event->text);
}

/* ---- nodes ---- */

/* Add a node, which is taken over, at the current position. */
static bool place_node(struct builder *builder, cJSON *node, struct err *err)
{
    cJSON *parent = parent_of_next(builder);
    if (!parent) {
        builder->root = node;
        return true;
    }
    if (cJSON_IsArray(parent)) {
        json_item_add(parent, node);
        return true;
    }
    json_add(parent, builder->key, node);
    mem_free(&builder->key);
    uint32_t first_name = builder->open[builder->depth - 1].first_name;
    if (!names_add(&builder->names, first_name, text_of(node->string)))
        return fail_at(err, builder->key_mark, "the key occurs twice in its mapping");
    return true;
}

static bool add_key(struct builder *builder, const struct yaml_read_event *event, struct err *err)
{
    if (memchr(event->text.bytes, '\0', event->text.size))
        return fail_at(err, mark_of(event), "a key must not contain U+0000");
    builder->key = mem_dup(event->text.bytes, event->text.size);
    builder->key_mark = mark_of(event);
    return true;
}

static bool add_scalar(struct builder *builder, const struct yaml_read_event *event,
                       struct err *err)
{
    if (is_key_next(builder))
        return add_key(builder, event, err);
    return place_node(builder, scalar_of(event), err);
}

static bool open_container(struct builder *builder, const struct yaml_read_event *event,
                           struct err *err)
{
    if (is_key_next(builder))
        return fail_at(err, mark_of(event), "a key must be a scalar");
    if (builder->depth == JSON_DEPTH)
        return err_set(err, ERR_INVALID_VALUE, "line %zu, column %zu: nested deeper than %d",
                       event->line, event->column, JSON_DEPTH);
    cJSON *node = event->kind == YAML_MAP_OPEN ? json_object() : json_array();
    if (!place_node(builder, node, err))
        return false;
    builder->open[builder->depth].node = node;
    builder->open[builder->depth].first_name = builder->names.count;
    builder->depth++;
    return true;
}

static void close_container(struct builder *builder)
{
    builder->depth--;
    names_drop(&builder->names, builder->open[builder->depth].first_name);
}

static bool start_document(struct builder *builder, const struct yaml_read_event *event,
                           struct err *err)
{
    if (builder->has_document)
        return fail_at(err, mark_of(event), "a second document");
    builder->has_document = true;
    return true;
}

/* ---- events ---- */

static bool add_event(struct builder *builder, const struct yaml_read_event *event, struct err *err)
{
    /* they would make a document larger, or change its meaning */
    if (event->anchor || event->tag || event->kind == YAML_ALIAS)
        return fail_at(err, mark_of(event), "tags, anchors and aliases are not allowed");
    switch (event->kind) {
    case YAML_DOCUMENT:
        return start_document(builder, event, err);
    case YAML_SCALAR:
        return add_scalar(builder, event, err);
    case YAML_LIST_OPEN:
    case YAML_MAP_OPEN:
        return open_container(builder, event, err);
    case YAML_LIST_CLOSE:
    case YAML_MAP_CLOSE:
        close_container(builder);
        return true;
    case YAML_END:
    case YAML_ALIAS:
        break;
    }
    return true;
}

static bool build_tree(struct builder *builder, struct err *err)
{
    struct yaml_read_event event;
    struct mark at;
    do {
        if (!yaml_read(builder->reader, &event)) {
            const char *why = yaml_refused(builder->reader, &at.line, &at.column);
            return fail_at(err, at, why);
        }
        if (!add_event(builder, &event, err))
            return false;
    } while (event.kind != YAML_END);
    return true;
}

static void free_builder(struct builder *builder)
{
    yaml_reader_free(&builder->reader);
    names_free(&builder->names);
    mem_free(&builder->key);
    json_free(&builder->root);
}

bool yaml_parse(struct text input, cJSON **tree, struct err *err)
{
    scoped(free_builder) struct builder builder = { .reader = yaml_reader_new(input) };
    if (!build_tree(&builder, err))
        return false;
    *tree = builder.root ? take(builder.root) : cJSON_CreateNull();
    return true;
}

bool yaml_load(const char *path, cJSON **tree, struct err *err)
{
    scoped(buf_free) struct buf content = BUF(FILE_MAX_BYTES);
    struct err inner = { 0 };
    if (!file_read(path, &content, err))
        return false;
    if (!yaml_parse(buf_text(&content), tree, &inner))
        return err_set(err, inner.kind, "%s: %s", path, inner.message);
    return true;
}

/* Count the scalars and containers before a node and its key, in document order. */
static bool count_ahead(const cJSON *tree, const cJSON *node, size_t *count)
{
    const cJSON *child;
    if (tree == node)
        return true;
    *count += tree->string ? 2 : 1; /* with its key */
    cJSON_ArrayForEach(child, tree)
        if (count_ahead(child, node, count))
            return true;
    return false;
}

size_t yaml_line(const char *path, const cJSON *tree, const cJSON *node)
{
    scoped(buf_free) struct buf content = BUF(FILE_MAX_BYTES);
    struct yaml_read_event event;
    size_t ahead = 0;
    if (!count_ahead(tree, node, &ahead) || !file_read(path, &content, NULL))
        return 0;
    scoped(yaml_reader_free) struct yaml_reader *reader = yaml_reader_new(buf_text(&content));
    while (yaml_read(reader, &event) && event.kind != YAML_END) {
        bool is_node = event.kind == YAML_SCALAR || event.kind == YAML_LIST_OPEN ||
                       event.kind == YAML_MAP_OPEN;
        if (is_node && ahead-- == 0)
            return event.line;
    }
    return 0;
}
