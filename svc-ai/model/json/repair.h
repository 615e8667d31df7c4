/*
 * svc-ai/model/json/repair.h - turn JSON as models write it into strict JSON.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { REPAIR_DEPTH = 32 };

/*
 * Append to out, as strict JSON, the object or array that begins at the { or [ at the start of
 * text. *end is the offset after it. Repairs:
 * - comments: //, slash and star, #
 * - single, typographic and back quotes
 * - unquoted names and words
 * - extra or missing commas and colons
 * - True, False, None, undefined, NaN
 * - raw control characters and quotes inside strings, and invalid escapes
 * - strings joined with +
 * - brackets of the wrong kind
 * - a missing end; a value that was cut off in the middle is dropped, and *is_cut is true
 *
 * Runs in linear time. Returns false and leaves out unchanged if the text is nested deeper than
 * REPAIR_DEPTH or does not fit into out, which needs at most six times the bytes of text.
 */
bool repair_json(struct text text, size_t *end, struct buf *out, bool *is_cut) must_check;
