/* svc-security/words.h - split header values. */
#pragma once

#include <stdbool.h>

#include "base/text.h"

/* Cut the trimmed text before the separator off *rest. Returns false if nothing is left. "a,,b" has
 * an empty part, "a," does not. */
bool word_cut(struct text *rest, char separator, struct text *part);

/* Is the text one of the words, ignoring case? The list ends with NULL. */
bool word_is_among(struct text text, const char *const *words);
