/* svc-utils/json-to-code/languages/rust.c - structs and untagged enums for serde. */
#include "code.h"
#include "enums.h"
#include "idents.h"
#include "target.h"

#define DERIVE "#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]\n"

/* Keywords that r# cannot escape, and those that it can (2021 edition). */
static const char *const unusable[] = { "crate", "self", "super" };

static const char *const keywords[] = {
    "abstract", "as",      "async",  "await",   "become",   "box",    "break", "const",
    "continue", "do",      "dyn",    "else",    "enum",     "extern", "false", "final",
    "fn",       "for",     "if",     "impl",    "in",       "let",    "loop",  "macro",
    "match",    "mod",     "move",   "mut",     "override", "priv",   "pub",   "ref",
    "return",   "static",  "struct", "trait",   "true",     "try",    "type",  "typeof",
    "unsafe",   "unsized", "use",    "virtual", "where",    "while",  "yield",
};

struct writer {
    struct namer namer;
    struct names keywords;
    struct buf *out;
    const struct object *owner; /* of the field being written; NULL: the root */
};

/* ---- types ---- */

static void write_type(struct writer *writer, const struct shape *shape, bool is_optional,
                       bool is_direct);

/* A struct that contains itself directly would have infinite size. */
static void write_object(struct writer *writer, const struct object *object, bool is_direct)
{
    bool is_boxed = is_direct && writer->owner && object->rank >= writer->owner->rank;
    buf_format(writer->out, is_boxed ? "Box<%s>" : "%s", object->name);
}

static void write_kind(struct writer *writer, const struct shape *shape, enum kind kind,
                       bool is_direct)
{
    static const char *const names[] = {
        [KIND_BOOLEAN] = "bool", [KIND_INTEGER] = "i64",   [KIND_UNSIGNED] = "u64",
        [KIND_NUMBER] = "f64",   [KIND_STRING] = "String",
    };
    if (shape_is_enum(shape)) {
        buf_add_str(writer->out, shape->own_name);
    } else if (kind < KIND_ARRAY) {
        buf_add_str(writer->out, names[kind]);
    } else if (kind == KIND_OBJECT) {
        write_object(writer, shape_object(shape), is_direct);
    } else {
        bool is_array = kind == KIND_ARRAY;
        buf_add_str(writer->out, is_array ? "Vec<" : "std::collections::HashMap<String, ");
        write_type(writer, is_array ? shape->items : object_values(shape_object(shape)), false,
                   false);
        buf_add_byte(writer->out, '>');
    }
}

static void write_type(struct writer *writer, const struct shape *shape, bool is_optional,
                       bool is_direct)
{
    enum kind kind = shape_kind(shape);
    is_optional |= shape_is_nullable(shape);
    buf_add_str(writer->out, is_optional ? "Option<" : "");
    if (kind == KIND_ANY || kind == KIND_NULL)
        buf_add_str(writer->out, "serde_json::Value");
    else if (kind == KIND_UNION)
        buf_add_str(writer->out, shape->own_name);
    else
        write_kind(writer, shape, kind, is_direct);
    buf_add_str(writer->out, is_optional ? ">" : "");
}

/* ---- enums for unions ---- */

/*
 * serde uses the first variant that matches, and would read an array as a struct: arrays come
 * before objects.
 */
static const struct variant {
    enum kind kind;
    const char *name;
} variants[] = {
    { KIND_ARRAY, "Array" },     { KIND_OBJECT, "Object" },   { KIND_MAP, "Map" },
    { KIND_BOOLEAN, "Boolean" }, { KIND_INTEGER, "Integer" }, { KIND_UNSIGNED, "Integer" },
    { KIND_NUMBER, "Number" },   { KIND_STRING, "String" },
};

static void write_enum(struct writer *writer, const struct shape *shape, bool is_direct)
{
    unsigned kinds = shape_kinds(shape);
    buf_format(writer->out, "\n" DERIVE "#[serde(untagged)]\npub enum %s {\n", shape->own_name);
    for (size_t i = 0; i < countof(variants); i++) {
        if (!(kinds & 1U << variants[i].kind))
            continue;
        buf_format(writer->out, "    %s(", variants[i].name);
        write_kind(writer, shape, variants[i].kind, is_direct);
        buf_add_str(writer->out, "),\n");
    }
    buf_add_str(writer->out, "}\n");
}

