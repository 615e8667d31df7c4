/* svc-security/subdomain-finder/readers.c - parse responses of certificate transparency
 * services. */
#include "readers.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "text/json.h"
#include "text/time/datetime.h"

enum { NAMES_MAX_BYTES = 256 << 10 }; /* of one certificate */

/* ---- almost JSON ---- */

/* Kind of surrogate that an escape encodes, or 0. */
static char surrogate_half(const char *bytes, size_t size)
{
    bool is_surrogate = size >= 6 && bytes[0] == '\\' && bytes[1] == 'u' &&
                        (bytes[2] == 'd' || bytes[2] == 'D') && bytes[3] &&
                        strchr("89abcdefABCDEF", bytes[3]);
    return !is_surrogate ? 0 : strchr("89abAB", bytes[3]) ? 'h' : 'l';
}

/* Services copy raw bytes of certificates: unpaired surrogate escapes and bytes that are not UTF-8.
 * They become question marks, so that one such name does not invalidate the others. */
static void repair_json(char *bytes, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t good = utf8_valid_bytes((struct text){ bytes + i, size - i });
        i += good;
        if (i < size)
            bytes[i++] = '?';
    }
    for (size_t i = 0; i < size; i++) {
        char half = surrogate_half(bytes + i, size - i);
        if (half == 'h' && surrogate_half(bytes + i + 6, size - MIN(size, i + 6)) == 'l')
            i += 11;
        else if (half)
            memset(bytes + i, '?', 6);
        else
            i += bytes[i] == '\\'; /* skip the escaped character */
    }
}

static struct text without_mark(struct text body)
{
    if (body.size < 3 || memcmp(body.bytes, "\xef\xbb\xbf", 3) != 0)
        return body;
    return (struct text){ body.bytes + 3, body.size - 3 };
}

/* Skip the byte order mark. Returns a repaired copy for the caller to free, or NULL if the body is
 * valid. */
static char *make_strict(struct text *body)
{
    *body = without_mark(*body);
    bool is_good = body->size == 0 || (utf8_valid_bytes(*body) == body->size &&
                                       !memmem(body->bytes, body->size, "\\ud", 3) &&
                                       !memmem(body->bytes, body->size, "\\uD", 3));
    if (is_good)
        return NULL;
    char *copy = mem_dup(body->bytes, body->size);
    repair_json(copy, body->size);
    body->bytes = copy;
    return copy;
}

/* ---- JSON ---- */

/* Layout of a list's items. Each is an object, or just a name. */
struct shape {
    const char *list;     /* member with the list; NULL: the document is the list */
    const char *names[3]; /* members with a name, names in lines, or a list of names */
    const char *time;     /* member with the start of validity: a time, or seconds since 1970 */
    const char *id;
    bool has_bare_names;
};

enum field { FIELD_NONE, FIELD_NAMES, FIELD_TIME, FIELD_ID };

struct reading_state {
    const struct shape *shape;
    unsigned source;
    struct harvest *harvest;
    struct page *page;
    unsigned item_depth; /* depth of the items */
    bool is_in_list;
    bool is_listed_next; /* the next value is the list */
    /* current item: */
    enum field field;
    struct buf names; /* one per line */
    int64_t time_ms;
    size_t named; /* items with a member for names */
    bool is_named;
};

static enum field field_of(const struct shape *shape, struct text name)
{
    for (size_t i = 0; i < countof(shape->names) && shape->names[i]; i++)
        if (text_is(name, shape->names[i]))
            return FIELD_NAMES;
    if (shape->time && text_is(name, shape->time))
        return FIELD_TIME;
    return shape->id && text_is(name, shape->id) ? FIELD_ID : FIELD_NONE;
}

static void add_lines(struct reading_state *state)
{
    struct text rest = buf_text(&state->names);
    while (rest.size > 0) {
        const char *end = memchr(rest.bytes, '\n', rest.size);
        size_t size = end ? (size_t)(end - rest.bytes) : rest.size;
        harvest_add(state->harvest, state->source, (struct text){ rest.bytes, size },
                    state->time_ms, state->time_ms);
        size += end != NULL;
        rest = (struct text){ rest.bytes + size, rest.size - size };
    }
}

static void begin_item(struct reading_state *state)
{
    buf_clear(&state->names);
    state->field = FIELD_NONE;
    state->time_ms = NO_TIME;
    state->is_named = false;
}

