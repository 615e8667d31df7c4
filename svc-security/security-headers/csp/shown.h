/* svc-security/security-headers/csp/shown.h - bytes of strangers as they go into a result. */
#pragma once

#include <cjson/cJSON.h>

#include "base/buf.h"

enum {
    SHOWN_HEADER_BYTES = 2048, /* of a header's value */
    SHOWN_WORD_BYTES = 300,    /* of anything else */
};

/* Append the text as UTF-8, each byte that is none as U+FFFD; what is longer than max_bytes is cut
 * between characters and ends in an ellipsis. */
void shown_add(struct buf *out, struct text text, size_t max_bytes);

/* The same as a member of an object, or an item of a list. */
void shown_str(cJSON *object, const char *name, struct text text, size_t max_bytes);
void shown_item(cJSON *list, struct text text, size_t max_bytes);
