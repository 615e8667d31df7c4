/* svc-ai/facts/signs.c - search texts for a table of patterns. */
#include "facts/signs.h"

#include <assert.h>

#include "base/mem.h"
#include "text/regex.h"

static void compile_once(struct signs *signs)
{
    pthread_mutex_lock(&signs->lock);
    if (!signs->compiled) {
        struct regex **compiled = mem_new(signs->count * sizeof(*compiled));
        for (size_t i = 0; i < signs->count; i++)
            if (!regex_new(signs->patterns[i], &compiled[i], NULL))
                assert(!"invalid pattern in a table");
        signs->compiled = compiled;
    }
    pthread_mutex_unlock(&signs->lock);
}

bool signs_in(struct signs *signs, struct text text)
{
    compile_once(signs);
    for (size_t i = 0; i < signs->count; i++)
        if (regex_matches(signs->compiled[i], text))
            return true;
    return false;
}
