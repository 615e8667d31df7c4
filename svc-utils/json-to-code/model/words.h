/*
 * svc-utils/json-to-code/model/words.h - from the name of a JSON member to an identifier.
 *
 * A name is taken apart into words at everything that is neither letter nor digit, before an
 * upper-case letter that follows another, and before the last letter of an acronym that goes over
 * into a word: HTMLParser is HTML and Parser. What is left are ASCII letters and digits, and
 * letters of Unicode's first plane, which all six languages take in identifiers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

enum {
    WORDS_CHARS = 64, /* code points of a name that are looked at */
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

/* Is it a character that identifiers keep? */
bool words_keeps(uint32_t c);

void words_split(struct words *words, struct text name);

/* Make the last word singular; false when it is already, as far as one can see. */
bool words_singular(struct words *words);

/* The identifier in a style; NULL when there is no word. It never begins with a digit. */
const char *words_join(const struct words *words, enum words_style style, struct arena *arena);

/* The text that two names share when they differ in case only. */
const char *words_fold(const char *name, struct arena *arena);
