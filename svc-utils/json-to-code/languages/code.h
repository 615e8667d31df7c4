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
    QUOTE_PHP,
};

/*
 * Append a text as a literal in double quotes. Invisible characters are escaped: a direction mark
 * is an error in Rust and a risk elsewhere (CVE-2021-42574).
 */
void code_quote(struct buf *out, struct text text, enum code_quotes quotes);

/* Is a text [A-Za-z_][A-Za-z0-9_]*? */
bool code_is_plain_name(struct text text);

/*
 * Does every JavaScript object inherit this name from its prototype? If an optional member of that
 * name is missing, reading it returns the prototype's, and tsc rejects a conflicting type.
 */
bool code_is_inherited(struct text key);
