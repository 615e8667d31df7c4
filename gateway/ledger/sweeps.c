/* gateway/ledger/sweeps.c - when the next step of a sweep is due, and where it begins. */
#include "gateway/ledger/sweeps.h"

#include <stddef.h>

#include "base/num.h"
#include "base/os/clock.h"

enum {
    OVERLAP_MS = 60000, /* a hold may be committed this long after its timestamp */
    /* Between two steps of 2,000 rows, unless customers wait for their credits. One row is a call,
     * so that a gateway can still delete more rows a second than it adds. */
    PAUSE_MS = 100,
    WHOLE_REST_MS = 3600000,
    PRUNE_REST_MS = 60000, /* at most; clock_is_steady() of ledger_prune() allows 10 minutes */
};

void sweeps_init(struct sweep sweep[SWEEPS], int64_t sweep_ms)
{
    const struct sweep sweeps[SWEEPS] = {
        [RECENT] = { .rest_ms = sweep_ms, .at_ms = -1 },
        [EVERYTHING] = { .is_whole = true, .pause_ms = PAUSE_MS, .rest_ms = WHOLE_REST_MS },
        [OLD] = { .is_prune = true,
                  .pause_ms = PAUSE_MS,
                  .rest_ms = MIN(sweep_ms, (int64_t)PRUNE_REST_MS),
                  .at_ms = -1 },
    };
    for (size_t i = 0; i < SWEEPS; i++) {
        sweep[i] = sweeps[i];
        sweep[i].busy_ms = INT64_MAX;
    }
}

struct sweep *sweeps_due(struct sweep sweep[SWEEPS])
{
    struct sweep *first = &sweep[0];
    for (size_t i = 1; i < SWEEPS; i++)
        if (sweep[i].next_ms < first->next_ms)
            first = &sweep[i];
    return clock_ms() >= first->next_ms ? first : NULL;
}

void sweep_begin_step(struct sweep *sweep)
{
    sweep->next_ms = clock_ms() + sweep->rest_ms;
}

void sweep_end_step(struct sweep *sweep, const struct sweep_step *step)
{
    if (step->busy_ms >= 0)
        sweep->busy_ms = MIN(sweep->busy_ms, step->busy_ms);
    if (step->is_more) {
        sweep->at_ms = step->reached_ms;
        sweep->next_ms = clock_ms() + sweep->pause_ms;
        return;
    }
    int64_t behind_ms = MIN(step->reached_ms - OVERLAP_MS, sweep->busy_ms - 1);
    sweep->at_ms = sweep->is_whole ? 0 : behind_ms;
    sweep->busy_ms = INT64_MAX;
    sweep->next_ms = clock_ms() + sweep->rest_ms;
}
