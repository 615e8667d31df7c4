/*
 * svc-utils/json-to-code/place.c - paths. Their length is bounded, because many paths may share a
 * long prefix.
 */
#include "place.h"

#include "base/codec/utf8.h"
#include "base/num.h"
#include "json-to-code/languages/code.h"

enum {
    PARENT_BYTES = 120,
    KEY_BYTES = 40,
    PATH_BYTES = 1024, /* both with escapes, and [] for each of 64 levels */
};

const struct place *place_base(const struct place *place)
{
    while (place->outer)
        place = place->outer;
    return place;
}

static void add_key(struct buf *out, struct text key)
{
    struct text head = { key.bytes, MIN(key.size, (size_t)KEY_BYTES) };
    head.size = utf8_valid_bytes(head); /* do not cut a character */
    if (code_is_plain_name(head)) {
        buf_add_byte(out, '.');
        buf_add(out, head.bytes, head.size);
    } else {
        buf_add_byte(out, '[');
        code_quote(out, head, QUOTE_JSON);
        buf_add_byte(out, ']');
    }
    if (head.size < key.size)
        buf_add_str(out, "…");
}

static void add_path(struct buf *out, const struct place *place)
{
    if (place->outer) {
        add_path(out, place->outer);
        buf_add_str(out, place->is_map ? ".*" : "[]");
        return;
    }
    struct text parent = text_of(place->parent ? place->parent->path : "$");
    buf_add_str(out, parent.size <= PARENT_BYTES ? parent.bytes : "…");
    if (place->field)
        add_key(out, place->field->key);
}

const char *place_path(const struct place *place, struct arena *arena)
{
    scoped(buf_free) struct buf path = BUF(PATH_BYTES);
    add_path(&path, place);
    return arena_copy(arena, buf_text(&path));
}
