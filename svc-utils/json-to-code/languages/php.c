/*
 * svc-utils/json-to-code/languages/php.c - readonly classes of PHP 8.2. from() takes what
 * json_decode() returns, and json_encode() takes what to() returns: both are objects, because an
 * array of PHP cannot distinguish {} from [].
 */
#include <string.h>
#include <strings.h>

#include "code.h"
#include "enums.h"
#include "idents.h"
#include "target.h"

/* Names that no class may have, in any case. From the PHP manual, appendix of reserved words. */
static const char *const keywords[] = {
    "abstract",   "and",      "array",      "as",        "bool",      "break",     "callable",
    "case",       "catch",    "class",      "clone",     "const",     "continue",  "declare",
    "default",    "die",      "do",         "echo",      "else",      "elseif",    "empty",
    "enddeclare", "endfor",   "endforeach", "endif",     "endswitch", "endwhile",  "enum",
    "eval",       "exit",     "extends",    "false",     "final",     "finally",   "float",
    "fn",         "for",      "foreach",    "function",  "global",    "goto",      "if",
    "implements", "include",  "instanceof", "insteadof", "int",       "interface", "isset",
    "iterable",   "list",     "match",      "mixed",     "namespace", "never",     "new",
    "null",       "object",   "or",         "parent",    "print",     "private",   "protected",
    "public",     "readonly", "require",    "return",    "self",      "static",    "string",
    "switch",     "throw",    "trait",      "true",      "try",       "unset",     "use",
    "var",        "void",     "while",      "xor",       "yield",
};

static const char *const reserved_properties[] = { "this" };

struct writer {
    struct namer namer;
    struct buf *out;
};

/* ---- names ---- */

/* Names of types have no underscore at their end, so this is a new one. */
static void write_name(struct buf *out, const char *name)
{
    buf_add_str(out, name);
    for (size_t i = 0; i < countof(keywords); i++)
        if (strcasecmp(name, keywords[i]) == 0)
            buf_add_byte(out, '_');
}

/* The member of a decoded object. */
static void write_member(struct buf *out, const struct field *field)
{
    buf_add_str(out, "$data->");
    if (code_is_plain_name(field->key)) {
        buf_add(out, field->key.bytes, field->key.size);
        return;
    }
    buf_add_byte(out, '{');
    code_quote(out, field->key, QUOTE_PHP);
    buf_add_byte(out, '}');
}

/* ---- types ---- */

static const char *const scalars[] = {
    [KIND_BOOLEAN] = "bool", [KIND_INTEGER] = "int",   [KIND_UNSIGNED] = "int|float",
    [KIND_NUMBER] = "float", [KIND_STRING] = "string", [KIND_UNION] = NULL,
};

static bool is_unknown(enum kind kind)
{
    return kind == KIND_ANY || kind == KIND_NULL;
}

static bool has_kind(const struct shape *shape, enum kind kind)
{
    return shape_kinds(shape) & 1U << kind;
}

/* The declared type of one kind. A map of a union stays as it was decoded: both may be arrays. */
static void write_kind(struct buf *out, const struct shape *shape, enum kind kind, bool is_alone)
{
    if (kind == KIND_STRING && shape_is_enum(shape))
        write_name(out, shape->own_name);
    else if (scalars[kind])
        buf_add_str(out, scalars[kind]);
    else if (kind == KIND_OBJECT)
        write_name(out, shape_object(shape)->name);
    else
        buf_add_str(out, kind == KIND_MAP && !is_alone ? "\\stdClass" : "array");
}

static void write_type(struct buf *out, const struct shape *shape, bool may_be_null)
{
    enum kind kind = shape_kind(shape);
    bool has_several = kind == KIND_UNION || kind == KIND_UNSIGNED;
    const char *separator = "";
    if (is_unknown(kind)) {
        buf_add_str(out, "mixed");
        return;
    }
    buf_add_str(out, may_be_null && !has_several ? "?" : "");
    for (unsigned left = shape_kinds(shape); left; left &= left - 1) {
        buf_add_str(out, separator);
        write_kind(out, shape, (enum kind)__builtin_ctz(left), kind != KIND_UNION);
        separator = "|";
    }
    buf_add_str(out, may_be_null && has_several ? "|null" : "");
}

