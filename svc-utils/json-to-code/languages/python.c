/* svc-utils/json-to-code/languages/python.c - models for Pydantic 1 and 2. */
#include <string.h>

#include "code.h"
#include "idents.h"
#include "json-to-code/model/values.h"
#include "target.h"

/*
 * Reserved field names: Python's keywords, names in annotations, and attributes of BaseModel in
 * Pydantic 1 and 2 and of its metaclass, which Pydantic 1 also sees.
 */
/* clang-format off */
static const char *const reserved[] = {
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class",
    "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if",
    "import", "in", "is", "lambda", "match", "nonlocal", "not", "or", "pass", "raise", "return",
    "try", "while", "with", "yield",
    /* annotations */
    "bool", "float", "int", "str",
    /* BaseModel */
    "construct", "copy", "dict", "fields", "from_orm", "json", "mro", "parse_file", "parse_obj",
    "parse_raw", "register", "schema", "schema_json", "update_forward_refs", "validate",
};
/* clang-format on */

struct writer {
    struct namer namer;
    struct buf *out;
    const struct object *owner; /* of the field being written; NULL: the root */
    unsigned uses;              /* bits: index in imports */
    bool is_recursive;
};

enum import {
    DATETIME,
    ANY,
    DICT,
    LIST,
    LITERAL,
    OPTIONAL,
    UNION,
    BASE_MODEL,
    FIELD,
    STRICT_BOOL,
    STRICT_FLOAT,
    STRICT_INT,
    STRICT_STR,
};

/* In the order of the output. */
static const struct import_row {
    const char *module;
    const char *name;
} imports[] = {
    [DATETIME] = { "datetime", "datetime" },
    [ANY] = { "typing", "Any" },
    [DICT] = { "typing", "Dict" },
    [LIST] = { "typing", "List" },
    [LITERAL] = { "typing", "Literal" },
    [OPTIONAL] = { "typing", "Optional" },
    [UNION] = { "typing", "Union" },
    [BASE_MODEL] = { "pydantic", "BaseModel" },
    [FIELD] = { "pydantic", "Field" },
    [STRICT_BOOL] = { "pydantic", "StrictBool" },
    [STRICT_FLOAT] = { "pydantic", "StrictFloat" },
    [STRICT_INT] = { "pydantic", "StrictInt" },
    [STRICT_STR] = { "pydantic", "StrictStr" },
};

static void use_import(struct writer *writer, enum import import)
{
    writer->uses |= 1U << import;
    buf_add_str(writer->out, imports[import].name);
}

/* ---- types ---- */

static void write_type(struct writer *writer, const struct shape *shape, bool is_optional);

static void write_object(struct writer *writer, const struct object *object)
{
    if (writer->owner && object->rank >= writer->owner->rank)
        writer->is_recursive = true; /* not defined yet */
    buf_add_str(writer->out, object->name);
}

static void write_words(struct writer *writer, const struct values *values)
{
    use_import(writer, LITERAL);
    for (size_t i = 0; i < values->count; i++) {
        buf_add_str(writer->out, i > 0 ? ", " : "[");
        code_quote(writer->out, values->item[i], QUOTE_PYTHON);
    }
    buf_add_byte(writer->out, ']');
}

static void write_kind(struct writer *writer, const struct shape *shape, enum kind kind)
{
    static const char *const names[] = {
        [KIND_BOOLEAN] = "bool", [KIND_INTEGER] = "int", [KIND_UNSIGNED] = "int",
        [KIND_NUMBER] = "float", [KIND_STRING] = "str",
    };
    if (shape_is_enum(shape)) {
        write_words(writer, shape->values);
    } else if (shape_is_date_time(shape)) {
        use_import(writer, DATETIME);
    } else if (kind < KIND_ARRAY) {
        buf_add_str(writer->out, names[kind]);
    } else if (kind == KIND_OBJECT) {
        write_object(writer, shape_object(shape));
    } else {
        use_import(writer, kind == KIND_ARRAY ? LIST : DICT);
        buf_add_str(writer->out, kind == KIND_ARRAY ? "[" : "[str, ");
        write_type(writer, kind == KIND_ARRAY ? shape->items : object_values(shape_object(shape)),
                   false);
        buf_add_byte(writer->out, ']');
    }
}

/*
 * No value of a union may be converted to another type: scalars are strict and come before models,
 * because Pydantic 1 makes a model of an empty string or list.
 */
static void write_union(struct writer *writer, const struct shape *shape, unsigned kinds)
{
    static const struct {
        unsigned kinds;
        enum import import;
    } scalars[] = {
        { 1 << KIND_BOOLEAN, STRICT_BOOL },
        { 1 << KIND_INTEGER | 1 << KIND_UNSIGNED | 1 << KIND_NUMBER, STRICT_INT },
        { 1 << KIND_NUMBER, STRICT_FLOAT },
        { 1 << KIND_STRING, STRICT_STR },
    };
    const char *separator = "[";
    use_import(writer, UNION);
    for (size_t i = 0; i < countof(scalars); i++) {
        if (!(kinds & scalars[i].kinds))
            continue;
        buf_add_str(writer->out, separator);
        use_import(writer, scalars[i].import);
        separator = ", ";
    }
    for (unsigned left = kinds >> KIND_ARRAY << KIND_ARRAY; left; left &= left - 1) {
        buf_add_str(writer->out, separator);
        write_kind(writer, shape, (enum kind)__builtin_ctz(left));
        separator = ", ";
    }
    buf_add_byte(writer->out, ']');
}

