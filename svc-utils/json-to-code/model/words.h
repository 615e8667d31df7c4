/*
 * svc-utils/json-to-code/model/words.h - from the name of a JSON member to an identifier.
 *
 * A name is split into words:
 *
 * - at each character that is not a letter or digit,
 * - before an uppercase letter that follows another kind of letter,
 * - before the last letter of an acronym that runs into a word: HTMLParser is HTML and Parser.
 *
 * Words keep ASCII letters and digits, and letters of Unicode's first plane, which all targets
 * accept in identifiers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

enum {
    WORDS_CHARS = 64, /* code points of a name that are used */
    WORDS_BYTES = 4 * WORDS_CHARS,
};

struct words {
    size_t count; /* code points */
    uint32_t letter[WORDS_CHARS];
    bool begins_word[WORDS_CHARS];
    bool has_lower;
};

enum words_style {
    WORDS_PASCAL, /* UserId, for types */
    WORDS_CAMEL,  /* userId */
    WORDS_SNAKE,  /* user_id */
    WORDS_GO,     /* UserID, always exported */
};

/* Do identifiers keep this character? */
bool words_keeps(uint32_t c);

void words_split(struct words *words, struct text name);

/* Make the last word singular; false if it probably is already. */
bool words_singular(struct words *words);

/* The identifier in a style; NULL without words. It never begins with a digit. */
const char *words_join(const struct words *words, enum words_style style, struct arena *arena);

/* A text that is equal for names that differ only in case. */
const char *words_fold(const char *name, struct arena *arena);
