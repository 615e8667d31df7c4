/* portal/public/schema-rows.c - words for the schemas that svc/contract.h allows. */
#include "portal/public/schema-rows.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/scoped.h"
#include "portal/base/numbers.h"
#include "text/json.h"

enum { CELL_BYTES = 8 << 10, INDENT_MAX = 3 };

void value_write(const cJSON *value, struct buf *out)
{
    struct text text = json_text_of(value);
    if (text.size > 0)
        buf_add(out, text.bytes, text.size);
    else
        json_print(value, out);
}

bool schema_requires(const cJSON *schema, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(schema, "required"))
        if (text_is(json_text_of(item), name))
            return true;
    return false;
}

/* ---- type ---- */

static void add_type(const cJSON *schema, const char *name, struct buf *out)
{
    const char *format = json_text(schema, "/format");
    const char *of = json_text(schema, "/items/type");
    if (format && strcmp(name, "string") == 0)
        buf_add_str(out, format);
    else if (of && strcmp(name, "array") == 0)
        buf_format(out, "array of %s", of);
    else
        buf_add_str(out, name);
}

void schema_type_write(const cJSON *schema, struct buf *out)
{
    const cJSON *type = json_get(schema, "type");
    const cJSON *item;
    bool is_first = true;
    if (json_is(type, cJSON_String))
        add_type(schema, type->valuestring, out);
    else if (!type)
        buf_add_str(out, json_get(schema, "properties") ? "object" : "any");
    if (!json_is(type, cJSON_Array))
        return;
    cJSON_ArrayForEach(item, type) {
        if (!is_first)
            buf_add_str(out, " or ");
        is_first = false;
        add_type(schema, json_text_of(item).bytes, out);
    }
}

/* ---- limits ---- */

static const struct range {
    const char *least;
    const char *most;
    const char *unit;
} ranges[] = {
    { "minimum", "maximum", "" },
    { "minLength", "maxLength", " characters" },
    { "minItems", "maxItems", " items" },
};

static void begin_limit(const char *each, size_t begin, struct buf *out)
{
    if (out->size > begin)
        buf_add_str(out, "; ");
    buf_add_str(out, each);
}

static void number_text(const cJSON *number, char out[static NUMBER_BYTES])
{
    scoped(buf_free) struct buf digits = BUF(NUMBER_BYTES - 1);
    if (json_is_integer(number)) {
        number_write((int64_t)number->valuedouble, out);
        return;
    }
    json_print(number, &digits);
    memcpy(out, buf_str(&digits), digits.size + 1);
}

/* A unit ends with "s", except after 1. */
static void add_count(const char *number, const char *unit, struct buf *out)
{
    size_t size = strlen(unit);
    if (size > 0 && strcmp(number, "1") == 0)
        size--;
    buf_format(out, "%s%.*s", number, (int)size, unit);
}

static void add_range(const cJSON *schema, const struct range *range, const char *each,
                      size_t begin, struct buf *out)
{
    const cJSON *least = json_get(schema, range->least);
    const cJSON *most = json_get(schema, range->most);
    char low[NUMBER_BYTES];
    char high[NUMBER_BYTES];
    if (!least && !most)
        return;
    begin_limit(each, begin, out);
    if (least)
        number_text(least, low);
    if (most)
        number_text(most, high);
    if (!most)
        buf_add_str(out, "at least ");
    else if (!least)
        buf_add_str(out, "at most ");
    else if (strcmp(low, high) != 0)
        buf_format(out, "%s to ", low);
    add_count(most ? high : low, range->unit, out);
}

static void add_listed(const cJSON *values, struct buf *out)
{
    const cJSON *value;
    cJSON_ArrayForEach(value, values) {
        if (value != values->child)
            buf_add_str(out, ", ");
        value_write(value, out);
    }
}

/* each: "" for the value, "each " for the items of a list. */
static void add_limits(const cJSON *schema, const char *each, size_t begin, struct buf *out)
{
    const cJSON *choices = json_get(schema, "enum");
    if (choices) {
        begin_limit(each, begin, out);
        buf_add_str(out, "one of ");
        add_listed(choices, out);
    }
    for (size_t i = 0; i < countof(ranges); i++)
        add_range(schema, &ranges[i], each, begin, out);
    if (!each[0] && json_get(schema, "items"))
        add_limits(json_get(schema, "items"), "each ", begin, out);
}