static void write_type(struct writer *writer, const struct shape *shape, bool is_optional)
{
    enum kind kind = shape_kind(shape);
    is_optional |= shape_is_nullable(shape);
    if (is_optional) {
        use_import(writer, OPTIONAL);
        buf_add_byte(writer->out, '[');
    }
    if (kind == KIND_ANY || kind == KIND_NULL)
        use_import(writer, ANY);
    else if (kind == KIND_UNION)
        write_union(writer, shape, shape_kinds(shape));
    else
        write_kind(writer, shape, kind);
    if (is_optional)
        buf_add_byte(writer->out, ']');
}

/* ---- models ---- */

static void write_default(struct writer *writer, const char *name, struct text key,
                          bool is_optional, bool is_nullable)
{
    bool is_renamed = !text_is(key, name);
    if (!is_renamed && !is_optional && !is_nullable)
        return;
    buf_add_str(writer->out, " = ");
    if (!is_renamed && is_optional) {
        buf_add_str(writer->out, "None");
        return;
    }
    use_import(writer, FIELD);
    buf_add_str(writer->out, is_optional ? "(None" : "(...");
    if (is_renamed) {
        buf_add_str(writer->out, ", alias=");
        code_quote(writer->out, key, QUOTE_PYTHON);
    }
    buf_add_byte(writer->out, ')');
}

/* Write a model; returns whether it refers to a model that is defined later. */
static bool write_model(struct writer *writer, const struct object *object)
{
    writer->owner = object;
    writer->is_recursive = false;
    namer_begin(&writer->namer);
    buf_format(writer->out, "\n\nclass %s(", object->name);
    use_import(writer, BASE_MODEL);
    buf_add_str(writer->out, "):\n");
    for (const struct field *field = object->first; field; field = field->next) {
        const char *name = namer_next(&writer->namer, field);
        bool is_optional = field_is_optional(object, field);
        buf_add_str(writer->out, "    ");
        buf_add_str(writer->out, name);
        buf_add_str(writer->out, ": ");
        write_type(writer, &field->shape, is_optional);
        write_default(writer, name, field->key, is_optional, shape_is_nullable(&field->shape));
        buf_add_byte(writer->out, '\n');
    }
    if (!object->first)
        buf_add_str(writer->out, "    pass\n");
    return writer->is_recursive;
}

/* ---- the file ---- */

/* Python's standard modules form one group. */
static const char *break_before(const char *last, const char *module)
{
    return !*last ? "" : strcmp(module, "pydantic") == 0 ? "\n\n" : "\n";
}

static void write_imports(const struct writer *writer, struct buf *out)
{
    const char *module = "";
    for (size_t i = 0; i < countof(imports); i++) {
        if (!(writer->uses & 1U << i))
            continue;
        if (strcmp(module, imports[i].module) == 0)
            buf_format(out, ", %s", imports[i].name);
        else
            buf_format(out, "%sfrom %s import %s", break_before(module, imports[i].module),
                       imports[i].module, imports[i].name);
        module = imports[i].module;
    }
    buf_add_str(out, *module ? "\n" : "");
}

static void write_rebuild(struct buf *out, const char *name)
{
    buf_format(out,
               "\nif hasattr(%s, \"model_rebuild\"):  # Pydantic 2\n"
               "    %s.model_rebuild()\n"
               "else:\n"
               "    %s.update_forward_refs()\n",
               name, name, name);
}

static void write_all(struct writer *writer, struct buf *rebuilds)
{
    const struct model *model = writer->namer.model;
    for (size_t i = 0; i < model->inner_first.count; i++) {
        const struct object *object = model->inner_first.item[i];
        if (write_model(writer, object))
            write_rebuild(rebuilds, object->name);
    }
    if (shape_kind(&model->root) != KIND_OBJECT) {
        writer->owner = NULL;
        buf_format(writer->out, "\n%s%s = ", model->types.count > 0 ? "\n" : "", model->root_name);
        write_type(writer, &model->root, false);
        buf_add_byte(writer->out, '\n');
    }
}

void write_python(struct model *model, struct buf *out)
{
    scoped(buf_free) struct buf body = BUF(out->max_bytes);
    scoped(buf_free) struct buf rebuilds = BUF(out->max_bytes);
    struct writer writer = { .out = &body };

    /* Pydantic 2 reserves names that begin with model_ */
    writer.namer =
        (struct namer){ .model = model, .style = WORDS_SNAKE, .reserved_prefix = "model_" };
    namer_reserve(&writer.namer, reserved, countof(reserved));
    if (model->wants_date_times) /* used by the annotations */
        namer_reserve(&writer.namer, &imports[DATETIME].name, 1);
    for (size_t i = 0; i < model->types.count; i++)
        namer_reserve(&writer.namer, &model->types.item[i]->name, 1);
    write_all(&writer, &rebuilds);
    namer_free(&writer.namer);

    if (rebuilds.size > 0)
        buf_add_str(out, "from __future__ import annotations\n\n");
    write_imports(&writer, out);
    const char *start = out->size > 0 ? "" : "\n"; /* an alias alone does not need imports */
    buf_add_str(out, buf_str(&body) + strlen(start));
    if (rebuilds.size > 0)
        buf_format(out, "\n%s", buf_str(&rebuilds));
    out->full |= body.full || rebuilds.full;
}
