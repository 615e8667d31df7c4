/*
 * svc-email/address/local.h - what the shape of a name tells: whether a person chose it, or a
 * machine, or somebody who wanted to get past a form.
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"

/*
 * How unlike names and words the letters of a text are, 0 to 1000: their pairs by bigrams.def, on
 * average. 750 is passed by 1 of 200 names and by 8 of 10 random texts of 8 letters, 900 by 1 of
 * 1000 and by 7 of 10. 0 for a text of less than 6 letters, one that is not ASCII, and one that has
 * a part of 4 letters or more, between separators, that looks like a word.
 */
int gibberish_of(struct text text);

/* All of these take a local part in lower case. */
bool local_is_random(struct text local); /* hexadecimal, a UUID, letters and digits in turn */
bool local_is_keyboard_walk(struct text local); /* neighbouring keys: QWERTY, QWERTZ, AZERTY */
bool local_is_repeated(struct text local);      /* aaaaa, ababab */
bool local_is_mostly_digits(struct text local); /* 8 of 10, of at least 7 characters */

struct text text_without_digits_at_end(struct text text);
