/* svc-utils/json-to-code/languages/json-schema.c - JSON Schema Draft-07, pretty-printed. */
#include <string.h>

#include "code.h"
#include "json-to-code/model/format.h"
#include "json-to-code/model/values.h"
#include "target.h"

enum {
    SCALARS = 1 << KIND_BOOLEAN | 1 << KIND_INTEGER | 1 << KIND_UNSIGNED | 1 << KIND_NUMBER |
              1 << KIND_STRING
};

/* ---- indented JSON ---- */

struct writer {
    struct buf *out;
    unsigned depth;
    bool is_empty; /* the innermost bracket has no content yet */
};

static void open_bracket(struct writer *writer, char bracket)
{
    buf_add_byte(writer->out, bracket);
    writer->depth++;
    writer->is_empty = true;
}

static void new_line(struct writer *writer)
{
    size_t size = 1 + 2 * (size_t)writer->depth;
    char *room = buf_reserve(writer->out, size);
    if (!room)
        return;
    memset(room, ' ', size);
    room[0] = '\n';
    writer->out->size += size;
}

static void close_bracket(struct writer *writer, char bracket)
{
    writer->depth--;
    if (!writer->is_empty)
        new_line(writer);
    buf_add_byte(writer->out, bracket);
    writer->is_empty = false;
}

static void begin_item(struct writer *writer)
{
    if (!writer->is_empty)
        buf_add_byte(writer->out, ',');
    new_line(writer);
    writer->is_empty = false;
}

static void begin_member(struct writer *writer, struct text name)
{
    begin_item(writer);
    code_quote(writer->out, name, QUOTE_JSON);
    buf_add_str(writer->out, ": ");
}

static void add_string(struct writer *writer, struct text name, const char *value)
{
    begin_member(writer, name);
    code_quote(writer->out, text_of(value), QUOTE_JSON);
}

/* ---- schemas ---- */

static const char *const type_names[] = {
    [KIND_NULL] = "null",        [KIND_BOOLEAN] = "boolean", [KIND_INTEGER] = "integer",
    [KIND_UNSIGNED] = "integer", [KIND_NUMBER] = "number",   [KIND_STRING] = "string",
    [KIND_ARRAY] = "array",      [KIND_MAP] = "object",
};

/* "type": one name, or a list of names; kinds are bits. */
static void write_types(struct writer *writer, unsigned kinds)
{
    bool is_list = (kinds & (kinds - 1)) != 0;
    begin_member(writer, TEXT("type"));
    if (!is_list) {
        code_quote(writer->out, text_of(type_names[__builtin_ctz(kinds)]), QUOTE_JSON);
        return;
    }
    open_bracket(writer, '[');
    for (unsigned left = kinds & ~(1U << KIND_NULL); left; left &= left - 1) {
        begin_item(writer);
        code_quote(writer->out, text_of(type_names[__builtin_ctz(left)]), QUOTE_JSON);
    }
    if (kinds & 1U << KIND_NULL) {
        begin_item(writer);
        buf_add_str(writer->out, "\"null\"");
    }
    close_bracket(writer, ']');
}

static void write_schema(struct writer *writer, const struct shape *shape);

static void write_words(struct writer *writer, const struct shape *shape)
{
    begin_member(writer, TEXT("enum"));
    open_bracket(writer, '[');
    for (size_t i = 0; i < shape->values->count; i++) {
        begin_item(writer);
        code_quote(writer->out, shape->values->item[i], QUOTE_JSON);
    }
    if (shape_is_nullable(shape)) {
        begin_item(writer);
        buf_add_str(writer->out, "null");
    }
    close_bracket(writer, ']');
}

static void write_scalars(struct writer *writer, const struct shape *shape, unsigned kinds)
{
    write_types(writer, kinds);
    if (shape_is_enum(shape))
        write_words(writer, shape);
    const char *format = format_name(shape->seen >> SEEN_MISFIT_SHIFT);
    if (shape->seen & SEEN_STRING && !(shape->seen & SEEN_EMPTY_TEXT) && format)
        add_string(writer, TEXT("format"), format);
}

