/*
 * svc-utils/json-to-code/languages/java.c - records (Java 17) for Jackson 2. All are nested in the
 * outermost type, because a Java file has one public class.
 */
#include <string.h>

#include "code.h"
#include "enums.h"
#include "idents.h"
#include "target.h"

/* Keywords, literals, and methods of Object that a record component cannot override. */
static const char *const reserved[] = {
    "abstract",     "assert", "boolean",    "break",    "byte",      "case",      "catch",
    "char",         "class",  "clone",      "const",    "continue",  "default",   "do",
    "double",       "else",   "enum",       "extends",  "false",     "final",     "finalize",
    "finally",      "float",  "for",        "getClass", "goto",      "hashCode",  "if",
    "implements",   "import", "instanceof", "int",      "interface", "long",      "native",
    "new",          "notify", "notifyAll",  "null",     "package",   "private",   "protected",
    "public",       "return", "short",      "static",   "strictfp",  "super",     "switch",
    "synchronized", "this",   "throw",      "throws",   "toString",  "transient", "true",
    "try",          "void",   "volatile",   "wait",     "while",
};

enum import { JSON_INCLUDE, JSON_PROPERTY, JSON_NODE, BIG_INTEGER, OFFSET_DATE_TIME, LIST, MAP };

static const char *const imports[] = {
    [JSON_INCLUDE] = "com.fasterxml.jackson.annotation.JsonInclude",
    [JSON_PROPERTY] = "com.fasterxml.jackson.annotation.JsonProperty",
    [JSON_NODE] = "com.fasterxml.jackson.databind.JsonNode",
    [BIG_INTEGER] = "java.math.BigInteger",
    [OFFSET_DATE_TIME] = "java.time.OffsetDateTime",
    [LIST] = "java.util.List",
    [MAP] = "java.util.Map",
};

struct writer {
    struct namer namer;
    struct buf *out;
    unsigned uses; /* bits: index in imports */
};

/* The last component of an import. */
static void use_import(struct writer *writer, enum import import)
{
    writer->uses |= 1U << import;
    buf_add_str(writer->out, strrchr(imports[import], '.') + 1);
}

/* ---- types ---- */

static void write_boxed(struct writer *writer, const struct shape *shape);

static void write_map_of_anything(struct writer *writer)
{
    use_import(writer, MAP);
    buf_add_str(writer->out, "<String, ");
    use_import(writer, JSON_NODE);
    buf_add_byte(writer->out, '>');
}

static void write_container(struct writer *writer, const struct shape *shape, enum kind kind)
{
    use_import(writer, kind == KIND_ARRAY ? LIST : MAP);
    buf_add_str(writer->out, kind == KIND_ARRAY ? "<" : "<String, ");
    write_boxed(writer, kind == KIND_ARRAY ? shape->items : object_values(shape_object(shape)));
    buf_add_byte(writer->out, '>');
}

/* The boxed type, which may be null. */
static void write_boxed(struct writer *writer, const struct shape *shape)
{
    static const char *const names[] = {
        [KIND_BOOLEAN] = "Boolean", [KIND_INTEGER] = "Long", [KIND_NUMBER] = "Double",
        [KIND_STRING] = "String",   [KIND_UNION] = NULL, /* and all others: below */
    };
    enum kind kind = shape_kind(shape);
    if (shape_is_enum(shape))
        buf_add_str(writer->out, shape->own_name);
    else if (shape_is_date_time(shape))
        use_import(writer, OFFSET_DATE_TIME);
    else if (names[kind])
        buf_add_str(writer->out, names[kind]);
    else if (kind == KIND_UNSIGNED)
        use_import(writer, BIG_INTEGER);
    else if (kind == KIND_ARRAY || kind == KIND_MAP)
        write_container(writer, shape, kind);
    else if (kind == KIND_OBJECT && kotlin_is_class(shape_object(shape)))
        buf_add_str(writer->out, shape_object(shape)->name);
    else if (kind == KIND_OBJECT)
        write_map_of_anything(writer);
    else
        use_import(writer, JSON_NODE);
}

static void write_type(struct writer *writer, const struct shape *shape, bool is_optional)
{
    static const char *const names[] = {
        [KIND_BOOLEAN] = "boolean",
        [KIND_INTEGER] = "long",
        [KIND_NUMBER] = "double",
        [KIND_UNION] = NULL, /* and all others: Object */
    };
    const char *name = names[shape_kind(shape)];
    if (name && !is_optional && !shape_is_nullable(shape))
        buf_add_str(writer->out, name);
    else
        write_boxed(writer, shape);
}

