/* svc-ai/ai-alt-text/wording.h - what an alternative text may be, whatever a model wrote. */
#pragma once

#include "base/buf.h"

/*
 * Append words as an alternative text of at most max_points code points: one line and one sentence,
 * without a lead-in ("A photo of"), file names, HTML's tags and an ellipsis at its end, cut behind
 * a word. It may come out empty.
 */
void wording_alt(struct text words, size_t max_points, struct buf *out);
