/* svc-security/openapi-validate/document/read-json.c - build nodes from strict JSON. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "builder.h"
#include "text/json.h"

/* Line and column of increasing offsets. */
struct cursor {
    struct text input;
    size_t offset;
    struct place place;
};

static struct place place_of(struct cursor *cursor, size_t offset)
{
    for (; cursor->offset < offset && cursor->offset < cursor->input.size; cursor->offset++) {
        char byte = cursor->input.bytes[cursor->offset];
        bool is_continuation = (byte & 0xc0) == 0x80;
        cursor->place.column = byte == '\n' ? 1 : cursor->place.column + !is_continuation;
        cursor->place.line += byte == '\n';
    }
    return cursor->place;
}

static bool add_text(struct builder *builder, struct node *node, struct text text,
                     struct place place)
{
    const char *copy = builder_copy(builder, text, place);
    if (!copy)
        return false;
    node->text = (struct text){ copy, text.size };
    if (node->kind == NODE_NUMBER)
        node->number = strtod(copy, NULL); /* the copy ends with a NUL */
    return true;
}

static bool add_event(struct builder *builder, const struct json_event *event, struct place place)
{
    static const enum node_kind kinds[] = {
        [JSON_NULL] = NODE_NULL,          [JSON_TRUE] = NODE_BOOL,
        [JSON_FALSE] = NODE_BOOL,         [JSON_NUMBER] = NODE_NUMBER,
        [JSON_STRING] = NODE_STRING,      [JSON_ARRAY_OPEN] = NODE_LIST,
        [JSON_OBJECT_OPEN] = NODE_OBJECT,
    };
    if (event->kind == JSON_KEY)
        return builder_key(builder, event->text, place);
    if (event->kind == JSON_ARRAY_CLOSE || event->kind == JSON_OBJECT_CLOSE) {
        builder_close(builder);
        return true;
    }
    struct node *node = builder_add(builder, kinds[event->kind], place);
    if (!node)
        return false;
    node->is_true = event->kind == JSON_TRUE;
    if (event->kind == JSON_NUMBER)
        return add_text(builder, node, event->lexeme, place);
    return event->kind != JSON_STRING || add_text(builder, node, event->text, place);
}

static bool stop_at_error(struct builder *builder, const struct json_reader *reader,
                          struct cursor *cursor, const struct err *err)
{
    const char *why;
    size_t offset = json_refused_at(reader, &why);
    struct text rest = text_skip(cursor->input, MIN(offset, cursor->input.size));
    if (text_begins(rest, "//") || text_begins(rest, "/*"))
        return builder_stop(builder, RULE_JSON_COMMENT, place_of(cursor, offset),
                            "comments are not allowed; remove this one");
    if (err->kind == ERR_TOO_DEEP)
        return builder_stop(builder, RULE_LIMIT, cursor->place, "nested deeper than 256 levels");
    return builder_stop(builder, RULE_INVALID_JSON, place_of(cursor, offset), why);
}

bool read_json(struct builder *builder, struct text input)
{
    scoped(json_reader_free) struct json_reader *reader =
        json_reader_new(input, DOCUMENT_DEPTH_MAX);
    struct cursor cursor = { .input = input, .place = { 1, 1 } };
    json_reader_allow_repeats(reader);
    for (;;) {
        struct json_event event;
        struct err err = { 0 };
        if (!json_next(reader, &event, &err))
            return stop_at_error(builder, reader, &cursor, &err);
        if (event.kind == JSON_END)
            return true;
        if (!add_event(builder, &event, place_of(&cursor, event.offset)))
            return false;
    }
}
