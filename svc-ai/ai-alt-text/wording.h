/* svc-ai/ai-alt-text/wording.h - normalize alternative texts. */
#pragma once

#include "base/buf.h"

/*
 * Append words as an alternative text of at most max_points code points: one line, one sentence, no
 * lead-in ("A photo of"), no file name, no HTML tag, no final ellipsis. Cuts after a word. The
 * result may be empty.
 */
void wording_alt(struct text words, size_t max_points, struct buf *out);
