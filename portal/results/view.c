/* portal/results/view.c - see view.h. */
#include "portal/results/view.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/base64.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "portal/base/numbers.h"
#include "portal/template/template.h"
#include "text/json.h"

enum {
    SECTIONS_MAX = 40,
    ROWS_MAX = 100,
    COLUMNS_MAX = 8,
    IMAGES_MAX = 8,
    VALUES_MAX = 2000, /* pairs and cells */
    DEPTH_MAX = 4,
    NAME_BYTES = 80,
    CELL_BYTES = 240,
    TEXT_BYTES = 8 << 10, /* of a text with several lines */
    PATH_BYTES = 200,
    MORE_BYTES = 200,
};

struct view {
    const struct contract *contract;
    cJSON *sections;
    size_t values;
    bool is_cut;
};

/* ---- values as text ---- */

static bool is_nested(const cJSON *value)
{
    return json_is(value, cJSON_Object) || json_is(value, cJSON_Array);
}

static bool is_list_of_texts(const cJSON *value)
{
    const cJSON *item;
    if (!json_is(value, cJSON_Array))
        return false;
    cJSON_ArrayForEach(item, value)
        if (is_nested(item))
            return false;
    return true;
}

static bool has_lines(const cJSON *value)
{
    return json_is(value, cJSON_String) && text_has(json_text_of(value), "\n");
}

static void write_one(const cJSON *value, struct buf *out)
{
    struct text text = json_text_of(value);
    if (json_is(value, cJSON_String))
        buf_add(out, text.bytes, MIN(text.size, (size_t)2 * CELL_BYTES));
    else if (json_is(value, cJSON_True) || json_is(value, cJSON_False))
        buf_add_str(out, json_is(value, cJSON_True) ? "yes" : "no");
    else if (json_is(value, cJSON_NULL))
        buf_add_str(out, "–");
    else
        json_print(value, out);
}

/* The number of items is bounded, because each has a byte or more. */
static void write_list(const cJSON *list, struct buf *out)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (out->size > CELL_BYTES)
            return;
        buf_add_str(out, item == list->child ? "" : ", ");
        write_one(item, out);
    }
}

/* End a text that is too long with "…", and not within a character. */
static void cut_text(struct buf *text, size_t max)
{
    if (text->size <= max)
        return;
    text->bytes[text->size = max] = '\0';
    text_repair(text->bytes);
    text->size = strlen(text->bytes);
    buf_add_str(text, "…");
}

static void add_name(const char *name, const char *member, cJSON *item)
{
    scoped(buf_free) struct buf text = BUF(NAME_BYTES + 8);
    buf_format(&text, "%.*s", NAME_BYTES + 1, name);
    cut_text(&text, NAME_BYTES);
    json_text_add(item, member, buf_text(&text));
}

static void add_value(struct view *view, const cJSON *value, const char *name, cJSON *item)
{
    scoped(buf_free) struct buf text = BUF(VIEW_PAGE_BYTES);
    if (is_list_of_texts(value))
        write_list(value, &text);
    else if (value)
        write_one(value, &text);
    cut_text(&text, CELL_BYTES);
    add_name(name, "name", item);
    json_text_add(item, "value", buf_text(&text));
    view->values++;
}

/* ---- sections ---- */

static bool is_full(struct view *view)
{
    view->is_cut |= json_size(view->sections) >= SECTIONS_MAX || view->values >= VALUES_MAX;
    return view->is_cut;
}

static cJSON *add_section(struct view *view, const char *path)
{
    cJSON *section = json_item(view->sections);
    json_str(section, "heading", path);
    json_str(section, "label", path[0] ? path : "Result");
    return section;
}

static void add_lines(struct view *view, const char *path, const cJSON *value)
{
    scoped(buf_free) struct buf text = BUF(TEXT_BYTES + 8);
    struct text whole = json_text_of(value);
    cJSON *section = add_section(view, path);
    buf_add(&text, whole.bytes, MIN(whole.size, (size_t)TEXT_BYTES));
    if (whole.size > TEXT_BYTES)
        cut_text(&text, TEXT_BYTES - 1);
    json_text_add(section, "lines", buf_text(&text));
    view->values++;
}

/* ---- tables: the columns are the members of the first rows ---- */

static bool has_name(const cJSON *names, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, names)
        if (text_is(json_text_of(item), name))
            return true;
    return false;
}

/* Their names, as the rows have them. */
static void find_columns(const cJSON *list, cJSON *columns)
{
    const cJSON *row;
    const cJSON *member;
    size_t seen = 0;
    cJSON_ArrayForEach(row, list) {
        if (seen++ == ROWS_MAX)
            return;
        cJSON_ArrayForEach(member, row) {
            if (json_size(columns) == COLUMNS_MAX)
                return;
            if (!has_name(columns, member->string))
                json_item_str(columns, member->string);
        }
    }
}

static void add_heads(const cJSON *columns, cJSON *heads)
{
    const cJSON *column;
    cJSON_ArrayForEach(column, columns)
        add_name(json_text_of(column).bytes, "name", json_item(heads));
}

static void add_row(struct view *view, const cJSON *row, const cJSON *columns, cJSON *rows)
{
    const cJSON *column;
    cJSON *cells = json_list(json_item(rows), "cells");
    cJSON_ArrayForEach(column, columns) {
        const char *name = json_text_of(column).bytes;
        add_value(view, json_get(row, name), name, json_item(cells));
    }
}

static void add_more(size_t shown, size_t all, cJSON *section)
{
    char words[MORE_BYTES];
    char some[NUMBER_BYTES];
    char total[NUMBER_BYTES];
    number_write((int64_t)shown, some);
    number_write((int64_t)all, total);
    snprintf(words, sizeof(words), "The first %s of %s. The JSON has all of them.", some, total);
    json_str(section, "more_rows", words);
}

