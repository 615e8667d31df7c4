/*
 * svc-email/senders/data-file.h - read data files strictly: a misspelled key must not pass for a
 * missing one. Each function reports errors to the operator, with file, place and key.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct source {
    const char *file;
    const char *where; /* place in the file; NULL: the key is enough */
    struct err *err;
};

/* Set ERR_INVALID_VALUE "FILE: WHERE: KEY WHAT" and return false. */
bool source_reject(const struct source *source, const char *key, const char *what);

/* Whether it is a mapping with only these keys. */
bool source_knows_keys(const struct source *source, const cJSON *object, const char *const *keys,
                       size_t count) must_check;

/* Whether it is a list of at least one text, none of them empty. */
bool source_is_list(const struct source *source, const char *key, const cJSON *list) must_check;