/* ---- records ---- */

static void write_component(struct writer *writer, const struct object *object,
                            const struct field *field, const char *indent)
{
    const char *name = namer_next(&writer->namer, field);
    bool is_optional = field_is_optional(object, field);
    buf_format(writer->out, "    %s", indent);
    if (is_optional) {
        buf_add_byte(writer->out, '@');
        use_import(writer, JSON_INCLUDE);
        buf_add_str(writer->out, "(JsonInclude.Include.NON_NULL) ");
    }
    if (!text_is(field->key, name)) {
        buf_add_byte(writer->out, '@');
        use_import(writer, JSON_PROPERTY);
        buf_add_byte(writer->out, '(');
        code_quote(writer->out, field->key, QUOTE_JSON);
        buf_add_str(writer->out, ") ");
    }
    write_type(writer, &field->shape, is_optional);
    buf_format(writer->out, " %s%s\n", name, field->next ? "," : "");
}

/* Everything up to the opening brace, after which nested types may follow. */
static void write_record(struct writer *writer, const struct object *object, const char *indent)
{
    buf_format(writer->out, "%spublic record %s(%s", indent, object->name,
               object->first ? "\n" : "");
    namer_begin(&writer->namer);
    for (const struct field *field = object->first; field; field = field->next)
        write_component(writer, object, field, indent);
    buf_format(writer->out, "%s) {", object->first ? indent : "");
}

/* ---- enums ---- */

static void write_word(struct buf *out, struct text word, const char *name, bool is_last)
{
    buf_add_str(out, "        @JsonProperty(");
    code_quote(out, word, QUOTE_JSON);
    buf_format(out, ") %s%s\n", name, is_last ? "" : ",");
}

static void write_words(void *context, const struct shape *shape)
{
    struct writer *writer = context;
    writer->uses |= 1U << JSON_PROPERTY;
    buf_format(writer->out, "\n    public enum %s {\n", shape->own_name);
    enums_write(writer->namer.model, shape, ENUMS_UPPER, write_word, writer->out);
    buf_add_str(writer->out, "    }\n");
}

static void write_enums(struct writer *writer, const struct model *model)
{
    if (shape_kind(&model->root) != KIND_OBJECT)
        enums_of(&model->root, write_words, writer);
    for (size_t i = 0; i < model->types.count; i++)
        for (const struct field *field = model->types.item[i]->first; field; field = field->next)
            if (kotlin_is_class(model->types.item[i]))
                enums_of(&field->shape, write_words, writer);
}

/* ---- the file ---- */

/* In Java, an alias needs a class: Java cannot name other types. */
static void write_holder(struct writer *writer, const struct model *model)
{
    buf_format(writer->out, "/* The document itself is a ");
    write_boxed(writer, &model->root);
    buf_format(writer->out, ". */\npublic final class %s {\n    private %s() {}\n",
               model->root_name, model->root_name);
}

static void write_all(struct writer *writer, const struct model *model)
{
    bool is_record =
        shape_kind(&model->root) == KIND_OBJECT && kotlin_is_class(shape_object(&model->root));
    if (is_record)
        write_record(writer, shape_object(&model->root), "");
    else
        write_holder(writer, model);
    for (size_t i = 0; i < model->types.count; i++) {
        const struct object *object = model->types.item[i];
        if ((is_record && i == 0) || !kotlin_is_class(object))
            continue;
        buf_add_byte(writer->out, '\n');
        write_record(writer, object, "    ");
        buf_add_str(writer->out, "}\n");
    }
    write_enums(writer, model);
    buf_add_str(writer->out, "}\n");
}

void write_java(struct model *model, struct buf *out)
{
    scoped(buf_free) struct buf body = BUF(out->max_bytes);
    struct writer writer = { .out = &body, .namer = { .model = model, .style = WORDS_CAMEL } };

    namer_reserve(&writer.namer, reserved, countof(reserved));
    write_all(&writer, model);
    namer_free(&writer.namer);
    if (model->package)
        buf_format(out, "package %s;\n%s", model->package, writer.uses ? "\n" : "");
    for (size_t i = 0; i < countof(imports); i++)
        if (writer.uses & 1U << i)
            buf_format(out, "import %s;\n", imports[i]);
    buf_add_str(out, writer.uses || model->package ? "\n" : "");
    buf_add_str(out, buf_str(&body));
    out->full |= body.full;
}
