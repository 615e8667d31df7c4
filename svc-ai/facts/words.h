/* svc-ai/facts/words.h - count the words of a text, and search it for phrases. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { READING_WORDS_PER_MINUTE = 200 };

/* Words that have a letter or digit, separated by white space. Each Han, Hiragana or Katakana
 * character is a word, because these scripts have no blanks. */
size_t words_count(struct text text);

/* Seconds, rounded up; 0 for 0 words. */
int64_t words_reading_seconds(size_t words);

/* Whether the text has the phrase as whole words, in any case and with any white space; in scripts
 * without blanks, anywhere. The phrase must have a letter or digit. */
bool words_have(struct text text, struct text phrase);

/* Whether the text has the phrase in exactly this case, and the phrase has a capital letter. */
bool words_have_proper(struct text text, struct text phrase);
