/* common/text/yaml.c - libyaml's events to a JSON tree. */
#include "text/yaml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "text/json.h"
#include "text/names.h"

enum { FILE_MAX_BYTES = 4 << 20 };

struct builder {
    struct text input;
    yaml_parser_t parser;
    bool has_document;
    cJSON *root;
    struct {
        cJSON *node;
        uint32_t first_name; /* names.count when it was opened */
    } open[JSON_DEPTH];
    unsigned depth;
    struct names names; /* keys of the open mappings; their bytes are the nodes' */
    char *key;          /* read, and waits for its value */
    yaml_mark_t key_mark;
};

static const char forbidden[] = "tags, anchors and aliases are not allowed";

static bool refuse(struct err *err, yaml_mark_t at, const char *why)
{
    return err_set(err, ERR_INVALID_VALUE, "line %zu, column %zu: %s", at.line + 1, at.column + 1,
                   why);
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

/* NULL when a plain scalar is not a number that a double holds. */
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

static struct text text_of_scalar(const yaml_event_t *event)
{
    return (struct text){ (const char *)event->data.scalar.value, event->data.scalar.length };
}

static cJSON *scalar_of(const yaml_event_t *event)
{
    struct text scalar = text_of_scalar(event);
    cJSON *node = NULL;
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        node = word_of(scalar);
    if (!node && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        node = number_of(scalar);
    return node ? node : json_new_text(scalar);
}

/* ---- nodes in their places ---- */

/* Put a node, which is taken over, where the document has it. */
static bool place(struct builder *builder, cJSON *node, struct err *err)
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
        return refuse(err, builder->key_mark, "the key occurs twice in its mapping");
    return true;
}

static bool add_key(struct builder *builder, const yaml_event_t *event, struct err *err)
{
    struct text key = text_of_scalar(event);
    if (memchr(key.bytes, '\0', key.size))
        return refuse(err, event->start_mark, "a key may not hold U+0000");
    builder->key = mem_dup(key.bytes, key.size);
    builder->key_mark = event->start_mark;
    return true;
}

static bool add_scalar(struct builder *builder, const yaml_event_t *event, struct err *err)
{
    if (is_key_next(builder))
        return add_key(builder, event, err);
    return place(builder, scalar_of(event), err);
}

static bool open_container(struct builder *builder, const yaml_event_t *event, struct err *err)
{
    if (is_key_next(builder))
        return refuse(err, event->start_mark, "a key must be a scalar");
    if (builder->depth == JSON_DEPTH)
        return err_set(err, ERR_INVALID_VALUE, "line %zu, column %zu: nested deeper than %d",
                       event->start_mark.line + 1, event->start_mark.column + 1, JSON_DEPTH);
    cJSON *node = event->type == YAML_MAPPING_START_EVENT ? json_object() : json_array();
    if (!place(builder, node, err))
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

static bool start_document(struct builder *builder, const yaml_event_t *event, struct err *err)
{
    if (builder->has_document)
        return refuse(err, event->start_mark, "a second document");
    builder->has_document = true;
    return true;
}

/* ---- events ---- */

/* Does it use what would make a document larger, or mean more, than it looks? */
static bool is_forbidden(const yaml_event_t *event)
{
    if (event->type == YAML_SCALAR_EVENT)
        return event->data.scalar.anchor || event->data.scalar.tag;
    if (event->type == YAML_SEQUENCE_START_EVENT)
        return event->data.sequence_start.anchor || event->data.sequence_start.tag;
    if (event->type == YAML_MAPPING_START_EVENT)
        return event->data.mapping_start.anchor || event->data.mapping_start.tag;
    return event->type == YAML_ALIAS_EVENT;
}

static bool add_event(struct builder *builder, const yaml_event_t *event, struct err *err)
{
    if (is_forbidden(event))
        return refuse(err, event->start_mark, forbidden);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return start_document(builder, event, err);
    case YAML_SCALAR_EVENT:
        return add_scalar(builder, event, err);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return open_container(builder, event, err);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_container(builder);
        return true;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
    case YAML_ALIAS_EVENT:
        break;
    }
    return true;
}

/* libyaml's reader, which checks UTF-8 far ahead of its parser, tells the byte only. */
static yaml_mark_t mark_of_byte(struct text input, size_t offset)
{
    yaml_mark_t mark = { 0 };
    for (size_t i = 0; i < input.size && i < offset; i++) {
        bool is_continuation = (input.bytes[i] & 0xc0) == 0x80;
        mark.column = input.bytes[i] == '\n' ? 0 : mark.column + !is_continuation;
        mark.line += input.bytes[i] == '\n';
    }
    return mark;
}

/* A %TAG where a line may begin, which is behind no printable ASCII; NULL when there is none. */
static const char *find_tag_directive(struct text input)
{
    const char *end = input.bytes + input.size;
    const char *at = memmem(input.bytes, input.size, "%TAG", 4);
    while (at && at > input.bytes && (signed char)at[-1] >= ' ')
        at = memmem(at + 1, (size_t)(end - at - 1), "%TAG", 4);
    return at;
}

static bool refuse_by_parser(const struct builder *builder, struct err *err)
{
    const yaml_parser_t *parser = &builder->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        abort();
    if (parser->error == YAML_READER_ERROR)
        return refuse(err, mark_of_byte(builder->input, parser->problem_offset),
                      "not UTF-8, or a control character");
    return refuse(err, parser->problem_mark, "not YAML");
}

static bool build(struct builder *builder, struct err *err)
{
    for (;;) {
        scoped(yaml_event_delete) yaml_event_t event;
        if (!yaml_parser_parse(&builder->parser, &event))
            return refuse_by_parser(builder, err);
        if (event.type == YAML_STREAM_END_EVENT)
            return true;
        if (!add_event(builder, &event, err))
            return false;
    }
}

static void free_builder(struct builder *builder)
{
    yaml_parser_delete(&builder->parser);
    names_free(&builder->names);
    mem_free(&builder->key);
    json_free(&builder->root);
}

bool yaml_parse(struct text input, cJSON **tree, struct err *err)
{
    /* libyaml compares each of these with all before it; what they declare is refused anyway */
    const char *directive = find_tag_directive(input);
    if (directive)
        return refuse(err, mark_of_byte(input, (size_t)(directive - input.bytes)), forbidden);

    scoped(free_builder) struct builder builder = { .input = input };
    if (!yaml_parser_initialize(&builder.parser))
        abort();
    yaml_parser_set_encoding(&builder.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&builder.parser, (const unsigned char *)input.bytes, input.size);
    if (!build(&builder, err))
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
