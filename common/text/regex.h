/* common/text/regex.h - Perl-compatible patterns with PCRE2, with bounded work. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct regex; /* a compiled pattern; may be used by several threads at once */

/* Compile a pattern for UTF-8; its $ matches only at the very end of a text. Errors:
 * ERR_INVALID_VALUE with the offset. */
bool regex_new(const char *pattern, struct regex **regex, struct err *err) must_check;
void regex_free(struct regex **regex);

/*
 * Is there a match anywhere in text (valid UTF-8)? A match that would take more than 100,000 steps
 * or 4 MiB does not count.
 */
bool regex_matches(const struct regex *regex, struct text text);

/* The same with 50 steps at most, about a microsecond: most patterns and short texts need fewer. */
enum regex_verdict { REGEX_NO_MATCH, REGEX_MATCH, REGEX_TAKES_LONGER };
enum regex_verdict regex_try(const struct regex *regex, struct text text);

/*
 * The same as regex_matches() with positions: groups[0] is the match, groups[i] the pattern's i-th
 * group, borrowed from text; empty for an unused group.
 */
bool regex_find(const struct regex *regex, struct text text, struct text *groups, size_t count);
