/* common/base/writing/unseen.c - removes or shows invisible characters. */
#include "unseen.h"

#include <stdio.h>

#include "base/num.h"
#include "chars.h"

/* Patterns with dots follow the blank one (The Unicode Standard 15.0, chart U2800). */
enum { BRAILLE_BLANK = 0x2800, BRAILLE_LAST = 0x28FF };
enum { LINE_SEPARATOR = 0x2028, PARAGRAPH_SEPARATOR = 0x2029 };

static uint32_t code_at(const struct runes *runes, size_t index)
{
    return index < runes->count ? runes->at[index].code : 0;
}

static bool has_braille(const struct runes *runes)
{
    for (size_t i = 0; i < runes->count; i++)
        if (runes->at[i].code > BRAILLE_BLANK && runes->at[i].code <= BRAILLE_LAST)
            return true;
    return false;
}

/* A blank pattern is a Braille letter if it is single, in a text with other patterns. */
static bool is_braille_gap(const struct runes *runes, size_t at, bool is_braille)
{
    return runes->at[at].code == BRAILLE_BLANK &&
           (!is_braille || code_at(runes, at + 1) == BRAILLE_BLANK ||
            (at > 0 && runes->at[at - 1].code == BRAILLE_BLANK));
}

static bool is_joiner_in_word(const struct runes *runes, size_t at)
{
    uint32_t code = runes->at[at].code;
    return (code == CHAR_ZWJ || code == CHAR_ZWNJ) && at > 0 &&
           char_is_joined(runes->at[at - 1].code, code_at(runes, at + 1));
}

/* Visit a text, and call put() for each invisible rune to write its replacement. */
typedef void put_unseen(struct runes *out, struct rune rune, bool is_bidi, void *context);

static void each_unseen(struct runes *runes, put_unseen *put, void *context)
{
    scoped(runes_free) struct runes out = { 0 };
    bool is_braille = has_braille(runes);

    for (size_t i = 0, length; i < runes->count; i += length) {
        length = MAX(emoji_length(runes->at + i, runes->count - i), 1);
        uint32_t code = runes->at[i].code;
        bool is_bidi = char_is_bidi(code);
        if (length == 1 && !is_joiner_in_word(runes, i) &&
            (is_bidi || char_is_invisible(code) || is_braille_gap(runes, i, is_braille)))
            put(&out, runes->at[i], is_bidi, context);
        else
            runes_add_range(&out, runes->at + i, length);
    }
    runes_replace(runes, &out);
}

struct dropping {
    bool invisible, bidi;
    struct unseen count;
};

static void drop_rune(struct runes *out, struct rune rune, bool is_bidi, void *context)
{
    struct dropping *dropping = context;
    if (!(is_bidi ? dropping->bidi : dropping->invisible))
        runes_add(out, rune);
    else if (rune.code == LINE_SEPARATOR || rune.code == PARAGRAPH_SEPARATOR)
        runes_add_code(out, '\n', rune);
    else if (is_bidi)
        dropping->count.bidi++;
    else
        dropping->count.invisible++;
}

struct unseen drop_invisible(struct runes *runes, bool invisible, bool bidi)
{
    struct dropping dropping = { .invisible = invisible, .bidi = bidi };
    each_unseen(runes, drop_rune, &dropping);
    /* What is next to dropped characters is now alone, and may itself be invisible. */
    if (dropping.count.invisible + dropping.count.bidi > 0)
        each_unseen(runes, drop_rune, &dropping);
    return dropping.count;
}

static void write_number(struct runes *out, struct rune rune, bool is_bidi, void *context)
{
    struct unseen *count = context;
    char shown[12];

    snprintf(shown, sizeof(shown), "\\u{%04x}", (unsigned)rune.code & 0xFFFFF);
    runes_add_ascii(out, shown, rune);
    if (is_bidi)
        count->bidi++;
    else
        count->invisible++;
}

struct unseen show_invisible(struct runes *runes)
{
    struct unseen count = { 0 };
    each_unseen(runes, write_number, &count);
    return count;
}
