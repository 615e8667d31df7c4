/* svc-utils/json-to-code/languages/zod.c - schemas for Zod 3 and 4, with inferred types. */
#include "code.h"
#include "json-to-code/model/values.h"
#include "target.h"

struct writer {
    struct buf *out;
    const struct object *owner; /* of the field being written; NULL: the root */
};

static void write_type(struct writer *writer, const struct shape *shape);

/* A type that is defined later is referenced lazily; its TypeScript type is then not inferred. */
static void write_object(struct writer *writer, const struct object *object)
{
    bool is_later = writer->owner && object->rank >= writer->owner->rank;
    buf_format(writer->out, is_later ? "z.lazy((): z.ZodTypeAny => %s)" : "%s", object->name);
}

/* int() accepts only safe integers. */
static void write_number(struct writer *writer, const struct shape *shape, enum kind kind)
{
    bool is_int = kind == KIND_INTEGER && !(shape->seen & (SEEN_UNSAFE | SEEN_BOUND));
    buf_add_str(writer->out, is_int ? "z.number().int()" : "z.number()");
}

static void write_words(struct buf *out, const struct values *values)
{
    buf_add_str(out, "z.enum([");
    for (size_t i = 0; i < values->count; i++) {
        buf_add_str(out, i > 0 ? ", " : "");
        code_quote(out, values->item[i], QUOTE_JSON);
    }
    buf_add_str(out, "])");
}

static void write_kind(struct writer *writer, const struct shape *shape, enum kind kind)
{
    static const char *const names[] = {
        [KIND_ANY] = "z.unknown()",
        [KIND_NULL] = "z.null()",
        [KIND_BOOLEAN] = "z.boolean()",
        [KIND_STRING] = "z.string()",
        [KIND_ARRAY] = "z.array(",
        [KIND_MAP] = "z.record(z.string(), ",
        [KIND_UNION] = NULL, /* and all others: below */
    };
    if (shape_is_enum(shape))
        write_words(writer->out, shape->values);
    else if (names[kind])
        buf_add_str(writer->out, names[kind]);
    else if (kind == KIND_OBJECT)
        write_object(writer, shape_object(shape));
    else
        write_number(writer, shape, kind);
    if (shape_is_date_time(shape))
        buf_add_str(writer->out, ".datetime({ offset: true })");
    if (kind == KIND_ARRAY || kind == KIND_MAP) {
        write_type(writer, kind == KIND_ARRAY ? shape->items : object_values(shape_object(shape)));
        buf_add_byte(writer->out, ')');
    }
}

static void write_type(struct writer *writer, const struct shape *shape)
{
    unsigned kinds = shape_kinds(shape);
    bool is_union = (kinds & (kinds - 1)) != 0;
    buf_add_str(writer->out, is_union ? "z.union([" : "");
    if (kinds == 0)
        write_kind(writer, shape, shape_kind(shape));
    for (unsigned left = kinds; left; left &= left - 1) {
        write_kind(writer, shape, (enum kind)__builtin_ctz(left));
        if ((left & (left - 1)) != 0)
            buf_add_str(writer->out, ", ");
    }
    buf_add_str(writer->out, is_union ? "])" : "");
    if (kinds != 0 && shape_is_nullable(shape))
        buf_add_str(writer->out, ".nullable()");
}

static void write_key(struct buf *out, struct text key)
{
    if (text_is(key, "__proto__"))
        buf_add_str(out, "[\"__proto__\"]"); /* bare or quoted, it would set the prototype */
    else if (code_is_plain_name(key))
        buf_add(out, key.bytes, key.size);
    else
        code_quote(out, key, QUOTE_JSON);
}

static void write_field(struct writer *writer, const struct object *object,
                        const struct field *field)
{
    bool is_optional = field_is_optional(object, field);
    buf_add_str(writer->out, "  ");
    write_key(writer->out, field->key);
    buf_add_str(writer->out, ": ");
    if (is_optional && code_is_inherited(field->key))
        buf_add_str(writer->out, "z.unknown()"); /* if it is missing, Zod reads the prototype's */
    else
        write_type(writer, &field->shape);
    buf_add_str(writer->out, is_optional ? ".optional(),\n" : ",\n");
}

static void write_end(struct buf *out, const char *name)
{
    buf_format(out, ";\nexport type %s = z.infer<typeof %s>;\n", name, name);
}

void write_zod(struct model *model, struct buf *out)
{
    struct writer writer = { .out = out };
    buf_add_str(out, "import { z } from \"zod\";\n");
    for (size_t i = 0; i < model->inner_first.count; i++) {
        const struct object *object = model->inner_first.item[i];
        writer.owner = object;
        buf_format(out, "\nexport const %s = z.object({%s", object->name,
                   object->first ? "\n" : "");
        for (const struct field *field = object->first; field; field = field->next)
            write_field(&writer, object, field);
        buf_add_str(out, "})");
        write_end(out, object->name);
    }
    if (shape_kind(&model->root) == KIND_OBJECT)
        return;
    writer.owner = NULL;
    buf_format(out, "\nexport const %s = ", model->root_name);
    write_type(&writer, &model->root);
    write_end(out, model->root_name);
}
