/* svc-ai/facts/words.h - how many words a text has, and how long it takes to read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { READING_WORDS_PER_MINUTE = 200 };

/* Stretches between white space that hold a letter or a digit; of Han, Hiragana and Katakana, which
 * are written without blanks, every character is a word. */
size_t words_count(struct text text);

/* Seconds, rounded up; 0 for no words. */
int64_t words_reading_seconds(size_t words);

/* Is the phrase in the text, from word to word, whatever the case and the white space? Of scripts
 * without blanks: anywhere. The phrase must say something. */
bool words_have(struct text text, struct text phrase);

/* Does the phrase stand in the text in exactly these letters, and is one of them a capital? */
bool words_have_proper(struct text text, struct text phrase);