static void begin_member(struct reading_state *state, struct text name)
{
    state->field = field_of(state->shape, name);
    state->is_named = state->is_named || state->field == FIELD_NAMES;
}

static void end_item(struct reading_state *state)
{
    state->page->items++;
    state->named += state->is_named;
    add_lines(state);
}

static void read_time(struct reading_state *state, const struct json_event *event)
{
    struct datetime time;
    int64_t seconds;
    const int64_t seconds_max = (int64_t)DATE_YEAR_MAX * 366 * DAY_SECONDS / 2;
    if (event->kind == JSON_STRING && datetime_parse(event->text, &time))
        state->time_ms = time.local_ms - (time.has_offset ? time.offset_s * (int64_t)1000 : 0);
    else if (event->kind == JSON_NUMBER && num_parse(event->lexeme, seconds_max, &seconds))
        state->time_ms = seconds * 1000;
}

/* The id becomes part of a URL, so only letters, digits, - and _ are allowed. */
static void read_id(struct reading_state *state, const struct json_event *event)
{
    struct text text = event->kind == JSON_NUMBER ? event->lexeme : event->text;
    char *cursor = state->page->cursor;
    cursor[0] = '\0';
    for (size_t i = 0; i < text.size; i++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
                    text.bytes[i]) ||
            !text.bytes[i])
            return;
    if (text.size < CURSOR_BYTES)
        snprintf(cursor, CURSOR_BYTES, "%.*s", (int)text.size, text.bytes);
}

/* A direct value of the item, or one in its list. */
static void read_value(struct reading_state *state, const struct json_event *event)
{
    bool is_own = event->depth == state->item_depth + 1;
    if (state->field == FIELD_NAMES && event->kind == JSON_STRING) {
        buf_add(&state->names, event->text.bytes, event->text.size);
        buf_add_byte(&state->names, '\n');
    }
    if (state->field == FIELD_TIME && is_own)
        read_time(state, event);
    if (state->field == FIELD_ID && is_own)
        read_id(state, event);
}

static void read_in_list(struct reading_state *state, const struct json_event *event)
{
    bool is_item = event->depth == state->item_depth;
    if (event->kind == JSON_OBJECT_OPEN && is_item)
        begin_item(state);
    else if (event->kind == JSON_OBJECT_CLOSE && is_item)
        end_item(state);
    else if (event->kind == JSON_STRING && is_item && state->shape->has_bare_names) {
        begin_item(state);
        state->field = FIELD_NAMES;
        read_value(state, event);
        end_item(state);
    } else if (event->kind == JSON_KEY && event->depth == state->item_depth + 1)
        begin_member(state, event->text);
    else if ((event->kind == JSON_STRING || event->kind == JSON_NUMBER) &&
             event->depth > state->item_depth && event->depth <= state->item_depth + 2)
        read_value(state, event);
    else if (event->kind == JSON_ARRAY_CLOSE && event->depth + 1 == state->item_depth)
        state->is_in_list = false;
}

/* Find the list. Returns whether this event begins it. */
static bool find_list(struct reading_state *state, const struct json_event *event)
{
    bool is_root = event->depth == 0;
    if (event->kind == JSON_ARRAY_OPEN &&
        (state->is_listed_next ||
         (is_root && (!state->shape->list || state->shape->has_bare_names)))) {
        state->item_depth = event->depth + 1;
        state->is_in_list = true;
        return true;
    }
    state->is_listed_next = event->kind == JSON_KEY && event->depth == 1 && state->shape->list &&
                            text_is(event->text, state->shape->list);
    return false;
}

static enum reading read_document(struct reading_state *state, struct text body)
{
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(body, JSON_DEPTH);
    struct json_event event;
    bool has_list = false;
    bool ok;
    json_reader_allow_repeats(reader);
    while ((ok = json_next(reader, &event, NULL)) && event.kind != JSON_END) {
        if (state->is_in_list)
            read_in_list(state, &event);
        else if (find_list(state, &event))
            has_list = true;
    }
    if (ok)
        return has_list ? READING_WHOLE : READING_NONE;
    return state->page->items > 0 ? READING_BROKEN : READING_NONE;
}

static enum reading read_json(const struct shape *shape, struct text body, unsigned source,
                              struct harvest *harvest, struct page *page)
{
    struct reading_state state = { .shape = shape,
                                   .source = source,
                                   .harvest = harvest,
                                   .page = page,
                                   .names = BUF(NAMES_MAX_BYTES) };
    scoped(mem_free) char *mended = make_strict(&body);
    enum reading reading = read_document(&state, body);
    buf_free(&state.names);
    return reading;
}

