/* common/jsonschema/pattern.h - patterns of JSON Schema (ECMA-262), with PCRE2. */
#pragma once

#include "text/regex.h"

enum pattern_verdict { PATTERN_GOOD, PATTERN_BAD, PATTERN_UNKNOWN };

/*
 * Compile a pattern into *regex, owned by the caller. UNKNOWN, with nothing compiled: it is too
 * long, or PCRE does not support it.
 */
enum pattern_verdict pattern_compile(struct text pattern, struct regex **regex) must_check;

/*
 * Steps for compiling it, of which four take about a microsecond; regex: what came of it, or NULL.
 * They depend only on the pattern, so that a check ends at the same place on every machine.
 * Measured with PCRE2 10.42: 1 to 40 us a KiB of most patterns (180 with many names), and 1 to 18
 * us a KiB of what was compiled.
 */
size_t pattern_steps(struct text pattern, const struct regex *regex);
