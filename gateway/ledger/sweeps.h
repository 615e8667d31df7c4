/*
 * gateway/ledger/sweeps.h - schedules the release of expired holds (sweep) and the deletion of old
 * ones (prune), in order of expiry, in bounded steps. Times are PostgreSQL's, in ms since 1970;
 * below 0: the statement chooses where to begin. Only the ledger thread uses this.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { RECENT, EVERYTHING, OLD, SWEEPS };

struct sweep {
    bool is_prune;    /* delete old holds; else release expired ones */
    bool is_whole;    /* each sweep begins at the oldest hold; else where the last one stopped */
    int64_t pause_ms; /* between two steps */
    int64_t rest_ms;  /* between two sweeps */
    int64_t at_ms;    /* the next step begins after this expiry time */
    int64_t busy_ms;  /* expiry of the oldest locked hold of this sweep; INT64_MAX: all were free */
    int64_t next_ms;  /* when the next step is due, by clock_ms() */
};

/* The result of a step, as its statement returns it. */
struct sweep_step {
    bool is_more;
    int64_t reached_ms;
    int64_t busy_ms; /* below 0: no hold was locked */
};

enum { SWEEP_MS_MIN = 100, SWEEP_MS_MAX = 600000 };

/* sweep_ms: between two sweeps. A prune rests for a minute at most: after a longer gap it would
 * take the time since its last step for a jump of the clock. */
void sweeps_init(struct sweep sweep[SWEEPS], int64_t sweep_ms);

/* The sweep whose step has been due for longest, or NULL: so none starves while another one always
 * has more to do. */
struct sweep *sweeps_due(struct sweep sweep[SWEEPS]);

/* Its step is being sent. If that fails, the next step is due after rest_ms. */
void sweep_begin_step(struct sweep *sweep);
void sweep_end_step(struct sweep *sweep, const struct sweep_step *step);
