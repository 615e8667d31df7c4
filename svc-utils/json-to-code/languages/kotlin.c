/* svc-utils/json-to-code/languages/kotlin.c - data classes for kotlinx.serialization. */
#include <string.h>

#include "code.h"
#include "enums.h"
#include "idents.h"
#include "target.h"

/*
 * A JVM method takes at most 255 arguments. A Long counts twice, and the constructor that the
 * serializer uses has additional ones.
 */
enum { FIELDS_MAX = 100 };

static const char *const keywords[] = {
    "as",     "break",     "class",  "continue", "do",        "else",  "false",
    "for",    "fun",       "if",     "in",       "interface", "is",    "null",
    "object", "package",   "return", "super",    "this",      "throw", "true",
    "try",    "typealias", "typeof", "val",      "var",       "when",  "while",
};

enum import { SERIAL_NAME, SERIALIZABLE, JSON_ELEMENT };

static const char *const imports[] = {
    [SERIAL_NAME] = "kotlinx.serialization.SerialName",
    [SERIALIZABLE] = "kotlinx.serialization.Serializable",
    [JSON_ELEMENT] = "kotlinx.serialization.json.JsonElement",
};

struct writer {
    struct namer namer;
    struct buf *out;
    unsigned uses; /* bits: index in imports */
};

bool kotlin_is_class(const struct object *object)
{
    return object->field_count <= FIELDS_MAX;
}

/* The last component of an import. */
static void use_import(struct writer *writer, enum import import)
{
    writer->uses |= 1U << import;
    buf_add_str(writer->out, strrchr(imports[import], '.') + 1);
}

/* ---- types ---- */

static void write_type(struct writer *writer, const struct shape *shape, bool is_optional)
{
    static const char *const names[] = {
        [KIND_BOOLEAN] = "Boolean", [KIND_INTEGER] = "Long", [KIND_NUMBER] = "Double",
        [KIND_STRING] = "String",   [KIND_ARRAY] = "List<",  [KIND_MAP] = "Map<String, ",
        [KIND_UNION] = NULL, /* and all others: Any */
    };
    enum kind kind = shape_kind(shape);
    if (kind == KIND_OBJECT)
        buf_add_str(writer->out, shape_object(shape)->name);
    else if (shape_is_enum(shape))
        buf_add_str(writer->out, shape->own_name);
    else if (names[kind])
        buf_add_str(writer->out, names[kind]);
    else
        use_import(writer, JSON_ELEMENT);
    if (kind == KIND_ARRAY || kind == KIND_MAP) {
        write_type(writer, kind == KIND_ARRAY ? shape->items : object_values(shape_object(shape)),
                   false);
        buf_add_byte(writer->out, '>');
    }
    if (is_optional || shape_is_nullable(shape))
        buf_add_byte(writer->out, '?');
}

/* ---- enums ---- */

static void write_word(struct buf *out, struct text word, const char *name, bool is_last)
{
    buf_add_str(out, "    @SerialName(");
    code_quote(out, word, QUOTE_KOTLIN);
    buf_format(out, ") %s%s\n", name, is_last ? "" : ",");
}

static void write_words(void *context, const struct shape *shape)
{
    struct writer *writer = context;
    writer->uses |= 1U << SERIAL_NAME;
    buf_add_str(writer->out, "\n@");
    use_import(writer, SERIALIZABLE);
    buf_format(writer->out, "\nenum class %s {\n", shape->own_name);
    enums_write(writer->namer.model, shape, ENUMS_UPPER, write_word, writer->out);
    buf_add_str(writer->out, "}\n");
}

/* ---- classes ---- */

static void write_property(struct writer *writer, const struct object *object,
                           const struct field *field)
{
    const char *name = namer_next(&writer->namer, field);
    bool is_optional = field_is_optional(object, field);

    if (!text_is(field->key, name)) {
        buf_add_str(writer->out, "    @");
        use_import(writer, SERIAL_NAME);
        buf_add_byte(writer->out, '(');
        code_quote(writer->out, field->key, QUOTE_KOTLIN);
        buf_add_str(writer->out, ")\n");
    }
    buf_add_str(writer->out, "    val ");
    buf_add_str(writer->out, name);
    buf_add_str(writer->out, ": ");
    write_type(writer, &field->shape, is_optional);
    buf_add_str(writer->out, is_optional ? " = null" : "");
    buf_add_str(writer->out, field->next ? ",\n" : "\n");
}

static void write_class(struct writer *writer, const struct object *object)
{
    buf_add_str(writer->out, "\n@");
    use_import(writer, SERIALIZABLE);
    if (!object->first) {
        buf_format(writer->out, "\nclass %s\n", object->name);
        return;
    }
    buf_format(writer->out, "\ndata class %s(\n", object->name);
    namer_begin(&writer->namer);
    for (const struct field *field = object->first; field; field = field->next)
        write_property(writer, object, field);
    buf_add_str(writer->out, ")\n");
    for (const struct field *field = object->first; field; field = field->next)
        enums_of(&field->shape, write_words, writer);
}

static void write_object(struct writer *writer, const struct object *object)
{
    if (kotlin_is_class(object)) {
        write_class(writer, object);
        return;
    }
    buf_format(writer->out, "\ntypealias %s = Map<String, ", object->name);
    use_import(writer, JSON_ELEMENT);
    buf_add_str(writer->out, ">\n");
}

/* ---- the file ---- */

static void write_alias(struct writer *writer, const struct model *model)
{
    buf_format(writer->out, "\ntypealias %s = ", model->root_name);
    write_type(writer, &model->root, false);
    buf_add_byte(writer->out, '\n');
    enums_of(&model->root, write_words, writer);
}

void write_kotlin(struct model *model, struct buf *out)
{
    scoped(buf_free) struct buf body = BUF(out->max_bytes);
    struct writer writer = { .out = &body, .namer = { .model = model, .style = WORDS_CAMEL } };

    namer_reserve(&writer.namer, keywords, countof(keywords));
    if (shape_kind(&model->root) != KIND_OBJECT)
        write_alias(&writer, model);
    for (size_t i = 0; i < model->types.count; i++)
        write_object(&writer, model->types.item[i]);
    namer_free(&writer.namer);

    if (model->package)
        buf_format(out, "package %s\n%s", model->package, writer.uses ? "\n" : "");
    for (size_t i = 0; i < countof(imports); i++)
        if (writer.uses & 1U << i)
            buf_format(out, "import %s\n", imports[i]);
    const char *start = writer.uses || model->package ? "" : "\n";
    buf_add_str(out, buf_str(&body) + strlen(start));
    out->full |= body.full;
}
