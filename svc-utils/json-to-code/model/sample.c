/*
 * svc-utils/json-to-code/model/sample.c - reads each value and merges it with its siblings.
 * Elements of an array are merged immediately, so memory grows with the types, not with the sample.
 */
#include "sample.h"

#include <string.h>

#include "base/codec/utf8.h"
#include "format.h"
#include "values.h"

static bool read_value(struct model *model, struct json_reader *reader,
                       const struct json_event *first, struct shape *shape, struct err *err);

/* ---- scalars ---- */

/* The magnitude of an integer's digits; false if it exceeds 64 bits. */
static bool read_magnitude(struct text digits, uint64_t *magnitude)
{
    uint64_t value = 0;
    for (size_t i = 0; i < digits.size; i++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(digits.bytes[i] - '0'), &value))
            return false;
    *magnitude = value;
    return true;
}

static unsigned integer_seen(struct text digits, bool is_negative)
{
    uint64_t magnitude;
    if (!read_magnitude(digits, &magnitude) || (is_negative && magnitude > (uint64_t)INT64_MAX + 1))
        return SEEN_HUGE | SEEN_UNSAFE;
    unsigned safety = magnitude > (uint64_t)JSON_INTEGER_MAX    ? SEEN_UNSAFE
                      : magnitude == (uint64_t)JSON_INTEGER_MAX ? SEEN_BOUND
                                                                : 0;
    if (is_negative)
        return SEEN_INTEGER | SEEN_NEGATIVE | safety;
    return (magnitude > INT64_MAX ? SEEN_UNSIGNED : SEEN_INTEGER) | safety;
}

/* -0 does not count as an integer: serde_json, for example, reads it as a double. */
static unsigned number_seen(struct text lexeme)
{
    bool is_negative = lexeme.bytes[0] == '-';
    struct text digits = text_skip(lexeme, is_negative);
    for (size_t i = 0; i < digits.size; i++)
        if (strchr(".eE", digits.bytes[i]))
            return SEEN_NUMBER;
    if (is_negative && text_is(digits, "0"))
        return SEEN_NUMBER;
    return integer_seen(digits, is_negative);
}

static void string_seen(struct model *model, struct text text, struct shape *shape)
{
    unsigned misfits = model->wants_date_times ? 0 : FORMAT_PLAIN_TIME;
    if (model->wants_enums)
        shape->values = values_new(&model->arena, text);
    if (text.size == 0)
        shape->seen = SEEN_STRING | SEEN_EMPTY_TEXT;
    else
        shape->seen = SEEN_STRING | (format_misfits(text) | misfits) << SEEN_MISFIT_SHIFT;
}

/* ---- arrays and objects ---- */

static bool read_array(struct model *model, struct json_reader *reader, struct shape *shape,
                       struct err *err)
{
    shape->seen |= SEEN_ARRAY | SEEN_EMPTY;
    shape->items = arena_get(&model->arena, sizeof(*shape->items));
    for (;;) {
        struct json_event event;
        struct shape item = { 0 };
        if (!json_next(reader, &event, err))
            return false;
        if (event.kind == JSON_ARRAY_CLOSE)
            return true;
        if (!read_value(model, reader, &event, &item, err))
            return false;
        shape->seen &= ~(unsigned)SEEN_EMPTY;
        model_merge(model, shape->items, &item);
    }
}

static bool read_object(struct model *model, struct json_reader *reader, struct shape *shape,
                        struct err *err)
{
    shape->seen |= SEEN_OBJECT | SEEN_EMPTY;
    shape->object = model_add_object(model);
    for (;;) {
        struct json_event event;
        if (!json_next(reader, &event, err))
            return false;
        if (event.kind == JSON_OBJECT_CLOSE)
            return true;
        struct field *field = model_field(model, shape->object, event.text);
        field->is_repeated |= event.is_repeated;
        field->shape = (struct shape){ 0 }; /* the last one wins */
        if (!json_next(reader, &event, err) ||
            !read_value(model, reader, &event, &field->shape, err))
            return false;
        shape->seen &= ~(unsigned)SEEN_EMPTY;
    }
}

/* Recursion is bounded by the reader's nesting limit. */
static bool read_value(struct model *model, struct json_reader *reader,
                       const struct json_event *first, struct shape *shape, struct err *err)
{
    switch (first->kind) {
    case JSON_NULL:
        shape->seen = SEEN_NULL;
        return true;
    case JSON_TRUE:
    case JSON_FALSE:
        shape->seen = SEEN_BOOLEAN;
        return true;
    case JSON_NUMBER:
        shape->seen = number_seen(first->lexeme);
        return true;
    case JSON_STRING:
        string_seen(model, first->text, shape);
        return true;
    case JSON_ARRAY_OPEN:
        return read_array(model, reader, shape, err);
    case JSON_OBJECT_OPEN:
        return read_object(model, reader, shape, err);
    case JSON_KEY:
    case JSON_ARRAY_CLOSE:
    case JSON_OBJECT_CLOSE:
    case JSON_END:
        break;
    }
    return err_set(err, ERR_INTERNAL, "the sample has no value");
}

/* ---- JSON as text ---- */

static bool is_document(struct text text)
{
    size_t blanks = 0;
    while (blanks < text.size && strchr(" \t\r\n", text.bytes[blanks]) && text.bytes[blanks])
        blanks++;
    return blanks < text.size && (text.bytes[blanks] == '{' || text.bytes[blanks] == '[');
}

static bool reject_sample(struct text text, const struct json_reader *reader, struct err *err)
{
    const char *why;
    size_t offset = json_refused_at(reader, &why);
    size_t line = 1;
    size_t line_start = 0;
    for (size_t i = 0; i < offset && i < text.size; i++) {
        if (text.bytes[i] == '\n') {
            line++;
            line_start = i + 1;
        }
    }
    struct text before = { text.bytes + line_start, offset - line_start };
    return err_set(err, ERR_INVALID_SAMPLE,
                   "sample begins like JSON but is not valid, at line %zu, column %zu: %s", line,
                   utf8_length(before) + 1, why);
}

static bool read_document(struct model *model, struct text text, struct err *err)
{
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(text, JSON_DEPTH);
    struct json_event event;
    struct err why = { 0 };

    json_reader_allow_repeats(reader);
    if (json_next(reader, &event, &why) && read_value(model, reader, &event, &model->root, &why) &&
        json_next(reader, &event, &why))
        return true;
    if (why.kind == ERR_INVALID_JSON)
        return reject_sample(text, reader, err);
    return err_set(err, why.kind, "sample: %s", why.message);
}

bool sample_read(struct model *model, struct json_reader *reader, const struct json_event *first,
                 struct err *err)
{
    if (first->kind == JSON_STRING && is_document(first->text))
        return read_document(model, first->text, err);
    return read_value(model, reader, first, &model->root, err);
}
