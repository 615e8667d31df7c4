/* svc-security/security-headers/csp/untrusted-text.h - put untrusted bytes into a result. */
#pragma once

#include <cjson/cJSON.h>

#include "base/buf.h"

enum {
    UNTRUSTED_HEADER_BYTES = 2048, /* limit of a header's value */
    UNTRUSTED_WORD_BYTES = 300,    /* limit of anything else */
};

/* Append the text as UTF-8, with U+FFFD for invalid bytes. Text over max_bytes is truncated between
 * characters and gets an ellipsis. */
void untrusted_add(struct buf *out, struct text text, size_t max_bytes);

/* Add the text as a member of an object, or as an item of a list. */
void untrusted_str(cJSON *object, const char *name, struct text text, size_t max_bytes);
void untrusted_item(cJSON *list, struct text text, size_t max_bytes);
