/* svc-ai/facts/pattern-set.c - search texts for a table of patterns. */
#include "facts/pattern-set.h"

#include <assert.h>

#include "base/mem.h"
#include "text/regex.h"

static void compile_once(struct pattern_set *set)
{
    pthread_mutex_lock(&set->lock);
    if (!set->compiled) {
        struct regex **compiled = mem_new(set->count * sizeof(*compiled));
        for (size_t i = 0; i < set->count; i++)
            if (!regex_new(set->patterns[i], &compiled[i], NULL))
                assert(!"invalid pattern in a table");
        set->compiled = compiled;
    }
    pthread_mutex_unlock(&set->lock);
}

bool pattern_set_matches(struct pattern_set *set, struct text text)
{
    compile_once(set);
    for (size_t i = 0; i < set->count; i++)
        if (regex_matches(set->compiled[i], text))
            return true;
    return false;
}
