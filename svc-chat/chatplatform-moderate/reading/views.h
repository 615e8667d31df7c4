/*
 * svc-chat/chatplatform-moderate/reading/views.h - a text as its writer may have meant it: without
 * disguise, in several readings, each symbol with the place it came from.
 *
 * In a view all words are small letters and digits, and whatever stands between two words is one
 * blank; mentions are one VIEW_PERSON each; links, emoji, timestamps and fenced code are blanks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/writing/runes.h"
#include "matcher.h"
#include "writing/tokens.h"

/* What had to be undone to read a symbol. */
enum disguise {
    DISGUISE_INVISIBLE = 1 << 0,
    DISGUISE_FULLWIDTH = 1 << 1,
    DISGUISE_STYLED = 1 << 2,
    DISGUISE_CONFUSABLE = 1 << 3,
    DISGUISE_DIACRITICS = 1 << 4,
    DISGUISE_LEET = 1 << 5,
    DISGUISE_REPETITION = 1 << 6,
    DISGUISE_SEPARATORS = 1 << 7,
    DISGUISE_WILDCARD = 1 << 8,
    DISGUISE_MIXED_CASE = 1 << 9,
    DISGUISES = 10,
};

struct symbol {
    uint32_t code;
    uint32_t start, end; /* code points of the text as sent */
    unsigned disguise;
};

struct view {
    struct symbol *at;
    size_t count;
    size_t capacity;
};

enum {
    VIEW_PERSON = 0xE000,   /* of a private area: no text holds it, see views.c */
    VIEW_GESTURE = 0x1F595, /* the middle finger: the one emoji that is a word */
};

enum view_kind {
    VIEW_NATIVE, /* marks dropped, small letters: what each script is matched in */
    VIEW_FOLDED, /* look-alikes are ASCII: V1 */
    VIEW_LEET,   /* digits and signs are letters, 1 is i: V2 */
    VIEW_LEET_L, /* 1 is l */
    VIEW_TWICE,  /* runs are two letters: V3 */
    VIEW_ONCE,   /* runs are one letter */
    VIEW_JOINED, /* spelled words are words: V4 */
    VIEW_GUESS,  /* words with holes in them, see VIEW_HOLE */
    VIEW_GUESS_CYRILLIC,
    VIEW_DROPPED,  /* signs and emoji inside a word are not there */
    VIEW_SQUEEZED, /* no letter stands twice in a row */
    VIEW_TURNED,   /* letters that stand on their heads, from right to left */
    VIEW_CYRILLIC, /* a word with a Cyrillic letter has no others; spelled words are words */
    VIEW_KINDS,
};

/* Readings that bring letters together that the writer may have meant apart: only whole strong
 * words count there. */
static inline bool view_is_daring(enum view_kind kind)
{
    return kind == VIEW_DROPPED || kind == VIEW_SQUEEZED;
}

enum { VIEW_HOLE = '*' /* any one letter */ };

struct views {
    struct view view[VIEW_KINDS];
    bool same[VIEW_KINDS]; /* reads as the view before it did: no need to look again */
};

/* The readings of a text; clean is it by NFKC and without invisible characters, tokens are those of
 * clean. */
void views_make(struct views *views, const struct runes *clean, const struct tokens *tokens,
                const struct runes *original);
void views_free(struct views *views);

/* The symbols of a pattern: the native reading of its text. Does it hold marks that count? */
struct view view_of_pattern(struct text text, bool *has_marks);
void view_free(struct view *view);

struct symbols view_symbols(const struct view *view);