/* ---- concatenated objects of old crt.sh versions ---- */

/* Length of the object at the start of the text; 0 if incomplete. */
static size_t object_size(struct text text)
{
    size_t depth = 0;
    bool is_quoted = false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];
        if (is_quoted && c == '\\')
            i++;
        else if (c == '"')
            is_quoted = !is_quoted;
        else if (!is_quoted && c == '{')
            depth++;
        else if (!is_quoted && c == '}' && --depth == 0)
            return i + 1;
    }
    return 0;
}

static bool read_one_object(struct reading_state *state, struct text object)
{
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(object, JSON_DEPTH);
    struct json_event event;
    bool ok;
    state->item_depth = 0;
    json_reader_allow_repeats(reader);
    while ((ok = json_next(reader, &event, NULL)) && event.kind != JSON_END)
        read_in_list(state, &event);
    return ok;
}

static enum reading read_objects(const struct shape *shape, struct text body, unsigned source,
                                 struct harvest *harvest, struct page *page)
{
    struct reading_state state = { .shape = shape,
                                   .source = source,
                                   .harvest = harvest,
                                   .page = page,
                                   .names = BUF(NAMES_MAX_BYTES) };
    scoped(mem_free) char *mended = make_strict(&body);
    bool ok = true;
    while (ok && body.size > 0) {
        size_t size = body.bytes[0] == '{' ? object_size(body) : 0;
        ok = size > 0 && read_one_object(&state, (struct text){ body.bytes, size });
        body = text_trim((struct text){ body.bytes + size, body.size - size });
    }
    buf_free(&state.names);
    if (state.named == 0) { /* another object, such as an error */
        page->items = 0;
        return READING_NONE;
    }
    return ok ? READING_WHOLE : READING_BROKEN;
}

/* ---- the formats ---- */

static enum reading read_crtsh(struct text body, unsigned source, struct harvest *harvest,
                               struct page *page)
{
    static const struct shape shape = { .names = { "name_value", "common_name" },
                                        .time = "not_before" };
    struct text trimmed = text_trim(without_mark(body));
    if (trimmed.size > 0 && trimmed.bytes[0] == '{')
        return read_objects(&shape, trimmed, source, harvest, page);
    return read_json(&shape, body, source, harvest, page);
}

static enum reading read_certspotter(struct text body, unsigned source, struct harvest *harvest,
                                     struct page *page)
{
    static const struct shape shape = { .names = { "dns_names" },
                                        .time = "not_before",
                                        .id = "id" };
    return read_json(&shape, body, source, harvest, page);
}

static enum reading read_merklemap(struct text body, unsigned source, struct harvest *harvest,
                                   struct page *page)
{
    static const struct shape shape = { .list = "results",
                                        .names = { "hostname", "subject_common_name" },
                                        .time = "first_seen" };
    return read_json(&shape, body, source, harvest, page);
}

static enum reading read_names(struct text body, unsigned source, struct harvest *harvest,
                               struct page *page)
{
    static const struct shape shape = { .list = "names", .has_bare_names = true };
    return read_json(&shape, body, source, harvest, page);
}

static enum reading read_lines(struct text body, unsigned source, struct harvest *harvest,
                               struct page *page)
{
    struct text rest = text_trim(without_mark(body));
    char first = rest.size > 0 ? *rest.bytes : '\0';
    if (first == '<' || first == '{' || first == '[')
        return READING_NONE;
    while (rest.size > 0) {
        const char *end = memchr(rest.bytes, '\n', rest.size);
        size_t size = end ? (size_t)(end - rest.bytes) : rest.size;
        const char *comma = memchr(rest.bytes, ',', size);
        size_t name_size = comma ? (size_t)(comma - rest.bytes) : size;
        harvest_add(harvest, source, (struct text){ rest.bytes, name_size }, NO_TIME, NO_TIME);
        page->items++;
        size += end != NULL;
        rest = (struct text){ rest.bytes + size, rest.size - size };
    }
    return READING_WHOLE;
}

/* clang-format off */
static const struct format formats[] = {
    { "crtsh",       read_crtsh,       .is_flaky = true },
    { "certspotter", read_certspotter, "after", true },
    { "merklemap",   read_merklemap,   "page" },
    { "names",       read_names },
    { "lines",       read_lines },
};
/* clang-format on */

const struct format *format_of(const char *name)
{
    return TABLE_FIND(formats, name);
}