/* The type with the elements of its arrays, as PHPStan and Psalm read it. */
static void write_doc_type(struct buf *out, const struct shape *shape, bool may_be_null)
{
    enum kind kind = shape_kind(shape);
    const char *separator = "";
    if (is_unknown(kind)) {
        buf_add_str(out, "mixed");
        return;
    }
    for (unsigned left = shape_kinds(shape); left; left &= left - 1) {
        enum kind one = (enum kind)__builtin_ctz(left);
        const struct shape *inner = one == KIND_ARRAY ? shape->items
                                    : one == KIND_MAP && kind == KIND_MAP
                                        ? object_values(shape_object(shape))
                                        : NULL;
        buf_add_str(out, separator);
        separator = "|";
        if (!inner) {
            write_kind(out, shape, one, kind != KIND_UNION);
            continue;
        }
        buf_add_str(out, one == KIND_ARRAY ? "list<" : "array<string, ");
        write_doc_type(out, inner, shape_is_nullable(inner));
        buf_add_byte(out, '>');
    }
    buf_add_str(out, may_be_null ? "|null" : "");
}

/* ---- conversions ---- */

/* Does a value differ from what json_decode() returns? */
static bool is_converted(const struct shape *shape)
{
    enum kind kind = shape_kind(shape);
    return kind == KIND_MAP || has_kind(shape, KIND_OBJECT) || shape_is_enum(shape) ||
           (shape->items && is_converted(shape->items));
}

typedef void write_value(struct buf *out, const struct shape *shape, const char *value,
                         bool may_be_null);

/* array_map() over a list or a map; the elements as they are if nothing converts them. */
static void write_each(struct buf *out, const struct shape *inner, const char *value,
                       write_value *write)
{
    if (!is_converted(inner)) {
        buf_add_str(out, value);
        return;
    }
    buf_add_str(out, "array_map(static fn ($item) => ");
    write(out, inner, "$item", shape_is_nullable(inner));
    buf_format(out, ", %s)", value);
}

static void write_from(struct buf *out, const struct shape *shape, const char *value,
                       bool may_be_null);

static void write_from_union(struct buf *out, const struct shape *shape, const char *value)
{
    buf_add_str(out, "match (true) { ");
    if (has_kind(shape, KIND_OBJECT)) {
        buf_format(out, "is_object(%s) => ", value);
        write_name(out, shape_object(shape)->name);
        buf_format(out, "::from(%s), ", value);
    }
    if (shape->items && is_converted(shape->items)) {
        buf_format(out, "is_array(%s) => ", value);
        write_each(out, shape->items, value, write_from);
        buf_add_str(out, ", ");
    }
    buf_format(out, "default => %s }", value);
}

/* The property's value for a decoded one. */
static void write_from(struct buf *out, const struct shape *shape, const char *value,
                       bool may_be_null)
{
    enum kind kind = shape_kind(shape);
    if (may_be_null)
        buf_format(out, "isset(%s) ? ", value);
    if (kind == KIND_UNION) {
        write_from_union(out, shape, value);
    } else if (kind == KIND_ARRAY) {
        write_each(out, shape->items, value, write_from);
    } else if (kind == KIND_MAP) {
        scoped(buf_free) struct buf array = BUF(out->max_bytes);
        buf_format(&array, "(array) %s", value);
        write_each(out, object_values(shape_object(shape)), buf_str(&array), write_from);
    } else {
        write_name(out, kind == KIND_OBJECT ? shape_object(shape)->name : shape->own_name);
        buf_format(out, "::from(%s)", value);
    }
    buf_add_str(out, may_be_null ? " : null" : "");
}

static void write_to(struct buf *out, const struct shape *shape, const char *value,
                     bool may_be_null);

