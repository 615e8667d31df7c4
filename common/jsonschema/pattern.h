/* common/jsonschema/pattern.h - patterns of JSON Schema (ECMA-262), with PCRE2. */
#pragma once

#include "text/regex.h"

enum pattern_verdict { PATTERN_GOOD, PATTERN_BAD, PATTERN_UNKNOWN };

/*
 * Compile a pattern into *regex, owned by the caller. UNKNOWN, with nothing compiled: it is too
 * long, or PCRE does not support it.
 */
enum pattern_verdict pattern_compile(struct text pattern, struct regex **regex) must_check;
