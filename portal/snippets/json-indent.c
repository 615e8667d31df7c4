/* portal/snippets/json-indent.c - one pass over the bytes. It recognizes only strings and brackets.
 */
#include "portal/snippets/json-indent.h"

#include <string.h>

#include "base/ascii.h"

enum { LEVELS_MAX = 64 };

static void new_line(struct buf *out, size_t level)
{
    static const char blanks[2 * LEVELS_MAX] = { [0 ... 2 * LEVELS_MAX - 1] = ' ' };
    buf_add_byte(out, '\n');
    buf_add(out, blanks, 2 * (level < LEVELS_MAX ? level : LEVELS_MAX));
}

/* The length of the string that begins here, with its quotes. */
static size_t string_size(struct text json)
{
    for (size_t i = 1; i < json.size; i++) {
        if (json.bytes[i] == '\\')
            i++;
        else if (json.bytes[i] == '"')
            return i + 1;
    }
    return json.size;
}

static struct text skip_blanks(struct text json)
{
    while (json.size > 0 && ascii_is_space(json.bytes[0]))
        json = text_skip(json, 1);
    return json;
}

/* An opening bracket. If its closing bracket follows, both stay on the line. */
static struct text open_level(struct text json, size_t *level, struct buf *out)
{
    struct text inside = skip_blanks(text_skip(json, 1));
    buf_add_byte(out, json.bytes[0]);
    if (inside.size > 0 && (inside.bytes[0] == '}' || inside.bytes[0] == ']')) {
        buf_add_byte(out, inside.bytes[0]);
        return text_skip(inside, 1);
    }
    new_line(out, ++*level);
    return inside;
}

static struct text close_level(struct text json, size_t *level, struct buf *out)
{
    if (*level > 0)
        --*level;
    new_line(out, *level);
    buf_add_byte(out, json.bytes[0]);
    return text_skip(json, 1);
}

static struct text copy_punctuation(struct text json, size_t level, struct buf *out)
{
    buf_add_byte(out, json.bytes[0]);
    if (json.bytes[0] == ',')
        new_line(out, level);
    else if (json.bytes[0] == ':')
        buf_add_byte(out, ' ');
    return text_skip(json, 1);
}

bool json_indent(struct text json, struct buf *out)
{
    size_t level = 0;
    json = skip_blanks(json);
    while (json.size > 0 && !out->full) {
        char byte = json.bytes[0];
        if (byte == '"') {
            size_t size = string_size(json);
            buf_add(out, json.bytes, size);
            json = text_skip(json, size);
        } else if (byte == '{' || byte == '[') {
            json = open_level(json, &level, out);
        } else if (byte == '}' || byte == ']') {
            json = close_level(json, &level, out);
        } else {
            json = copy_punctuation(json, level, out);
        }
        json = skip_blanks(json);
    }
    return !out->full;
}
