/* common/text/regex.h - Perl-compatible patterns with PCRE2, with bounded work. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct regex; /* a compiled pattern; may be used by several threads at once */

/* Compile our pattern for UTF-8; its $ matches only at the very end of a text. Errors:
 * ERR_INVALID_VALUE with the offset. */
bool regex_new(const char *pattern, struct regex **regex, struct err *err) must_check;

/* The same for a pattern of a customer or a foreign document, for regex_judge(). */
bool regex_new_foreign(const char *pattern, struct regex **regex, struct err *err) must_check;
void regex_free(struct regex **regex);

/* What the compiled pattern occupies, in bytes: repetitions of groups are copies of them. */
size_t regex_bytes(const struct regex *regex);

/*
 * Is there a match anywhere in text (valid UTF-8)? A match that would take more than 100,000 steps
 * at one place of the text, or 4 MiB, does not count. That bounds no pattern that scans the rest of
 * the text from each place, such as a*[bc], so it is only for our patterns.
 */
bool regex_matches(const struct regex *regex, struct text text);

/*
 * The same for a foreign pattern. steps is the most to take, at most REGEX_STEPS_MAX, and becomes
 * what was taken. A step is one item of the pattern at one place, and one more for each 16 bytes
 * behind that place, which the item may scan. A million take at most some 50 ms.
 */
enum { REGEX_STEPS_MAX = 1000000 };
enum regex_verdict { REGEX_NO_MATCH, REGEX_MATCH, REGEX_UNKNOWN };
enum regex_verdict regex_judge(const struct regex *regex, struct text text, size_t *steps);

/*
 * The same as regex_matches() with positions: groups[0] is the match, groups[i] the pattern's i-th
 * group, borrowed from text; empty for an unused group.
 */
bool regex_find(const struct regex *regex, struct text text, struct text *groups, size_t count);
