/*
 * common/text/passwords/user-inputs.h - words that a caller says a password must not hold.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "text/passwords/lexicon.h"

struct user_inputs {
    struct lexicon lexicon;
    struct word *words;
    struct buf bytes;
};

/* Make a lexicon (zero before) of a list of strings and of their parts between characters that are
 * no letters or digits; list may be NULL. Earlier ones are the more likely. At most 50 items of
 * 100 code points, or 10 of 254: the caller sees to that. */
void user_inputs_read(const cJSON *list, struct user_inputs *inputs);
void user_inputs_free(struct user_inputs *inputs); /* wiped */
