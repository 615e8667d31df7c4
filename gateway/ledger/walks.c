/* gateway/ledger/walks.c - when the next step of a walk is due, and where it begins. */
#include "gateway/ledger/walks.h"

#include <stddef.h>

#include "base/num.h"
#include "base/os/clock.h"

enum {
    OVERLAP_MS = 60000, /* a hold may be committed so late after its time was stamped */
    WHOLE_PAUSE_MS = 100,
    WHOLE_REST_MS = 3600000,
};

void walks_open(struct walk walk[WALKS], int64_t sweep_ms)
{
    const struct walk walks[WALKS] = {
        [RECENT] = { .rest_ms = sweep_ms, .at_ms = -1 },
        [EVERYTHING] = { .is_whole = true, .pause_ms = WHOLE_PAUSE_MS, .rest_ms = WHOLE_REST_MS },
        [OLD] = { .is_prune = true, .rest_ms = sweep_ms, .at_ms = -1 },
    };
    for (size_t i = 0; i < WALKS; i++) {
        walk[i] = walks[i];
        walk[i].busy_ms = INT64_MAX;
    }
}

struct walk *walks_due(struct walk walk[WALKS])
{
    for (size_t i = 0; i < WALKS; i++)
        if (clock_ms() >= walk[i].next_ms)
            return &walk[i];
    return NULL;
}

void walk_begins(struct walk *walk)
{
    walk->next_ms = clock_ms() + walk->rest_ms;
}

void walk_has_stepped(struct walk *walk, const struct step *step)
{
    if (step->busy_ms >= 0)
        walk->busy_ms = MIN(walk->busy_ms, step->busy_ms);
    if (step->is_more) {
        walk->at_ms = step->reached_ms;
        walk->next_ms = clock_ms() + walk->pause_ms;
        return;
    }
    int64_t behind_ms = MIN(step->reached_ms - OVERLAP_MS, walk->busy_ms - 1);
    walk->at_ms = walk->is_whole ? 0 : behind_ms;
    walk->busy_ms = INT64_MAX;
    walk->next_ms = clock_ms() + walk->rest_ms;
}
