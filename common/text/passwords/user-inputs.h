/* common/text/passwords/user-inputs.h - words that a password must not contain, from the caller. */
#pragma once

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "text/passwords/lexicon.h"

struct user_inputs {
    struct lexicon lexicon;
    struct word *words;
    struct buf bytes;
};

/*
 * Make a lexicon (zero before) of a list of strings, and of their parts between characters that are
 * not letters or digits; list may be NULL. Earlier strings are more likely. The caller limits it to
 * 50 items of 100 code points, or 10 of 254.
 */
void user_inputs_read(const cJSON *list, struct user_inputs *inputs);
void user_inputs_free(struct user_inputs *inputs); /* wiped */
