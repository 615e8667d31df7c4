/* svc-utils/json-to-code/languages/csharp.c - classes for Newtonsoft.Json, in C# 6. */
#include <string.h>
#include <strings.h>

#include "code.h"
#include "enums.h"
#include "idents.h"
#include "json-to-code/model/values.h"
#include "target.h"

/* Members of every object, which a property would hide. */
static const char *const reserved[] = { "Equals",  "Finalize",        "GetHashCode",
                                        "GetType", "MemberwiseClone", "ReferenceEquals",
                                        "ToString" };

enum import { COLLECTIONS, SERIALIZATION, JSON, CONVERTERS, LINQ };

static const char *const imports[] = {
    [COLLECTIONS] = "System.Collections.Generic",
    [SERIALIZATION] = "System.Runtime.Serialization",
    [JSON] = "Newtonsoft.Json",
    [CONVERTERS] = "Newtonsoft.Json.Converters",
    [LINQ] = "Newtonsoft.Json.Linq",
};

struct writer {
    struct namer namer;
    struct buf *out;
    const char *indent; /* of types: in a namespace or not */
    unsigned uses;      /* bits: index in imports */
};

static void use_name(struct writer *writer, enum import import, const char *name)
{
    writer->uses |= 1U << import;
    buf_add_str(writer->out, name);
}

/* ---- types ---- */

/* Newtonsoft.Json ignores the case of an enum's words: two that differ only in case stay text. */
static bool is_enum(const struct shape *shape)
{
    const struct values *values = shape->values;
    if (!shape_is_enum(shape))
        return false;
    for (size_t i = 0; i < values->count; i++)
        for (size_t j = i + 1; j < values->count; j++)
            if (values->item[i].size == values->item[j].size &&
                strncasecmp(values->item[i].bytes, values->item[j].bytes, values->item[i].size) ==
                    0)
                return false;
    return true;
}

static void write_type(struct writer *writer, const struct shape *shape, bool may_be_null);

static void write_container(struct writer *writer, const struct shape *shape, enum kind kind)
{
    const struct shape *inner =
        kind == KIND_ARRAY ? shape->items : object_values(shape_object(shape));
    use_name(writer, COLLECTIONS, kind == KIND_ARRAY ? "List<" : "Dictionary<string, ");
    write_type(writer, inner, shape_is_nullable(inner));
    buf_add_byte(writer->out, '>');
}

/* The name of a type without null; false if the type allows null anyway. */
static bool write_value_type(struct writer *writer, const struct shape *shape, enum kind kind)
{
    static const char *const names[] = {
        [KIND_BOOLEAN] = "bool",  [KIND_INTEGER] = "long", [KIND_UNSIGNED] = "ulong",
        [KIND_NUMBER] = "double", [KIND_UNION] = NULL, /* and all others: below */
    };
    if (is_enum(shape))
        buf_add_str(writer->out, shape->own_name);
    else if (names[kind])
        buf_add_str(writer->out, names[kind]);
    else
        return false;
    return true;
}

static void write_type(struct writer *writer, const struct shape *shape, bool may_be_null)
{
    enum kind kind = shape_kind(shape);
    if (write_value_type(writer, shape, kind))
        buf_add_str(writer->out, may_be_null ? "?" : "");
    else if (kind == KIND_STRING)
        buf_add_str(writer->out, "string");
    else if (kind == KIND_ARRAY || kind == KIND_MAP)
        write_container(writer, shape, kind);
    else if (kind == KIND_OBJECT)
        buf_add_str(writer->out, shape_object(shape)->name);
    else
        use_name(writer, LINQ, "JToken");
}

/* ---- classes ---- */

