/* gateway/mcp/result-cut.c - fit a JSON result into a limit, in passes with lower and lower limits.
 */
#include "gateway/mcp/result-cut.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "text/json.h"

enum { DEPTH_MAX = 2 * JSON_DEPTH, PATH_MAX_BYTES = 4096, MEMBERS_MIN = 40 };

/* From generous to strict: items of a list, and bytes of a text. */
static const struct limits_of_pass {
    size_t items, text_bytes;
} passes[] = {
    { 500, 16384 }, { 200, 8192 }, { 100, 4096 }, { 50, 2048 }, { 25, 1024 },
    { 12, 1024 },   { 6, 512 },    { 3, 256 },    { 1, 128 },
};

struct level {
    bool is_list;
    size_t count;     /* items or members so far */
    size_t path_size; /* of the container's path */
};

struct cutting {
    struct json_reader *reader;
    const struct limits_of_pass *limits;
    struct level level[DEPTH_MAX + 1]; /* by depth */
    size_t skip_depth;                 /* 0: nothing is skipped; else of the skipped values */
    bool has_truncated;                /* the result has that member itself */
    bool is_truncated_next;            /* its value comes next */
    struct buf path;
    struct buf *out;
    struct result_cut *cut;
};

static void path_to(struct cutting *cutting, size_t size)
{
    cutting->path.size = size;
    cutting->path.full = false;
    if (cutting->path.bytes)
        cutting->path.bytes[size] = '\0';
}

static void note_place(struct cutting *cutting, size_t shown, size_t total, bool is_text)
{
    struct result_cut *cut = cutting->cut;
    struct text path = utf8_cut(buf_text(&cutting->path), CUT_PATH_BYTES - 1);
    for (size_t i = 0; i < cut->count; i++)
        if (text_is(path, cut->place[i].path))
            return;
    if (cut->count == CUT_PLACES_MAX)
        return;
    struct cut_place *place = &cut->place[cut->count++];
    *place = (struct cut_place){ .shown = shown, .total = total, .is_text = is_text };
    snprintf(place->path, sizeof(place->path), "%.*s", (int)path.size, path.bytes);
}

/* Members below the top can be as many as items. */
static size_t most_of(const struct cutting *cutting, const struct level *level, unsigned depth)
{
    if (level->is_list)
        return cutting->limits->items;
    return depth <= 1 ? SIZE_MAX : MAX(cutting->limits->items, (size_t)MEMBERS_MIN);
}

/* Before a value of a list, or a name of an object at this depth. False: it is skipped. */
static bool begin_part(struct cutting *cutting, unsigned depth)
{
    struct level *level = &cutting->level[depth];
    if (level->count++ >= most_of(cutting, level, depth)) {
        cutting->skip_depth = depth;
        return false;
    }
    if (level->count > 1)
        buf_add_byte(cutting->out, ',');
    return true;
}

static void open_container(struct cutting *cutting, const struct json_event *event)
{
    struct level *level = &cutting->level[event->depth + 1];
    *level = (struct level){ .is_list = event->kind == JSON_ARRAY_OPEN,
                             .path_size = cutting->path.size };
    buf_add_byte(cutting->out, level->is_list ? '[' : '{');
    if (level->is_list)
        buf_add_str(&cutting->path, "[]");
}

static void close_container(struct cutting *cutting, const struct json_event *event)
{
    struct level *level = &cutting->level[event->depth + 1];
    size_t most = most_of(cutting, level, event->depth + 1);
    path_to(cutting, level->path_size);
    if (level->count > most)
        note_place(cutting, most, level->count, false);
    if (event->depth == 0 && !cutting->has_truncated && cutting->cut->count > 0)
        buf_add_str(cutting->out, level->count > 0 ? ",\"truncated\":true" : "\"truncated\":true");
    buf_add_byte(cutting->out, level->is_list ? ']' : '}');
}

static void write_name(struct cutting *cutting, const struct json_event *event)
{
    path_to(cutting, cutting->level[event->depth].path_size);
    if (cutting->path.size > 0)
        buf_add_byte(&cutting->path, '.');
    buf_add(&cutting->path, event->text.bytes, event->text.size);
    cutting->is_truncated_next = event->depth == 1 && text_is(event->text, "truncated");
    cutting->has_truncated |= cutting->is_truncated_next;
    json_print_text(event->text, cutting->out);
    buf_add_byte(cutting->out, ':');
}

static void write_text(struct cutting *cutting, struct text text)
{
    if (text.size <= cutting->limits->text_bytes) {
        json_print_text(text, cutting->out);
        return;
    }
    note_place(cutting, 0, text.size, true);
    buf_add_str(cutting->out, "\"\"");
}

