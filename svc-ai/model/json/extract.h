/*
 * svc-ai/model/json/extract.h - where in what a model wrote is the JSON that it was asked for?
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buf.h"

enum { EXTRACT_MAX_BYTES = 256 << 10, EXTRACT_CANDIDATES = 8 };

/* One search; zero but for the text. */
struct extract {
    struct text text;
    size_t at;
    unsigned step;
};

/* What the model thought aloud before its answer, <think>…</think>, is no part of it. */
struct text extract_skip_thoughts(struct text answer);

/*
 * The next object or array that text may have meant, the caller's, likeliest first: the whole of
 * it; what a whole that is a JSON string holds; the first code fence; then each from its opening
 * bracket on. *is_repaired: it was not JSON as it stood. False when there are no more, or the text
 * has more than EXTRACT_MAX_BYTES.
 */
bool extract_next(struct extract *extract, cJSON **tree, bool *is_repaired) must_check;