/* The enums of a field and of its elements. */
static void write_enums(struct writer *writer, const struct shape *shape, bool is_direct)
{
    if (shape_kind(shape) == KIND_UNION)
        write_enum(writer, shape, is_direct);
    if (shape->items)
        write_enums(writer, shape->items, false);
    const struct object *object = shape_object(shape);
    if (object && object->is_map)
        write_enums(writer, object_values(object), false);
}

/* ---- enums for words ---- */

static void write_word(struct buf *out, struct text word, const char *name, bool is_last)
{
    (void)is_last;
    if (!text_is(word, name)) {
        buf_add_str(out, "    #[serde(rename = ");
        code_quote(out, word, QUOTE_RUST);
        buf_add_str(out, ")]\n");
    }
    buf_format(out, "    %s,\n", name);
}

static void write_words(void *context, const struct shape *shape)
{
    struct writer *writer = context;
    buf_format(writer->out, "\n" DERIVE "pub enum %s {\n", shape->own_name);
    enums_write(writer->namer.model, shape, ENUMS_PASCAL, write_word, writer->out);
    buf_add_str(writer->out, "}\n");
}

/* ---- structs ---- */

static bool is_keyword(const struct writer *writer, const char *name)
{
    uint32_t index;
    return names_find(&writer->keywords, text_of(name), &index);
}

static void write_field(struct writer *writer, const struct object *object,
                        const struct field *field)
{
    const char *name = namer_next(&writer->namer, field);
    bool is_optional = field_is_optional(object, field);

    if (!text_is(field->key, name)) {
        buf_add_str(writer->out, "    #[serde(rename = ");
        code_quote(writer->out, field->key, QUOTE_RUST);
        buf_add_str(writer->out, ")]\n");
    }
    if (is_optional)
        buf_add_str(writer->out,
                    "    #[serde(default, skip_serializing_if = \"Option::is_none\")]\n");
    buf_add_str(writer->out, "    pub ");
    buf_add_str(writer->out, is_keyword(writer, name) ? "r#" : "");
    buf_add_str(writer->out, name);
    buf_add_str(writer->out, ": ");
    write_type(writer, &field->shape, is_optional, true);
    buf_add_str(writer->out, ",\n");
}

static void write_struct(struct writer *writer, const struct object *object)
{
    writer->owner = object;
    namer_begin(&writer->namer);
    buf_format(writer->out, "\n" DERIVE "pub struct %s {%s", object->name,
               object->first ? "\n" : "");
    for (const struct field *field = object->first; field; field = field->next)
        write_field(writer, object, field);
    buf_add_str(writer->out, "}\n");
    for (const struct field *field = object->first; field; field = field->next) {
        write_enums(writer, &field->shape, true);
        enums_of(&field->shape, write_words, writer);
    }
}

/* ---- the file ---- */

static void write_alias(struct writer *writer, const struct model *model)
{
    buf_format(writer->out, "%spub type %s = ", writer->out->size > 0 ? "\n" : "",
               model->root_name);
    write_type(writer, &model->root, false, false);
    buf_add_str(writer->out, ";\n");
    write_enums(writer, &model->root, false);
    enums_of(&model->root, write_words, writer);
}

/* Unions or enums. */
static bool has_unions(const struct shape *shape)
{
    const struct object *object = shape_object(shape);
    return shape_kind(shape) == KIND_UNION || shape_is_enum(shape) ||
           (shape->items && has_unions(shape->items)) ||
           (object && object->is_map && has_unions(object_values(object)));
}

void write_rust(struct model *model, struct buf *out)
{
    struct writer writer = { .out = out, .namer = { .model = model, .style = WORDS_SNAKE } };

    namer_reserve(&writer.namer, unusable, countof(unusable));
    for (size_t i = 0; i < countof(keywords); i++)
        names_add(&writer.keywords, 0, text_of(keywords[i]));
    if (model->types.count > 0 || has_unions(&model->root))
        buf_add_str(out, "use serde::{Deserialize, Serialize};\n");
    if (shape_kind(&model->root) != KIND_OBJECT)
        write_alias(&writer, model);
    for (size_t i = 0; i < model->types.count; i++)
        write_struct(&writer, model->types.item[i]);
    names_free(&writer.keywords);
    namer_free(&writer.namer);
}
