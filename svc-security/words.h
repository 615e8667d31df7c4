/* svc-security/words.h - texts of headers, part by part. */
#ifndef SVC_SECURITY_WORDS_H
#define SVC_SECURITY_WORDS_H

#include <stdbool.h>

#include "base/buf.h"

/* What stands before the separator, without white space around it, taken off *rest; false when
 * nothing is left. "a,,b" has an empty part, "a," has not. */
bool word_cut(struct text *rest, char separator, struct text *part);

/* The same letters when ASCII's capital and small ones count as equal? Does it begin so? */
bool word_is(struct text text, const char *word);
bool word_begins(struct text text, const char *beginning);

/* Is it one of these words, which end in NULL? */
bool word_is_among(struct text text, const char *const *words);

/* Does the text hold that, in any case? */
bool word_is_in(struct text text, const char *word);

#endif