static void write_to_union(struct buf *out, const struct shape *shape, const char *value)
{
    buf_add_str(out, "match (true) { ");
    if (has_kind(shape, KIND_OBJECT)) {
        buf_format(out, "%s instanceof ", value);
        write_name(out, shape_object(shape)->name);
        buf_format(out, " => %s->to(), ", value);
    }
    if (shape->items && is_converted(shape->items)) {
        buf_format(out, "is_array(%s) => ", value);
        write_each(out, shape->items, value, write_to);
        buf_add_str(out, ", ");
    }
    buf_format(out, "default => %s }", value);
}

/* The value to encode for a property's. */
static void write_to(struct buf *out, const struct shape *shape, const char *value,
                     bool may_be_null)
{
    enum kind kind = shape_kind(shape);
    const char *arrow = may_be_null ? "?->" : "->";
    if (kind == KIND_OBJECT || kind == KIND_STRING) {
        buf_format(out, "%s%s%s", value, arrow, kind == KIND_OBJECT ? "to()" : "value");
        return;
    }
    if (kind == KIND_UNION) {
        write_to_union(out, shape, value);
        return;
    }
    if (may_be_null)
        buf_format(out, "%s === null ? null : ", value);
    buf_add_str(out, kind == KIND_MAP ? "(object) " : "");
    write_each(out, kind == KIND_MAP ? object_values(shape_object(shape)) : shape->items, value,
               write_to);
}

/* ---- classes ---- */

static bool has_elements(const struct shape *shape)
{
    return shape->items || shape_kind(shape) == KIND_MAP;
}

static void write_property(struct buf *out, const struct object *object, const struct field *field,
                           const char *name)
{
    bool is_optional = field_is_optional(object, field);
    bool may_be_null = is_optional || shape_is_nullable(&field->shape);
    if (has_elements(&field->shape)) {
        buf_add_str(out, "        /** @var ");
        write_doc_type(out, &field->shape, may_be_null);
        buf_add_str(out, " */\n");
    }
    buf_add_str(out, "        public ");
    write_type(out, &field->shape, may_be_null);
    buf_format(out, " $%s%s,\n", name, is_optional ? " = null" : "");
}

/* PHP wants parameters with a default value behind all others. */
static void write_constructor(struct buf *out, const struct object *object, char **names)
{
    buf_add_str(out, "    public function __construct(\n");
    for (int is_optional = 0; is_optional < 2; is_optional++) {
        size_t i = 0;
        for (const struct field *field = object->first; field; field = field->next, i++)
            if (field_is_optional(object, field) == is_optional)
                write_property(out, object, field, names[i]);
    }
    buf_add_str(out, "    ) {\n    }\n\n");
}

static void write_argument(struct buf *out, const struct object *object, const struct field *field)
{
    scoped(buf_free) struct buf value = BUF(out->max_bytes);
    bool is_optional = field_is_optional(object, field);
    write_member(&value, field);
    if (is_converted(&field->shape))
        write_from(out, &field->shape, buf_str(&value),
                   is_optional || shape_is_nullable(&field->shape));
    else
        buf_format(out, "%s%s", buf_str(&value), is_optional ? " ?? null" : "");
}

static void write_reader(struct buf *out, const struct object *object, char **names)
{
    size_t i = 0;
    buf_add_str(out, "    public static function from(\\stdClass $data): self\n    {\n"
                     "        return new self(");
    buf_add_str(out, object->first ? "\n" : "");
    for (const struct field *field = object->first; field; field = field->next) {
        buf_format(out, "            %s: ", names[i++]);
        write_argument(out, object, field);
        buf_add_str(out, ",\n");
    }
    buf_format(out, "%s);\n    }\n\n", object->first ? "        " : "");
}

static void write_assignment(struct buf *out, const struct object *object,
                             const struct field *field, const char *name)
{
    scoped(buf_free) struct buf value = BUF(out->max_bytes);
    bool is_optional = field_is_optional(object, field);
    buf_format(&value, "$this->%s", name);
    if (is_optional)
        buf_format(out, "        if (%s !== null) {\n    ", buf_str(&value));
    buf_add_str(out, "        ");
    write_member(out, field);
    buf_add_str(out, " = ");
    if (is_converted(&field->shape))
        write_to(out, &field->shape, buf_str(&value),
                 !is_optional && shape_is_nullable(&field->shape));
    else
        buf_add_str(out, buf_str(&value));
    buf_add_str(out, is_optional ? ";\n        }\n" : ";\n");
}

