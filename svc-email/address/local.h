/*
 * svc-email/address/local.h - judge by its pattern whether a person or a machine chose a name, or
 * whether it only serves to pass a form.
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"

/*
 * How unlike names and words a text is, 0 to 1000: the mean of its letter pairs by bigrams.def. 1
 * of 75 local parts made from names of 28 languages exceeds 750, and of random texts of 8 letters
 * 84 %, of 12 letters 95 %. 0 for fewer than 6 letters, for a text that is not ASCII, and if a part
 * of at least 4 letters looks like a word: between separators, or without one or two initials
 * before or after it.
 */
int gibberish_of(struct text text);

/* These functions take a local part in lower case. */
bool local_is_random(struct text local); /* hexadecimal, a UUID, alternating letters and digits */
bool local_is_keyboard_walk(struct text local); /* neighboring keys: QWERTY, QWERTZ, AZERTY */
bool local_is_repeated(struct text local);      /* aaaaa, ababab */
bool local_is_mostly_digits(struct text local); /* 8 of 10, with at least 7 characters */

struct text text_without_digits_at_end(struct text text);