/* One kind that is not a scalar, with null as a second type if it is nullable. */
static void write_container(struct writer *writer, const struct shape *shape, enum kind kind,
                            bool is_nullable)
{
    if (kind == KIND_OBJECT) {
        begin_member(writer, TEXT("$ref"));
        buf_format(writer->out, "\"#/definitions/%s\"", shape_object(shape)->name);
        return;
    }
    write_types(writer, 1U << kind | (is_nullable ? 1U << KIND_NULL : 0));
    begin_member(writer, kind == KIND_ARRAY ? TEXT("items") : TEXT("additionalProperties"));
    write_schema(writer, kind == KIND_ARRAY ? shape->items : object_values(shape_object(shape)));
}

static void write_any_of(struct writer *writer, const struct shape *shape, unsigned kinds,
                         unsigned scalars)
{
    begin_member(writer, TEXT("anyOf"));
    open_bracket(writer, '[');
    for (unsigned left = kinds & ~(unsigned)SCALARS; left; left &= left - 1) {
        begin_item(writer);
        open_bracket(writer, '{');
        write_container(writer, shape, (enum kind)__builtin_ctz(left), false);
        close_bracket(writer, '}');
    }
    if (scalars) {
        begin_item(writer);
        open_bracket(writer, '{');
        write_scalars(writer, shape, scalars);
        close_bracket(writer, '}');
    }
    close_bracket(writer, ']');
}

/* The members that describe a shape. */
static void write_members(struct writer *writer, const struct shape *shape)
{
    unsigned kinds = shape_kinds(shape);
    bool is_nullable = shape_is_nullable(shape);
    unsigned scalars = (kinds & SCALARS) | (is_nullable ? 1U << KIND_NULL : 0);
    enum kind kind = shape_kind(shape);

    if (kinds == 0 && !is_nullable)
        return;
    if (!(kinds & ~(unsigned)SCALARS))
        write_scalars(writer, shape, scalars);
    else if (kind != KIND_UNION && !(kind == KIND_OBJECT && is_nullable))
        write_container(writer, shape, kind, is_nullable);
    else
        write_any_of(writer, shape, kinds, scalars);
}

static void write_schema(struct writer *writer, const struct shape *shape)
{
    open_bracket(writer, '{');
    write_members(writer, shape);
    close_bracket(writer, '}');
}

/* ---- types ---- */

static void write_required(struct writer *writer, const struct object *object)
{
    bool is_any = false;
    for (const struct field *field = object->first; field; field = field->next) {
        if (field_is_optional(object, field))
            continue;
        if (!is_any) {
            begin_member(writer, TEXT("required"));
            open_bracket(writer, '[');
            is_any = true;
        }
        begin_item(writer);
        code_quote(writer->out, field->key, QUOTE_JSON);
    }
    if (is_any)
        close_bracket(writer, ']');
}

static void write_definition(struct writer *writer, const struct object *object)
{
    begin_member(writer, text_of(object->name));
    open_bracket(writer, '{');
    add_string(writer, TEXT("title"), object->name);
    add_string(writer, TEXT("type"), "object");
    begin_member(writer, TEXT("properties"));
    open_bracket(writer, '{');
    for (const struct field *field = object->first; field; field = field->next) {
        begin_member(writer, field->key);
        write_schema(writer, &field->shape);
    }
    close_bracket(writer, '}');
    write_required(writer, object);
    close_bracket(writer, '}');
}

void write_json_schema(struct model *model, struct buf *out)
{
    struct writer writer = { .out = out };
    open_bracket(&writer, '{');
    add_string(&writer, TEXT("$schema"), "http://json-schema.org/draft-07/schema#");
    if (shape_kind(&model->root) != KIND_OBJECT)
        add_string(&writer, TEXT("title"), model->root_name);
    write_members(&writer, &model->root);
    if (model->types.count > 0) {
        begin_member(&writer, TEXT("definitions"));
        open_bracket(&writer, '{');
        for (size_t i = 0; i < model->types.count; i++)
            write_definition(&writer, model->types.item[i]);
        close_bracket(&writer, '}');
    }
    close_bracket(&writer, '}');
    buf_add_byte(out, '\n');
}
