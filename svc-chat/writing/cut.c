/* svc-chat/writing/cut.c - shortens a text at a safe place. */
#include "cut.h"

#include <string.h>
#include <unigbrk.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/writing/chars.h"
#include "tokens.h"

enum {
    ELLIPSIS = 0x2026,
    LOOK_AHEAD = 256, /* runes: more than any token but links, which may be cut */
};

/* By index: may the text end before this rune? */
static char *find_ends(const struct runes *runes)
{
    scoped(tokens_free) struct tokens tokens = tokens_of(runes);
    scoped(mem_free) uint32_t *codes = mem_array(runes->count + 1, sizeof(*codes));
    char *ends = mem_array(runes->count + 1, sizeof(*ends));

    for (size_t i = 0; i < runes->count; i++)
        codes[i] = runes->at[i].code;
    u32_grapheme_breaks(codes, runes->count, ends);
    for (size_t i = 0; i < tokens.count; i++)
        for (size_t j = tokens.at[i].start + 1;
             tokens.at[i].kind != TOKEN_LINK && j < tokens.at[i].end; j++)
            ends[j] = 0;
    for (size_t i = 0; i + 1 < runes->count; i++) {
        uint32_t next = codes[i + 1];
        if (codes[i] == '\\' && next < 0x80 && !char_is_word(next) && !char_is_space(next))
            ends[++i] = 0;
    }
    ends[0] = 1;
    return ends;
}

/* Is a code fence open at the end of these runes? */
static bool is_fenced(const struct runes *runes, size_t count)
{
    bool open = false;
    for (size_t i = 0; i < count;) {
        size_t run = 0;
        while (i + run < count && runes->at[i + run].code == '`')
            run++;
        if (run >= 3)
            open = !open;
        i += run > 0 ? run : runes->at[i].code == '\\' ? 2 : 1;
    }
    return open;
}

static size_t last_end(const char *ends, size_t limit)
{
    while (!ends[limit])
        limit--;
    return limit;
}

static bool has_lines(const struct runes *runes)
{
    for (size_t i = 0; i < runes->count; i++)
        if (runes->at[i].code == '\n')
            return true;
    return false;
}

bool cut(struct runes *runes, size_t limit, bool ellipsis)
{
    if (runes->count <= limit)
        return false;
    const char *closing = has_lines(runes) ? "\n```" : "```";
    const size_t closing_length = strlen(closing);

    struct runes seen = { runes->at, MIN(runes->count, limit + LOOK_AHEAD), 0 }; /* borrowed */
    scoped(mem_free) char *ends = find_ends(&seen);
    size_t room = limit - (ellipsis && limit > 0);
    size_t end = last_end(ends, room);
    size_t fenced_end = room > closing_length ? last_end(ends, room - closing_length) : 0;
    bool closes = fenced_end > 0 && is_fenced(runes, end) && is_fenced(runes, fenced_end);
    struct rune origin = runes->at[end < runes->count ? end : 0];

    runes->count = closes ? fenced_end : end;
    while (ellipsis && runes->count > 0 && char_is_space(runes->at[runes->count - 1].code))
        runes->count--;
    if (ellipsis)
        runes_add_code(runes, ELLIPSIS, origin);
    if (closes)
        runes_add_ascii(runes, closing, origin);
    return true;
}
