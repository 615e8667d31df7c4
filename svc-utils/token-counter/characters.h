/* svc-utils/token-counter/characters.h - the character classes by which tokenizers split text. */
#pragma once

#include <stdint.h>

/* In this order: letters first, then marks. */
enum character_kind {
    CHARACTER_UPPER,   /* Lu, Lt */
    CHARACTER_LOWER,   /* Ll */
    CHARACTER_UNCASED, /* Lm, Lo */
    CHARACTER_MARK,    /* M */
    CHARACTER_DIGIT,   /* N */
    CHARACTER_LINE,    /* CR, LF */
    CHARACTER_BLANK,   /* other White_Space */
    CHARACTER_SYMBOL,  /* everything else */
};

enum character_kind character_kind(uint32_t character);
