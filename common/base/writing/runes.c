/* common/base/writing/runes.c - code points with their positions. */
#include "runes.h"

#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"

enum { FIRST_CAPACITY = 64 };

static void make_room(struct runes *runes, size_t more)
{
    if (runes->capacity - runes->count >= more)
        return;
    runes->capacity = MAX(runes->count + more, MAX(FIRST_CAPACITY, 2 * runes->capacity));
    runes->at = mem_resize(runes->at, runes->capacity * sizeof(*runes->at));
}

struct runes runes_of(struct text text)
{
    struct runes runes = { 0 };
    size_t bytes;

    make_room(&runes, text.size + 1);
    while (text.size > 0) {
        uint32_t place = (uint32_t)runes.count;
        runes.at[runes.count++] = (struct rune){ utf8_next(text, &bytes), place, place + 1 };
        text = text_skip(text, bytes);
    }
    return runes;
}

void runes_free(struct runes *runes)
{
    mem_free(&runes->at);
    *runes = (struct runes){ 0 };
}

void runes_add(struct runes *runes, struct rune rune)
{
    make_room(runes, 1);
    runes->at[runes->count++] = rune;
}

void runes_add_code(struct runes *runes, uint32_t code, struct rune origin)
{
    origin.code = code;
    runes_add(runes, origin);
}

void runes_add_ascii(struct runes *runes, const char *ascii, struct rune origin)
{
    for (; *ascii; ascii++)
        runes_add_code(runes, (unsigned char)*ascii, origin);
}

void runes_add_range(struct runes *runes, const struct rune *from, size_t count)
{
    make_room(runes, MAX(count, 1)); /* so that an empty text also has an address */
    if (count > 0)
        memcpy(runes->at + runes->count, from, count * sizeof(*from));
    runes->count += count;
}

void runes_replace(struct runes *old, struct runes *fresh)
{
    make_room(fresh, 1);
    runes_free(old);
    *old = *fresh;
    *fresh = (struct runes){ 0 };
}

void runes_print(const struct rune *from, size_t count, struct buf *out)
{
    for (size_t i = 0; i < count; i++)
        utf8_add(out, from[i].code);
}

bool runes_start(const struct rune *from, size_t count, const char *ascii)
{
    for (size_t i = 0; ascii[i]; i++)
        if (i == count || from[i].code != (unsigned char)ascii[i])
            return false;
    return true;
}

bool runes_start_loose(const struct rune *from, size_t count, const char *lower_ascii)
{
    for (size_t i = 0; lower_ascii[i]; i++) {
        if (i == count)
            return false;
        uint32_t code = from[i].code;
        if (code >= 'A' && code <= 'Z')
            code += 'a' - 'A';
        if (code != (unsigned char)lower_ascii[i])
            return false;
    }
    return true;
}
