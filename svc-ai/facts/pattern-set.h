/* svc-ai/facts/pattern-set.h - search texts for a table of patterns, each compiled once in a
 * process. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/num.h"
#include "base/text.h"

struct regex;

/* Static, initialized by PATTERN_SET(). Several threads may search with it at once. */
struct pattern_set {
    const char *const *patterns; /* in the syntax of text/regex.h; an invalid one is a bug */
    size_t count;
    pthread_mutex_t lock;
    struct regex **compiled; /* NULL: not compiled yet */
};

#define PATTERN_SET(table)                                                              \
    {                                                                                   \
        .patterns = (table), .count = countof(table), .lock = PTHREAD_MUTEX_INITIALIZER \
    }

/* Whether a text, which must be valid UTF-8, has one of them. */
bool pattern_set_matches(struct pattern_set *set, struct text text);
