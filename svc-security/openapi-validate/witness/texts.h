/*
 * svc-security/openapi-validate/witness/texts.h - texts of a format or a pattern.
 */
#pragma once

#include "base/buf.h"

/* A text of the format; NULL: unknown. Static. */
const char *text_of_format(struct text format);

/*
 * Append a text that the pattern probably matches; repeated parts have `repeats` copies, within
 * their own limits. The caller checks it: lookaheads, references and anchors inside are not
 * understood. Returns false for a pattern that is not understood at all.
 */
bool text_of_pattern(struct text pattern, size_t repeats, struct buf *out) must_check;
