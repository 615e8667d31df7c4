/* gateway/mcp/result-cut.c - fit a JSON result into a limit, in passes with lower and lower limits,
 * first for the places that the contract's rules name. */
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

static const struct limits_of_pass *const strictest = &passes[countof(passes) - 1];
static const struct limits_of_pass unlimited = { SIZE_MAX, SIZE_MAX };

struct level {
    bool is_list;
    size_t most;      /* items or members to keep */
    size_t count;     /* items or members so far */
    size_t path_size; /* of the container's path */
};

/* Which places a pass cuts, and how far. */
struct pass {
    const cJSON *rules; /* the contract's, in their order */
    const cJSON *rule;  /* the one with these limits; those before it are at their strictest. NULL:
                           all rules are, and places without a rule have these limits */
    const struct limits_of_pass *limits;
};

struct cutting {
    struct json_reader *reader;
    const struct pass *pass;
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

/* ---- rules ---- */

/* Take one part of a path: a name, or the [] of a list's items. */
static struct text take_part(struct text *path)
{
    size_t size = text_begins(*path, "[]") ? 2 : 0;
    while (size == 0 || (size < path->size && path->bytes[size] != '.' && path->bytes[size] != '['))
        size++;
    struct text part = { path->bytes, MIN(size, path->size) };
    *path = text_skip(*path, part.size);
    if (path->size > 0 && path->bytes[0] == '.')
        *path = text_skip(*path, 1);
    return part;
}

/* Does a rule's place name this path? * is any name; ** is the place and all inside it. */
static bool names_path(struct text place, struct text path)
{
    while (place.size > 0) {
        struct text wanted = take_part(&place);
        if (text_is(wanted, "**"))
            return true;
        if (path.size == 0)
            return false;
        struct text part = take_part(&path);
        bool same = part.size == wanted.size && memcmp(part.bytes, wanted.bytes, part.size) == 0;
        if (!same && !(text_is(wanted, "*") && !text_is(part, "[]")))
            return false;
    }
    return path.size == 0;
}

/* The limits of the current path. */
static const struct limits_of_pass *limits_here(const struct cutting *cutting)
{
    const struct pass *pass = cutting->pass;
    const struct limits_of_pass *limits = strictest;
    struct text path = buf_text(&cutting->path);
    const cJSON *rule;
    cJSON_ArrayForEach(rule, pass->rules) {
        bool is_last = rule == pass->rule;
        if (is_last)
            limits = pass->limits;
        if (names_path(text_of(json_text(rule, "/at")), path))
            return limits;
        if (is_last)
            return &unlimited;
    }
    return pass->limits;
}

static const char *argument_of(const struct cutting *cutting)
{
    const cJSON *rule;
    cJSON_ArrayForEach(rule, cutting->pass->rules)
        if (names_path(text_of(json_text(rule, "/at")), buf_text(&cutting->path)))
            return json_text(rule, "/argument");
    return NULL;
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
    *place = (struct cut_place){
        .argument = argument_of(cutting), .shown = shown, .total = total, .is_text = is_text
    };
    snprintf(place->path, sizeof(place->path), "%.*s", (int)path.size, path.bytes);
}

/* How many items or members the container at the current path keeps. An object with few members may
 * have them by its schema. */
static size_t most_here(const struct cutting *cutting, bool is_list, unsigned depth)
{
    size_t most = depth == 0 ? SIZE_MAX : limits_here(cutting)->items;
    return is_list ? most : MAX(most, (size_t)MEMBERS_MIN);
}

/* Before a value of a list, or a name of an object at this depth. False: it is skipped. */
static bool begin_part(struct cutting *cutting, unsigned depth)
{
    struct level *level = &cutting->level[depth];
    if (level->count++ >= level->most) {
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
    bool is_list = event->kind == JSON_ARRAY_OPEN;
    *level = (struct level){ .is_list = is_list,
                             .most = most_here(cutting, is_list, event->depth),
                             .path_size = cutting->path.size };
    buf_add_byte(cutting->out, level->is_list ? '[' : '{');
    if (level->is_list)
        buf_add_str(&cutting->path, "[]");
}

static void close_container(struct cutting *cutting, const struct json_event *event)
{
    struct level *level = &cutting->level[event->depth + 1];
    path_to(cutting, level->path_size);
    if (level->count > level->most)
        note_place(cutting, level->most, level->count, false);
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
    if (text.size <= limits_here(cutting)->text_bytes) {
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
static bool write_pass(struct text result, const struct pass *pass, struct result_cut *cut,
                       struct buf *out)
{
    struct cutting cutting = { .reader = json_reader_new(result, DEPTH_MAX),
                               .pass = pass,
                               .path = BUF(PATH_MAX_BYTES),
                               .out = out,
                               .cut = cut };
    struct json_event event = { 0 };
    bool ok;
    *cut = (struct result_cut){ 0 };
    buf_clear(out);
    while ((ok = json_next(cutting.reader, &event, NULL)) && event.kind != JSON_END && !out->full)
        write_event(&cutting, &event);
    json_reader_free(&cutting.reader);
    buf_free(&cutting.path);
    return ok && !out->full;
}

/* The first rule that suffices, together with those before it; NULL: none does. */
static const cJSON *find_rule(struct text result, const cJSON *rules, struct result_cut *cut,
                              struct buf *shown)
{
    const cJSON *rule;
    cJSON_ArrayForEach(rule, rules) {
        struct pass pass = { rules, rule, strictest };
        if (write_pass(result, &pass, cut, shown))
            return rule;
    }
    return NULL;
}

bool result_cut(struct text result, const cJSON *rules, size_t max_bytes, struct result_cut *cut,
                struct buf *out)
{
    scoped(buf_free) struct buf shown = BUF(max_bytes);
    const cJSON *rule = find_rule(result, rules, cut, &shown);
    for (size_t i = 0; i < countof(passes); i++) {
        struct pass pass = { rules, rule, &passes[i] };
        if (write_pass(result, &pass, cut, &shown))
            return buf_add(out, shown.bytes, shown.size);
    }
    *cut = (struct result_cut){ 0 };
    return false;
}

/* ---- the report ---- */

void result_cut_note(const struct result_cut *cut, size_t max_bytes, struct buf *out)
{
    buf_format(out, "Cut to %zu bytes.", max_bytes);
    for (size_t i = 0; i < cut->count; i++) {
        const struct cut_place *place = &cut->place[i];
        if (place->is_text)
            buf_format(out, " %s: left out, %zu bytes", place->path, place->total);
        else
            buf_format(out, " %s: the first %zu of %zu", place->path, place->shown, place->total);
        if (place->argument)
            buf_format(out, " (to get the rest, change the argument %s)", place->argument);
        buf_add_byte(out, '.');
    }
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
        if (place->argument)
            json_str(item, "argument", place->argument);
    }
    json_print(list, out);
}
