/*
 * svc-ai/model/state.h - what is known of a provider while it is asked: how many ask it, whether it
 * has failed, what it does not understand, and what it has cost. Used by all threads; begins anew
 * with each reading of the providers' file, but for the numbers in the metrics.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/wire/wire.h"

struct metrics;
struct provider_state;

/* At most so many ask at once; as many may wait for them. */
struct provider_state *provider_state_new(size_t max_at_once);
void provider_state_free(struct provider_state **state);

/* ---- the queue ---- */

enum provider_entry { PROVIDER_ENTERED, PROVIDER_FULL, PROVIDER_LATE };

/* Wait for a place until the deadline, by clock_ms(); who entered leaves. */
enum provider_entry provider_enter(struct provider_state *state, int64_t deadline_ms) must_check;
void provider_leave(struct provider_state *state);

/* ---- failures ---- */

enum { PROVIDER_FAILURES = 3 /* one after the other, then nobody asks it for a while */ };

bool provider_is_cooling(struct provider_state *state);
void provider_note_success(struct provider_state *state);

/* Another failure: from the third on nobody asks it for so long. */
void provider_note_failure(struct provider_state *state, int64_t cooldown_ms);

/* Nobody asks it for so long, from now on. */
void provider_cool(struct provider_state *state, int64_t cooldown_ms);

/* ---- the ladder: what a provider's model does not take is not asked of it for an hour ---- */

enum { LADDER_KEPT_MS = 3600 * 1000 };

/* What was learned of a model; zero and first when nothing was. */
struct ladder ladder_recall(struct provider_state *state, const char *model,
                            enum ladder_format first);
void ladder_remember(struct provider_state *state, const char *model, const struct ladder *ladder);

/* ---- numbers ---- */

enum provider_outcome {
    PROVIDER_GOOD,
    PROVIDER_UNREACHABLE, /* no connection, closed, or no HTTP */
    PROVIDER_TIMEOUT,
    PROVIDER_BUSY,    /* 429, 529 */
    PROVIDER_BROKEN,  /* other 5xx, or an answer that is none */
    PROVIDER_REJECTS, /* 400 behind the ladder, 401, 402, 403, 404, 413 */
    PROVIDER_REFUSES,
    PROVIDER_UNFIT,   /* an answer, but not what was asked for; counted beside good */
    PROVIDER_LEARNED, /* a step of the ladder; counted beside rejected */
    PROVIDER_CROWDED, /* no memory is left for its answer, through no fault of its own */
    PROVIDER_OUTCOMES,
};

/* The word for it, in the log and in metrics. */
const char *provider_outcome_name(enum provider_outcome outcome);

/* Register all that is counted of a provider, by its name. Before it is used. */
void provider_state_count(struct provider_state *state, const char *name, struct metrics *metrics);

void provider_count_call(struct provider_state *state, enum provider_outcome outcome,
                         int64_t duration_us);
void provider_count_outcome(struct provider_state *state, enum provider_outcome outcome);
void provider_count_tokens(struct provider_state *state, int64_t input, int64_t output);
void provider_count_repair(struct provider_state *state);
