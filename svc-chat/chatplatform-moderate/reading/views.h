/*
 * svc-chat/chatplatform-moderate/reading/views.h - a text without disguise, in several readings.
 * Each symbol keeps its position in the text as sent.
 *
 * In a view, all words are lowercase letters and digits, and one blank replaces everything between
 * two words. A mention is one VIEW_PERSON. Links, emoji, timestamps and fenced code are blanks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/writing/runes.h"
#include "view.h"
#include "writing/tokens.h"

enum {
    VIEW_PERSON = 0xE000,   /* private use area: not in any text, see views.c */
    VIEW_GESTURE = 0x1F595, /* the middle finger, the only emoji that counts as a word */
};

enum view_kind {
    VIEW_NATIVE, /* lowercase without marks: each script is matched in this view */
    VIEW_FOLDED, /* look-alikes are ASCII: V1 */
    VIEW_LEET,   /* digits and signs are letters, 1 is i: V2 */
    VIEW_LEET_L, /* 1 is l */
    VIEW_TWICE,  /* runs become two letters: V3 */
    VIEW_ONCE,   /* runs become one letter */
    VIEW_JOINED, /* spelled-out words are joined: V4 */
    VIEW_GUESS,  /* words with hidden letters, see VIEW_HOLE */
    VIEW_GUESS_CYRILLIC,
    VIEW_DROPPED,  /* signs and emoji inside a word are dropped */
    VIEW_SQUEEZED, /* no two equal letters in a row */
    VIEW_TURNED,   /* upside-down letters, read from right to left */
    VIEW_CYRILLIC, /* a word with a Cyrillic letter has only such letters; spelled-out words are
                      joined */
    VIEW_KINDS,
};

/*
 * Views that join letters which the author may have meant separately. Only strong whole words count
 * in them.
 */
static inline bool view_is_daring(enum view_kind kind)
{
    return kind == VIEW_DROPPED || kind == VIEW_SQUEEZED;
}

enum { VIEW_HOLE = '*' /* any one letter */ };

struct views {
    struct view view[VIEW_KINDS];
    bool same[VIEW_KINDS]; /* equal to the previous view: do not search it again */
};

/*
 * Make the views of a text. `clean` is the text in NFKC without invisible characters; tokens are
 * positions in clean.
 */
void views_make(struct views *views, const struct runes *clean, const struct tokens *tokens,
                const struct runes *original);
void views_free(struct views *views);

/* The symbols of a pattern: the native view of its text. Sets *has_marks if its marks count. */
struct view view_of_pattern(struct text text, bool *has_marks);
