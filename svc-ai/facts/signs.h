/* svc-ai/facts/signs.h - what texts are searched for that a table of patterns tells, each compiled
 * once for the life of the process. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/num.h"
#include "base/text.h"

struct regex;

/* Static, made by SIGNS(); several threads may search by it at once. */
struct signs {
    const char *const *patterns; /* as text/regex.h reads them; one that it refuses is a bug */
    size_t count;
    pthread_mutex_t lock;
    struct regex **compiled; /* NULL: not yet */
};

#define SIGNS(table)                                                                    \
    {                                                                                   \
        .patterns = (table), .count = countof(table), .lock = PTHREAD_MUTEX_INITIALIZER \
    }

/* Is one of them in a text, which must be valid UTF-8? */
bool signs_in(struct signs *signs, struct text text);