void schema_limits_write(const cJSON *schema, struct buf *out)
{
    add_limits(schema, "", out->size, out);
}

/* ---- rows ---- */

/* The parent of a row. */
struct holder {
    const char *path; /* "" at the top, otherwise it ends with "." or "[]." */
    int64_t depth;
};

static void add_rows(const cJSON *schema, struct holder holder, cJSON *list);

/* Both absent, or equal. */
static bool is_same(const cJSON *a, const cJSON *b)
{
    return a && b ? json_equal(a, b) : a == b;
}

/* An earlier property of the same object with the same fields. */
static const cJSON *same_before(const cJSON *properties, const cJSON *field)
{
    const cJSON *other;
    if (!json_get(field, "properties") && !json_at(field, "/items/properties"))
        return NULL;
    cJSON_ArrayForEach(other, properties) {
        if (other == field)
            return NULL;
        if (is_same(json_get(other, "properties"), json_get(field, "properties")) &&
            is_same(json_get(other, "items"), json_get(field, "items")))
            return other;
    }
    return NULL;
}

static void add_meaning(const cJSON *field, const char *like, cJSON *row)
{
    scoped(buf_free) struct buf about = BUF(CELL_BYTES);
    const char *description = json_text(field, "/description");
    if (description)
        buf_add_str(&about, description);
    while (about.size > 0 && about.bytes[about.size - 1] == '.')
        about.bytes[--about.size] = 0;
    if (like)
        buf_format(&about, "%sSame fields as %s", about.size > 0 ? ". " : "", like);
    if (json_get(field, "aliases")) {
        buf_format(&about, "%sAlso called ", about.size > 0 ? ". " : "");
        add_listed(json_get(field, "aliases"), &about);
    }
    json_str(row, "about", buf_str(&about));
}

static void add_row(const cJSON *schema, const cJSON *field, struct holder holder, const char *path,
                    const char *like, cJSON *list)
{
    scoped(buf_free) struct buf type = BUF(CELL_BYTES);
    scoped(buf_free) struct buf limits = BUF(CELL_BYTES);
    scoped(buf_free) struct buf fallback = BUF(CELL_BYTES);
    cJSON *row = json_item(list);
    schema_type_write(field, &type);
    schema_limits_write(field, &limits);
    if (json_get(field, "default"))
        value_write(json_get(field, "default"), &fallback);
    json_str(row, "path", path);
    json_int(row, "indent", MIN(holder.depth, INDENT_MAX));
    json_str(row, "type", buf_str(&type));
    json_str(row, "limits", buf_str(&limits));
    json_str(row, "default", buf_str(&fallback));
    json_bool(row, "is_required", schema_requires(schema, field->string));
    add_meaning(field, like, row);
}

static void add_nested(const cJSON *field, const char *path, int64_t depth, cJSON *list)
{
    scoped(mem_free) char *inside = str_format("%s.", path);
    scoped(mem_free) char *of_items = str_format("%s[].", path);
    add_rows(field, (struct holder){ inside, depth + 1 }, list);
    if (json_get(field, "items"))
        add_rows(json_get(field, "items"), (struct holder){ of_items, depth + 1 }, list);
}

static void add_rows(const cJSON *schema, struct holder holder, cJSON *list)
{
    const cJSON *properties = json_get(schema, "properties");
    const cJSON *field;
    cJSON_ArrayForEach(field, properties) {
        scoped(mem_free) char *path = str_format("%s%s", holder.path, field->string);
        const cJSON *same = same_before(properties, field);
        scoped(mem_free) char *like = same ? str_format("%s%s", holder.path, same->string) : NULL;
        add_row(schema, field, holder, path, like, list);
        if (!same)
            add_nested(field, path, holder.depth, list);
    }
}

void schema_rows(const cJSON *schema, cJSON *list)
{
    add_rows(schema, (struct holder){ "", 0 }, list);
}