static void add_table(struct view *view, const char *path, const cJSON *list)
{
    const cJSON *row;
    cJSON *section = add_section(view, path);
    scoped(json_free) cJSON *columns = json_array();
    cJSON *rows = json_list(section, "rows");
    json_bool(section, "has_rows", true);
    find_columns(list, columns);
    add_heads(columns, json_list(section, "columns"));
    cJSON_ArrayForEach(row, list) {
        if (json_size(rows) == ROWS_MAX || view->values >= VALUES_MAX)
            break;
        add_row(view, row, columns, rows);
    }
    if (json_size(rows) < json_size(list))
        add_more(json_size(rows), json_size(list), section);
}

static bool is_table(const cJSON *value)
{
    const cJSON *item;
    if (!json_is(value, cJSON_Array) || json_size(value) == 0)
        return false;
    cJSON_ArrayForEach(item, value)
        if (!json_is(item, cJSON_Object))
            return false;
    return true;
}

/* ---- objects ---- */

static void add_object(struct view *view, const char *path, const cJSON *object, unsigned depth);

/* Items of a list have no names: they are numbered from 0, as in a JSON pointer. */
static void write_path(const char *path, const cJSON *member, size_t nth,
                       char out[static PATH_BYTES])
{
    const char *dot = path[0] ? "." : "";
    if (member->string)
        snprintf(out, PATH_BYTES, "%.80s%s%.80s", path, dot, member->string);
    else
        snprintf(out, PATH_BYTES, "%.80s%s%zu", path, dot, nth);
    text_repair(out);
}

/* Is it one of a section's pairs? */
static bool is_pair(const cJSON *value, unsigned depth)
{
    if (has_lines(value))
        return false;
    return !is_nested(value) || is_list_of_texts(value) || (!is_table(value) && depth >= DEPTH_MAX);
}

static cJSON *add_pairs_section(struct view *view, const char *path)
{
    cJSON *section = add_section(view, path);
    json_bool(section, "has_pairs", true);
    return json_list(section, "pairs");
}

static void add_pairs(struct view *view, const char *path, const cJSON *object, unsigned depth)
{
    const cJSON *member;
    cJSON *pairs = NULL;
    char name[PATH_BYTES];
    size_t nth = 0;
    cJSON_ArrayForEach(member, object) {
        write_path("", member, nth++, name);
        if (!is_pair(member, depth) || is_full(view))
            continue;
        if (!pairs)
            pairs = add_pairs_section(view, path);
        add_value(view, member, name, json_item(pairs));
    }
}

static void add_nested(struct view *view, const char *path, const cJSON *value, unsigned depth)
{
    if (is_full(view))
        return;
    if (has_lines(value))
        add_lines(view, path, value);
    else if (is_table(value))
        add_table(view, path, value);
    else
        add_object(view, path, value, depth + 1);
}

static void add_object(struct view *view, const char *path, const cJSON *object, unsigned depth)
{
    const cJSON *member;
    char inner[PATH_BYTES];
    size_t nth = 0;
    add_pairs(view, path, object, depth);
    cJSON_ArrayForEach(member, object) {
        write_path(path, member, nth++, inner);
        if (!is_pair(member, depth))
            add_nested(view, inner, member, depth);
    }
}

/* ---- images ---- */

static const struct image_type {
    const char *name;
} image_types[] = {
    { "image/png" },
    { "image/jpeg" },
    { "image/webp" },
    { "image/svg+xml" },
};

/* Encoded again, so that nothing but an image can be in the address. */
static void add_image(struct view *view, const char *type, struct text base64, cJSON *images)
{
    const struct image_type *known = type ? TABLE_FIND(image_types, type) : NULL;
    scoped(buf_free) struct buf bytes = BUF(base64.size + 4);
    scoped(buf_free) struct buf encoded = BUF(base64.size + 8);
    if (!known || base64.size == 0 || json_size(images) == IMAGES_MAX ||
        !base64_decode(&bytes, base64) || !base64_encode(&encoded, buf_text(&bytes)))
        return;
    cJSON *image = json_item(images);
    template_image(image, "src", known->name, buf_text(&encoded));
    json_str(image, "alt", view->contract->title);
}

static void add_images(struct view *view, const cJSON *result, cJSON *images)
{
    const cJSON *property;
    const cJSON *item;
    if (view->contract->images)
        cJSON_ArrayForEach(item, json_get(result, view->contract->images))
            add_image(view, json_text(item, "/mime_type"), json_text_of(json_get(item, "b64_json")),
                      images);
    cJSON_ArrayForEach(property, json_at(view->contract->document, "/result/properties"))
        add_image(view, json_text(property, "/contentMediaType"),
                  json_text_of(json_get(result, property->string)), images);
}

/* ---- the result ---- */

/* What agents do not get is an image, or repeats other properties. */
static cJSON *shown_of(const struct contract *contract, const cJSON *result)
{
    const cJSON *member;
    cJSON *shown = json_object();
    cJSON_ArrayForEach(member, result)
        if (!contract_list_has(&contract->hidden, member->string))
            json_add(shown, member->string, json_copy(member));
    return shown;
}

void result_view_add(const struct contract *contract, const cJSON *result, cJSON *model)
{
    scoped(json_free) cJSON *shown = shown_of(contract, result);
    scoped(json_free) cJSON *made = json_object();
    cJSON *images = json_list(made, "images");
    struct view view = { .contract = contract, .sections = json_list(made, "sections") };
    add_images(&view, result, images);
    add_object(&view, "", shown, 1);
    json_bool(made, "is_cut", view.is_cut);
    if (json_size(images) + json_size(view.sections) > 0)
        json_add(model, "view", take(made));
}