static void write_scalar(struct cutting *cutting, const struct json_event *event)
{
    bool is_true =
        event->kind == JSON_TRUE || (event->kind == JSON_FALSE && cutting->is_truncated_next);
    if (event->kind == JSON_STRING)
        write_text(cutting, event->text);
    else if (event->kind == JSON_NUMBER)
        buf_add(cutting->out, event->lexeme.bytes, event->lexeme.size);
    else
        buf_add_str(cutting->out, event->kind == JSON_NULL ? "null" : is_true ? "true" : "false");
    cutting->is_truncated_next = false;
}

static bool is_open(enum json_kind kind)
{
    return kind == JSON_ARRAY_OPEN || kind == JSON_OBJECT_OPEN;
}

static bool is_close(enum json_kind kind)
{
    return kind == JSON_ARRAY_CLOSE || kind == JSON_OBJECT_CLOSE;
}

/* Count what is skipped at its own depth, until its container closes. Returns whether it is. */
static bool skip_event(struct cutting *cutting, const struct json_event *event)
{
    size_t depth = cutting->skip_depth;
    if (depth == 0)
        return false;
    if (is_close(event->kind) && event->depth + 1 == depth) {
        cutting->skip_depth = 0;
        return false;
    }
    bool is_list = cutting->level[depth].is_list;
    if (event->depth == depth && (is_list ? !is_close(event->kind) : event->kind == JSON_KEY))
        cutting->level[depth].count++;
    return true;
}

static void write_event(struct cutting *cutting, const struct json_event *event)
{
    bool is_item = event->depth > 0 && cutting->level[event->depth].is_list;
    if (skip_event(cutting, event))
        return;
    if (is_close(event->kind)) {
        close_container(cutting, event);
        return;
    }
    if ((is_item || event->kind == JSON_KEY) && !begin_part(cutting, event->depth))
        return;
    if (event->kind == JSON_KEY)
        write_name(cutting, event);
    else if (is_open(event->kind))
        open_container(cutting, event);
    else
        write_scalar(cutting, event);
}

/* One pass. Ends early if the space does not suffice. */
static bool write_pass(struct text result, const struct limits_of_pass *limits,
                       struct result_cut *cut, struct buf *out)
{
    struct cutting cutting = { .reader = json_reader_new(result, DEPTH_MAX),
                               .limits = limits,
                               .path = BUF(PATH_MAX_BYTES),
                               .out = out,
                               .cut = cut };
    struct json_event event = { 0 };
    bool ok;
    *cut = (struct result_cut){ 0 };
    while ((ok = json_next(cutting.reader, &event, NULL)) && event.kind != JSON_END && !out->full)
        write_event(&cutting, &event);
    json_reader_free(&cutting.reader);
    buf_free(&cutting.path);
    return ok && !out->full;
}

bool result_cut(struct text result, size_t max_bytes, struct result_cut *cut, struct buf *out)
{
    for (size_t i = 0; i < countof(passes); i++) {
        scoped(buf_free) struct buf shown = BUF(max_bytes);
        if (write_pass(result, &passes[i], cut, &shown))
            return buf_add(out, shown.bytes, shown.size);
    }
    *cut = (struct result_cut){ 0 };
    return false;
}

/* ---- the report ---- */

/* Arguments that make a result smaller: a choice of parts, or a number of them. */
static bool narrows(const cJSON *property)
{
    static const struct {
        const char *name;
    } names[] = { { "targets" }, { "types" }, { "limit" }, { "count" } };
    return TABLE_FIND(names, property->string) || json_at(property, "/items/enum") ||
           strncmp(property->string, "max_", 4) == 0;
}

static void add_arguments(const struct contract *contract, struct buf *out)
{
    const cJSON *property;
    const char *separator = " Arguments that narrow it: ";
    cJSON_ArrayForEach(property,
                       json_at(contract ? contract->document : NULL, "/request/properties")) {
        if (!narrows(property))
            continue;
        buf_format(out, "%s%s", separator, property->string);
        separator = ", ";
    }
    if (*separator == ',')
        buf_add_byte(out, '.');
}

void result_cut_note(const struct result_cut *cut, const struct contract *contract,
                     size_t max_bytes, struct buf *out)
{
    buf_format(out, "Cut to %zu bytes.", max_bytes);
    for (size_t i = 0; i < cut->count; i++) {
        const struct cut_place *place = &cut->place[i];
        if (place->is_text)
            buf_format(out, " %s: left out, %zu bytes.", place->path, place->total);
        else
            buf_format(out, " %s: the first %zu of %zu.", place->path, place->shown, place->total);
    }
    add_arguments(contract, out);
    buf_add_str(out, " The REST API returns the whole result.");
}

void result_cut_list(const struct result_cut *cut, struct buf *out)
{
    scoped(json_free) cJSON *list = json_array();
    for (size_t i = 0; i < cut->count; i++) {
        const struct cut_place *place = &cut->place[i];
        cJSON *item = json_item(list);
        json_str(item, "path", place->path);
        if (!place->is_text)
            json_int(item, "shown", (int64_t)place->shown);
        json_int(item, place->is_text ? "bytes" : "total", (int64_t)place->total);
    }
    json_print(list, out);
}
