/* svc-ai/facts/signs.h - search texts for a table of patterns, each compiled once in a process. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/num.h"
#include "base/text.h"

struct regex;

/* Static, initialized by SIGNS(). Several threads may search with it at once. */
struct signs {
    const char *const *patterns; /* in the syntax of text/regex.h; an invalid one is a bug */
    size_t count;
    pthread_mutex_t lock;
    struct regex **compiled; /* NULL: not compiled yet */
};

#define SIGNS(table)                                                                    \
    {                                                                                   \
        .patterns = (table), .count = countof(table), .lock = PTHREAD_MUTEX_INITIALIZER \
    }

/* Whether a text, which must be valid UTF-8, has one of them. */
bool signs_in(struct signs *signs, struct text text);