static void write_property(struct writer *writer, const struct object *object,
                           const struct field *field)
{
    bool is_optional = field_is_optional(object, field);
    buf_format(writer->out, "%s    [", writer->indent);
    use_name(writer, JSON, "JsonProperty(");
    code_quote(writer->out, field->key, QUOTE_JSON);
    buf_add_str(writer->out,
                is_optional ? ", NullValueHandling = NullValueHandling.Ignore)]\n" : ")]\n");
    buf_format(writer->out, "%s    public ", writer->indent);
    write_type(writer, &field->shape, is_optional || shape_is_nullable(&field->shape));
    buf_format(writer->out, " %s { get; set; }\n", namer_next(&writer->namer, field));
}

static void write_class(struct writer *writer, const struct object *object)
{
    buf_format(writer->out, "%spublic class %s\n%s{\n", writer->indent, object->name,
               writer->indent);
    namer_begin(&writer->namer);
    /* No member may have the name of its class. */
    idents_add(&writer->namer.idents, object->name, &writer->namer.model->arena);
    for (const struct field *field = object->first; field; field = field->next) {
        write_property(writer, object, field);
        buf_add_str(writer->out, field->next ? "\n" : "");
    }
    buf_format(writer->out, "%s}\n", writer->indent);
}

/* C# cannot name other types: a comment says what the document is. */
static void write_root_comment(struct writer *writer, const struct model *model)
{
    buf_format(writer->out, "%s/* The document itself is a ", writer->indent);
    write_type(writer, &model->root, shape_is_nullable(&model->root));
    buf_add_str(writer->out, ". */\n");
}

/* ---- enums ---- */

static void write_word(struct buf *out, struct text word, const char *name, bool is_last)
{
    buf_add_str(out, "        [EnumMember(Value = ");
    code_quote(out, word, QUOTE_JSON);
    buf_format(out, ")]\n        %s%s\n", name, is_last ? "" : ",");
}

static void write_words(void *context, const struct shape *shape)
{
    struct writer *writer = context;
    if (!is_enum(shape))
        return;
    writer->uses |= 1U << JSON | 1U << CONVERTERS | 1U << SERIALIZATION;
    buf_format(writer->out,
               "\n%s[JsonConverter(typeof(StringEnumConverter))]\n%spublic enum %s\n%s{\n",
               writer->indent, writer->indent, shape->own_name, writer->indent);
    enums_write(writer->namer.model, shape, ENUMS_PASCAL, write_word, writer->out);
    buf_format(writer->out, "%s}\n", writer->indent);
}

/* ---- the file ---- */

static void write_all(struct writer *writer, const struct model *model)
{
    if (shape_kind(&model->root) != KIND_OBJECT) {
        write_root_comment(writer, model);
        enums_of(&model->root, write_words, writer);
    }
    for (size_t i = 0; i < model->types.count; i++) {
        buf_add_str(writer->out, writer->out->size > 0 ? "\n" : "");
        write_class(writer, model->types.item[i]);
    }
    for (size_t i = 0; i < model->types.count; i++)
        for (const struct field *field = model->types.item[i]->first; field; field = field->next)
            enums_of(&field->shape, write_words, writer);
}

/* org.example is Org.Example. */
static void write_namespace(struct buf *out, const char *package)
{
    buf_add_str(out, "namespace ");
    for (const char *at = package; *at; at++) {
        bool begins = at == package || at[-1] == '.';
        buf_add_byte(out, begins && *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at);
    }
    buf_add_str(out, "\n{\n");
}

void write_csharp(struct model *model, struct buf *out)
{
    scoped(buf_free) struct buf body = BUF(out->max_bytes);
    struct writer writer = { .out = &body,
                             .indent = model->package ? "    " : "",
                             .namer = { .model = model, .style = WORDS_PASCAL } };

    namer_reserve(&writer.namer, reserved, countof(reserved));
    write_all(&writer, model);
    namer_free(&writer.namer);
    for (size_t i = 0; i < countof(imports); i++)
        if (writer.uses & 1U << i)
            buf_format(out, "using %s;\n", imports[i]);
    buf_add_str(out, writer.uses ? "\n" : "");
    if (model->package)
        write_namespace(out, model->package);
    buf_add_str(out, buf_str(&body));
    buf_add_str(out, model->package ? "}\n" : "");
    out->full |= body.full;
}
