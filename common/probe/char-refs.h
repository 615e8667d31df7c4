/* common/probe/char-refs.h - character references, &amp; and &#38;, by the HTML standard (section
 * 13.2.5.72 and following). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * Append text with its references replaced. In an attribute, a name without ; stays unchanged if =,
 * a letter or a digit follows: "?a=1&copy=2" is a URL. The result is at most one and a half times
 * as long as the text.
 */
void char_refs_decode(struct text text, bool is_attribute, struct buf *out);

/* ---- the table, made by char-refs.py ---- */

struct char_ref {
    const char *name; /* without &, most with ; */
    const char *text; /* UTF-8 */
};

extern const struct char_ref char_refs[]; /* sorted by name */
extern const size_t char_refs_count;
