/* svc-utils/json-to-code/languages/go.c - structs for encoding/json, as gofmt writes them. */
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "code.h"
#include "idents.h"
#include "json-to-code/model/words.h"
#include "target.h"

enum { TYPES_BYTES = 1 << 20 };

#define TIME "time.Time"

/* ---- types ---- */

/* nil of these types is null, or absent with omitempty. All other types need a pointer for that. */
static bool is_nilable(enum kind kind)
{
    return kind == KIND_ANY || kind == KIND_NULL || kind == KIND_UNION || kind == KIND_ARRAY ||
           kind == KIND_MAP;
}

static void write_type(struct buf *out, const struct shape *shape)
{
    static const char *const names[] = {
        [KIND_ANY] = "interface{}", [KIND_NULL] = "interface{}", [KIND_UNION] = "interface{}",
        [KIND_BOOLEAN] = "bool",    [KIND_INTEGER] = "int64",    [KIND_UNSIGNED] = "uint64",
        [KIND_NUMBER] = "float64",  [KIND_STRING] = "string",    [KIND_ARRAY] = "[]",
        [KIND_MAP] = "map[string]", [KIND_OBJECT] = NULL,
    };
    enum kind kind = shape_kind(shape);
    if (shape_is_nullable(shape) && !is_nilable(kind))
        buf_add_byte(out, '*');
    if (shape_is_date_time(shape))
        buf_add_str(out, TIME);
    else
        buf_add_str(out, names[kind] ? names[kind] : shape_object(shape)->name);
    if (kind == KIND_ARRAY)
        write_type(out, shape->items);
    else if (kind == KIND_MAP)
        write_type(out, object_values(shape_object(shape)));
}

/*
 * omitempty also drops empty values. If the sample has an empty value, a pointer keeps it distinct
 * from an absent one.
 */
static void write_field_type(struct buf *out, const struct object *object,
                             const struct field *field)
{
    enum kind kind = shape_kind(&field->shape);
    bool can_be_empty = kind == KIND_ARRAY || kind == KIND_MAP;
    bool needs_pointer = is_nilable(kind) ? can_be_empty && field->shape.seen & SEEN_EMPTY
                                          : !shape_is_nullable(&field->shape);
    if (field_is_optional(object, field) && needs_pointer)
        buf_add_byte(out, '*');
    write_type(out, &field->shape);
}

/* ---- tags ---- */

/*
 * encoding/json ignores a tag name with any other character. The set of letters beyond ASCII
 * depends on Go's Unicode version, so only letters that identifiers keep are accepted.
 */
static bool is_tag_name(struct text key)
{
    size_t bytes;
    for (struct text left = key; left.size > 0; left = text_skip(left, bytes)) {
        uint32_t c = utf8_next(left, &bytes);
        bool is_sign = c != 0 && c < 0x80 && strchr("!#$%&()*+-./:;<=>?@[]^_{|}~ ", (int)c);
        if (!is_sign && !words_keeps(c))
            return false;
    }
    return key.size > 0;
}

bool go_is_struct(const struct object *object)
{
    for (const struct field *field = object->first; field; field = field->next)
        if (!is_tag_name(field->key))
            return false;
    return true;
}

/* ---- declarations ---- */

struct column {
    struct text *cell;
    size_t width; /* maximum, in characters */
};

static void pad_cell(struct buf *out, struct text cell, size_t width)
{
    size_t blanks = width + 1 - utf8_length(cell);
    buf_add(out, cell.bytes, cell.size);
    char *room = buf_reserve(out, blanks);
    if (!room)
        return;
    memset(room, ' ', blanks);
    out->size += blanks;
}

static void set_cell(struct column *column, size_t row, struct text cell)
{
    column->cell[row] = cell;
    column->width = MAX(column->width, utf8_length(cell));
}