static void write_writer(struct buf *out, const struct object *object, char **names)
{
    size_t i = 0;
    buf_add_str(out, "    public function to(): \\stdClass\n    {\n"
                     "        $data = new \\stdClass();\n");
    for (const struct field *field = object->first; field; field = field->next)
        write_assignment(out, object, field, names[i++]);
    buf_add_str(out, "        return $data;\n    }\n");
}

/* Names are requested in the order of the fields, and used three times. */
static void write_class(struct writer *writer, const struct object *object)
{
    struct arena *arena = &writer->namer.model->arena;
    char **names = arena_get(arena, (object->field_count + 1) * sizeof(*names));
    size_t i = 0;
    namer_begin(&writer->namer);
    for (const struct field *field = object->first; field; field = field->next)
        names[i++] = arena_copy(arena, text_of(namer_next(&writer->namer, field)));
    buf_add_str(writer->out, "\nfinal readonly class ");
    write_name(writer->out, object->name);
    buf_add_str(writer->out, "\n{\n");
    if (object->first)
        write_constructor(writer->out, object, names);
    write_reader(writer->out, object, names);
    write_writer(writer->out, object, names);
    buf_add_str(writer->out, "}\n");
}

/* ---- enums ---- */

/* Each enum has a constant of the name class, in any case. */
static void write_word(struct buf *out, struct text word, const char *name, bool is_last)
{
    (void)is_last;
    buf_format(out, "    case %s%s = ", name, strcasecmp(name, "class") == 0 ? "_" : "");
    code_quote(out, word, QUOTE_PHP);
    buf_add_str(out, ";\n");
}

static void write_words(void *context, const struct shape *shape)
{
    struct writer *writer = context;
    buf_add_str(writer->out, "\nenum ");
    write_name(writer->out, shape->own_name);
    buf_add_str(writer->out, ": string\n{\n");
    enums_write(writer->namer.model, shape, ENUMS_PASCAL, write_word, writer->out);
    buf_add_str(writer->out, "}\n");
}

/* ---- the file ---- */

/* org.example is Org\Example. No namespace begins with the word itself. */
static void write_namespace(struct buf *out, const char *package)
{
    bool is_word =
        text_equals((struct text){ package, strcspn(package, ".") }, text_of("namespace"));
    buf_format(out, "namespace %s", is_word ? "_" : "");
    for (const char *at = package; *at; at++) {
        bool begins = at == package || at[-1] == '.';
        buf_add_byte(out, *at == '.'                           ? '\\'
                          : begins && *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A')
                                                               : *at);
    }
    buf_add_str(out, ";\n");
}

/* PHP cannot name other types: a comment says what the document is. */
static void write_root_comment(struct writer *writer, const struct model *model)
{
    buf_add_str(writer->out, "\n/* The document itself is ");
    write_doc_type(writer->out, &model->root, shape_is_nullable(&model->root));
    buf_add_str(writer->out, ". */\n");
    enums_of(&model->root, write_words, writer);
}

void write_php(struct model *model, struct buf *out)
{
    struct writer writer = { .out = out, .namer = { .model = model, .style = WORDS_CAMEL } };

    namer_reserve(&writer.namer, reserved_properties, countof(reserved_properties));
    buf_add_str(out, "<?php\n\ndeclare(strict_types=1);\n\n");
    /* Without a namespace, Error and other classes of PHP itself could not be declared. */
    write_namespace(out, model->package ? model->package : "app");
    if (shape_kind(&model->root) != KIND_OBJECT)
        write_root_comment(&writer, model);
    for (size_t i = 0; i < model->types.count; i++) {
        const struct object *object = model->types.item[i];
        write_class(&writer, object);
        for (const struct field *field = object->first; field; field = field->next)
            enums_of(&field->shape, write_words, &writer);
    }
    namer_free(&writer.namer);
}
