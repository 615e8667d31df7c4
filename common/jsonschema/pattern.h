/*
 * common/jsonschema/pattern.h - patterns of JSON Schema, which are of ECMA-262, by PCRE2.
 */
#pragma once

#include "text/regex.h"

enum pattern_verdict { PATTERN_GOOD, PATTERN_BAD, PATTERN_UNKNOWN };

/* Compile a pattern into *regex, the caller's. UNKNOWN, with nothing compiled: it is too long, or
 * uses what PCRE spells otherwise. */
enum pattern_verdict pattern_compile(struct text pattern, struct regex **regex) must_check;
