/*
 * svc-utils/json-to-code/languages/typescript.c - interfaces for the values of JSON.parse(): no
 * classes, no Date.
 */
#include "code.h"
#include "json-to-code/model/values.h"
#include "target.h"

static void write_type(struct buf *out, const struct shape *shape);

static void write_items(struct buf *out, const struct shape *items)
{
    enum kind kind = shape_kind(items);
    bool is_several = kind == KIND_UNION || shape_is_enum(items) ||
                      (kind > KIND_NULL && shape_is_nullable(items));
    buf_add_str(out, is_several ? "(" : "");
    write_type(out, items);
    buf_add_str(out, is_several ? ")[]" : "[]");
}

static void write_words(struct buf *out, const struct values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        buf_add_str(out, i > 0 ? " | " : "");
        code_quote(out, values->item[i], QUOTE_JSON);
    }
}

static void write_kind(struct buf *out, const struct shape *shape, enum kind kind)
{
    static const char *const names[] = {
        [KIND_ANY] = "unknown",    [KIND_NULL] = "null",       [KIND_BOOLEAN] = "boolean",
        [KIND_INTEGER] = "number", [KIND_UNSIGNED] = "number", [KIND_NUMBER] = "number",
        [KIND_STRING] = "string",
    };
    if (shape_is_enum(shape)) {
        write_words(out, shape->values);
    } else if (kind < KIND_ARRAY) {
        buf_add_str(out, names[kind]);
    } else if (kind == KIND_ARRAY) {
        write_items(out, shape->items);
    } else if (kind == KIND_OBJECT) {
        buf_add_str(out, shape_object(shape)->name);
    } else {
        buf_add_str(out, "Record<string, ");
        write_type(out, object_values(shape_object(shape)));
        buf_add_byte(out, '>');
    }
}

static void write_type(struct buf *out, const struct shape *shape)
{
    unsigned kinds = shape_kinds(shape);
    if (kinds == 0)
        write_kind(out, shape, shape_kind(shape));
    for (unsigned left = kinds; left; left &= left - 1) {
        write_kind(out, shape, (enum kind)__builtin_ctz(left));
        if ((left & (left - 1)) != 0)
            buf_add_str(out, " | ");
    }
    if (kinds != 0 && shape_is_nullable(shape))
        buf_add_str(out, " | null");
}

/* An unquoted __proto__ would set the prototype in a literal of the type. */
static void write_key(struct buf *out, struct text key)
{
    if (code_is_plain_name(key) && !text_is(key, "__proto__"))
        buf_add(out, key.bytes, key.size);
    else
        code_quote(out, key, QUOTE_JSON);
}

static void write_interface(struct buf *out, const struct object *object)
{
    buf_format(out, "export interface %s {%s", object->name, object->first ? "\n" : "");
    for (const struct field *field = object->first; field; field = field->next) {
        buf_add_str(out, "  ");
        write_key(out, field->key);
        buf_add_str(out, field_is_optional(object, field) ? "?: " : ": ");
        write_type(out, &field->shape);
        if (field_is_optional(object, field) && code_is_inherited(field->key))
            buf_format(out, " | Object[\"%s\"]", field->key.bytes);
        buf_add_str(out, ";\n");
    }
    buf_add_str(out, "}\n");
}

void write_typescript(struct model *model, struct buf *out)
{
    if (shape_kind(&model->root) != KIND_OBJECT) {
        buf_format(out, "export type %s = ", model->root_name);
        write_type(out, &model->root);
        buf_add_str(out, ";\n");
    }
    for (size_t i = 0; i < model->types.count; i++) {
        buf_add_str(out, out->size > 0 ? "\n" : "");
        write_interface(out, model->types.item[i]);
    }
}
