/*
 * svc-email/senders/data-file.h - files of knowledge that are read strictly: a key that is
 * misspelled would be one that nothing is known by. Each function says to the operator what is
 * wrong, by file, place and key.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct source {
    const char *file;
    const char *where; /* in it; NULL: the key says enough */
    struct err *err;
};

/* "FILE: WHERE: KEY WHAT", as ERR_INVALID_VALUE; false. */
bool source_refuse(const struct source *source, const char *key, const char *what);

/* Is it a mapping that has no other keys than these? */
bool source_knows_keys(const struct source *source, const cJSON *object, const char *const *keys,
                       size_t count) must_check;

/* Is it a list of one text or more, of which no one is empty? */
bool source_is_list(const struct source *source, const char *key, const cJSON *list) must_check;
