/*
 * common/probe/char-refs.h - character references, &amp; and &#38;, as the HTML standard reads them
 * (section 13.2.5.72 and following).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Append text with its references replaced. In the value of an attribute a name without its ;
 * stays as it is when = or a letter or digit follows: "?a=1&copy=2" is a URL. What is appended is
 * never longer than one and a half times the text. */
void char_refs_decode(struct text text, bool is_attribute, struct buf *out);

/* ---- the table, made by char-refs.py ---- */

struct char_ref {
    const char *name; /* without &, most with ; */
    const char *text; /* UTF-8 */
};

extern const struct char_ref char_refs[]; /* sorted by name */
extern const size_t char_refs_count;
