/*
 * svc-utils/json-to-code/languages/code.h - string literals of the languages.
 */
#pragma once

#include "base/buf.h"

enum code_quotes {
    QUOTE_JSON, /* and TypeScript */
    QUOTE_PYTHON,
    QUOTE_RUST,
    QUOTE_KOTLIN,
};

/* Append a text as a literal with double quotes. What cannot be seen is escaped: a direction mark,
 * for one, is an error in Rust and a trap elsewhere (CVE-2021-42574). */
void code_quote(struct buf *out, struct text text, enum code_quotes quotes);

/* Is a text [A-Za-z_][A-Za-z0-9_]*? */
bool code_is_plain_name(struct text text);

/* Has every object of JavaScript this by its prototype? Where an optional member of that name is
 * missing, a reader finds the prototype's, and tsc refuses a type that says otherwise. */
bool code_is_inherited(struct text key);
