/*
 * common/text/regex.h - Perl-compatible patterns by PCRE2, with bounded work.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct regex; /* a compiled pattern; may be used by several threads at once */

/* Compile a pattern that reads UTF-8; its $ is the very end of a text. Errors: ERR_INVALID_VALUE
 * with the offset. */
bool regex_new(const char *pattern, struct regex **regex, struct err *err) must_check;
void regex_free(struct regex **regex);

/* Is there a match anywhere in text (valid UTF-8)? A match that would take more than 100,000
 * steps or 4 MiB counts as none. */
bool regex_matches(const struct regex *regex, struct text text);

/* The same, and where: groups[0] is what matched, groups[i] the pattern's i-th group, borrowed from
 * text; empty for a group that took no part. */
bool regex_find(const struct regex *regex, struct text text, struct text *groups, size_t count);
