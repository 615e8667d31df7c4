/*
 * common/base/writing/chars.h - what single characters are to a reader: unseen, steering the
 * direction of text, parts of an emoji, look-alikes of letters.
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

/* Controls of direction (UAX #9) and what shows nothing; each bidi control is invisible too.
 * U+2800 BRAILLE PATTERN BLANK is not counted here: alone it is a pattern. */
bool char_is_bidi(uint32_t code);
bool char_is_invisible(uint32_t code);

/* C0 and C1 controls and DEL. */
bool char_is_control(uint32_t code);

bool char_is_space(uint32_t code); /* White_Space */
bool char_is_letter(uint32_t code);
bool char_is_mark(uint32_t code);
bool char_is_word(uint32_t code); /* letters, marks, numbers: what words are made of */
bool char_is_latin(uint32_t code);

/* Does the script of this base need marks, several on one letter (Hebrew, Arabic, Indic, Thai …)?
 */
bool char_takes_marks(uint32_t code);

/* Is a joiner (ZWJ, ZWNJ) part of the spelling between these two (Arabic, Syriac, Indic)? */
bool char_is_joined(uint32_t before, uint32_t after);

/* Runes of the emoji that begins here (UTS #51, ED-17: flag, keycap, tag or joined sequence, or one
 * pictograph with its selector); 0 when none does. Plain digits, # and * are none. */
size_t emoji_length(const struct rune *from, size_t count);

/* The ASCII letter or digit that this character is made to look like, 0 for none; what NFKC turns
 * into ASCII is not known here. Real look-alikes only, or also shapes that merely stand for one. */
char char_confusable(uint32_t code);
char char_lookalike(uint32_t code);

/* Normalise by NFC or NFKC, each result keeping the place of all that it was made from. Returns the
 * count of places that changed. */
enum char_form { FORM_NFC, FORM_NFKC };
size_t runes_normalize(struct runes *runes, enum char_form form);
