/*
 * common/base/writing/chars.h - how a reader sees single characters: invisible, direction controls,
 * parts of an emoji, look-alikes of letters.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runes.h"

enum {
    CHAR_ZWNJ = 0x200C,
    CHAR_ZWJ = 0x200D,
    CHAR_ZWSP = 0x200B,
    CHAR_TEXT_STYLE = 0xFE0E,
    CHAR_EMOJI_STYLE = 0xFE0F,
    CHAR_KEYCAP = 0x20E3,
};

/*
 * Direction controls (UAX #9), and invisible characters; each direction control is also invisible.
 * U+2800 BRAILLE PATTERN BLANK is not included: whether it shows something depends on the text, see
 * unseen.h.
 */
bool char_is_bidi(uint32_t code);
bool char_is_invisible(uint32_t code);

/* C0 and C1 controls and DEL. */
bool char_is_control(uint32_t code);

bool char_is_space(uint32_t code); /* White_Space */
bool char_is_letter(uint32_t code);
bool char_is_mark(uint32_t code);
bool char_is_word(uint32_t code); /* letters, marks, numbers */
bool char_is_latin(uint32_t code);

/* Does the script of this base require marks, several on one letter (Hebrew, Arabic, Indic, Thai
 * …)? */
bool char_takes_marks(uint32_t code);

/* Does a joiner (ZWJ, ZWNJ) between these two belong to the spelling (Arabic, Syriac, Indic)? */
bool char_is_joined(uint32_t before, uint32_t after);

/*
 * Number of runes of the emoji that begins here (UTS #51, ED-17: flag, keycap, tag or joined
 * sequence, or one pictograph with its selector); 0 if not found. Plain digits, # and * do not
 * count.
 */
size_t emoji_length(const struct rune *from, size_t count);

/*
 * The ASCII letter or digit that this character looks like; 0 if not found. Characters that
 * NFKC converts to ASCII are not included. Either only real look-alikes, or also shapes that merely
 * represent one.
 */
char char_confusable(uint32_t code);
char char_lookalike(uint32_t code);

/*
 * Normalize to NFC or NFKC. Each result keeps the positions of all its sources. Returns the number
 * of changed places.
 */
enum char_form { FORM_NFC, FORM_NFKC };
size_t runes_normalize(struct runes *runes, enum char_form form);