static void write_fields(struct namer *namer, struct buf *out, const struct object *object)
{
    struct arena *arena = &namer->model->arena;
    scoped(mem_free) struct text *cells = mem_array(2 * object->field_count, sizeof(*cells));
    struct column names = { .cell = cells };
    struct column types = { .cell = cells + object->field_count };
    size_t row = 0;

    namer_begin(namer);
    for (const struct field *field = object->first; field; field = field->next, row++) {
        scoped(buf_free) struct buf type = BUF(TYPES_BYTES);
        write_field_type(&type, object, field);
        set_cell(&names, row, text_of(namer_next(namer, field)));
        set_cell(&types, row, text_of(arena_copy(arena, buf_text(&type))));
    }
    row = 0;
    for (const struct field *field = object->first; field; field = field->next, row++) {
        buf_add_byte(out, '\t');
        pad_cell(out, names.cell[row], names.width);
        pad_cell(out, types.cell[row], types.width);
        buf_add_str(out, "`json:\"");
        buf_add(out, field->key.bytes, field->key.size);
        buf_add_str(out, text_is(field->key, "-") && !field_is_optional(object, field) ? "," : "");
        buf_add_str(out, field_is_optional(object, field) ? ",omitempty\"`\n" : "\"`\n");
    }
}

/* The value type of a map that replaces a struct: the common type of all values, else any. */
static void write_values(struct buf *out, const struct object *object)
{
    scoped(buf_free) struct buf type = BUF(TYPES_BYTES);
    for (const struct field *field = object->first; field; field = field->next) {
        scoped(buf_free) struct buf other = BUF(TYPES_BYTES);
        write_type(&other, &field->shape);
        if (field == object->first)
            buf_add_str(&type, buf_str(&other));
        if (!text_is(buf_text(&other), buf_str(&type))) {
            buf_add_str(out, "interface{}");
            return;
        }
    }
    buf_add_str(out, buf_str(&type));
}

static void write_object(struct namer *namer, struct buf *out, const struct object *object)
{
    buf_format(out, "\ntype %s ", object->name);
    if (!object->first) {
        buf_add_str(out, "struct{}\n");
    } else if (!go_is_struct(object)) {
        buf_add_str(out, "map[string]");
        write_values(out, object);
        buf_add_byte(out, '\n');
    } else {
        buf_add_str(out, "struct {\n");
        write_fields(namer, out, object);
        buf_add_str(out, "}\n");
    }
}

/* Does the type require the time package? No other type contains a dot. */
static bool names_time(const struct object *object)
{
    scoped(buf_free) struct buf types = BUF(TYPES_BYTES);
    if (!go_is_struct(object))
        write_values(&types, object);
    for (const struct field *field = object->first; field && go_is_struct(object);
         field = field->next)
        write_type(&types, &field->shape);
    return strstr(buf_str(&types), TIME);
}

static void write_import(const struct model *model, struct buf *out)
{
    scoped(buf_free) struct buf root = BUF(TYPES_BYTES);
    write_type(&root, &model->root);
    bool is_needed = strstr(buf_str(&root), TIME);
    for (size_t i = 0; i < model->types.count && !is_needed; i++)
        is_needed = names_time(model->types.item[i]);
    if (is_needed)
        buf_add_str(out, "\nimport \"time\"\n");
}

void write_go(struct model *model, struct buf *out)
{
    scoped(namer_free) struct namer namer = { .model = model, .style = WORDS_GO };

    const char *dot = model->package ? strrchr(model->package, '.') : NULL;
    buf_format(out, "package %s\n", dot ? dot + 1 : model->package ? model->package : "main");
    if (model->wants_date_times)
        write_import(model, out);
    if (shape_kind(&model->root) != KIND_OBJECT) {
        buf_format(out, "\ntype %s ", model->root_name);
        write_type(out, &model->root);
        buf_add_byte(out, '\n');
    }
    for (size_t i = 0; i < model->types.count; i++)
        write_object(&namer, out, model->types.item[i]);
}
