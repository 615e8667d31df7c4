/* svc-security/words.h - texts of headers, part by part. */
#pragma once

#include <stdbool.h>

#include "base/text.h"

/* What stands before the separator, without white space around it, taken off *rest; false when
 * nothing is left. "a,,b" has an empty part, "a," has not. */
bool word_cut(struct text *rest, char separator, struct text *part);

/* Is it, in any case, one of these words, which end in NULL? */
bool word_is_among(struct text text, const char *const *words);
