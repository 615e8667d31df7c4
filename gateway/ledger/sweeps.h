/*
 * gateway/ledger/sweeps.h - sweeping and pruning: along the holds' times of expiry, a bounded step
 * at a time. Times of the server, in ms since 1970; below 0: where the statement begins by itself.
 * Used by the ledger thread alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { RECENT, EVERYTHING, OLD, SWEEPS };

struct sweep {
    bool is_prune;    /* else it is a sweep */
    bool is_whole;    /* each walk begins at the oldest; else where the one before has ended */
    int64_t pause_ms; /* between two steps */
    int64_t rest_ms;  /* between two walks */
    int64_t at_ms;    /* the next step begins behind it */
    int64_t busy_ms;  /* the oldest hold that this walk had to leave; INT64_MAX: none */
    int64_t next_ms;  /* when the next step is due, by clock_ms() */
};

/* What a step found, as its statement tells. */
struct sweep_step {
    bool is_more;
    int64_t reached_ms;
    int64_t busy_ms; /* below 0: nothing was in its way */
};

void sweeps_init(struct sweep sweep[SWEEPS], int64_t sweep_ms);

/* One whose step is due; NULL: none. */
struct sweep *sweeps_due(struct sweep sweep[SWEEPS]);

/* Its step is sent. Should that fail, the next is due after a rest. */
void sweep_begin_step(struct sweep *sweep);
void sweep_end_step(struct sweep *sweep, const struct sweep_step *step);
