/*
 * svc-ai/model/json/extract.h - find the requested JSON in a model's answer.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buf.h"
#include "model/json/repair.h"

enum { EXTRACT_MAX_BYTES = 256 << 10, EXTRACT_CANDIDATES = 8 };

/* One search. Set text, and must_be_strict; leave the rest zero. */
struct extract {
    struct text text;
    bool must_be_strict;    /* take no JSON that needs a repair; text around it is not one */
    struct repairs repairs; /* of the last candidate, or why there is none */
    size_t at;
    unsigned step;
};

/*
 * The next candidate for the object or array that the model meant, owned by the caller. The most
 * likely comes first:
 * 1. the whole text
 * 2. the contents, if the whole text is a JSON string
 * 3. the first code fence
 * 4. the text from each opening bracket
 *
 * Returns false after the last candidate, or if the text has more than EXTRACT_MAX_BYTES. If a
 * value is not complete, or may mean several things, the search ends: extract->repairs says so.
 */
bool extract_next(struct extract *extract, cJSON **tree) must_check;
