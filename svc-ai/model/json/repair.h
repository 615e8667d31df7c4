/*
 * svc-ai/model/json/repair.h - JSON as models write it, made strict JSON.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { REPAIR_DEPTH = 32 };

/*
 * Append, as strict JSON, the object or array at whose { or [ text begins; *end is the offset
 * behind it. Put right are: comments (two slashes, slash and star, #); single, typographic and back
 * quotes; unquoted names and words; commas and colons too many or too few; True, False, None,
 * undefined, NaN; raw control characters and quotes inside strings; escapes that are none; strings
 * added to each other with +; brackets of the wrong kind; an end that is missing, where what was
 * cut in its middle is left out. Linear in time; false, with out as it was, when it is nested
 * deeper than REPAIR_DEPTH or does not fit into out, of which it takes at most six times the text's
 * bytes.
 */
bool repair_json(struct text text, size_t *end, struct buf *out) must_check;
