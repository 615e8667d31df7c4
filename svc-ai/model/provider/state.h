/*
 * svc-ai/model/provider/state.h - the runtime state of a provider: running calls, failures,
 * unsupported features, and metrics. All threads share it. Reading the providers' file again resets
 * it, except the metrics.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/wire/wire.h"

struct metrics;
struct provider_state;
struct fetch_pool; /* net/http/pool.h */

/* At most max_at_once calls run at a time, and as many may wait. */
struct provider_state *provider_state_new(size_t max_at_once);
void provider_state_free(struct provider_state **state);

/* ---- the queue ---- */

enum provider_entry { PROVIDER_ENTERED, PROVIDER_FULL, PROVIDER_LATE };

/* Wait for a place until the deadline, by clock_ms(). PROVIDER_ENTERED needs a provider_leave(). */
enum provider_entry provider_enter(struct provider_state *state, int64_t deadline_ms) must_check;
void provider_leave(struct provider_state *state);

/* Its open connections. */
struct fetch_pool *provider_pool(struct provider_state *state);

/* ---- failures ---- */

enum { PROVIDER_FAILURES = 3 /* in a row, before the cool-down starts */ };

bool provider_is_cooling(struct provider_state *state);
void provider_note_success(struct provider_state *state);

/* Note a failure. From the third in a row it starts the cool-down. */
void provider_note_failure(struct provider_state *state, int64_t cooldown_ms);

/* Start a cool-down of that length now. */
void provider_cool(struct provider_state *state, int64_t cooldown_ms);

/* ---- the ladder: a feature that a model rejects is not requested for an hour ---- */

enum { LADDER_KEPT_MS = 3600 * 1000 };

/* The ladder of a model; zero if nothing was learned. */
struct ladder ladder_recall(struct provider_state *state, const char *model,
                            enum ladder_format first);
void ladder_remember(struct provider_state *state, const char *model, const struct ladder *ladder);

/* ---- numbers ---- */

enum provider_outcome {
    PROVIDER_GOOD,
    PROVIDER_UNREACHABLE, /* no connection, a closed connection, or a response that is not HTTP */
    PROVIDER_TIMEOUT,
    PROVIDER_BUSY,    /* 429, 529 */
    PROVIDER_BROKEN,  /* other 5xx, or an invalid response */
    PROVIDER_REJECTS, /* this request: 400 after the ladder, 413 … */
    PROVIDER_ACCOUNT, /* all requests: key, credit, quota or model; the operator must act */
    PROVIDER_REFUSES,
    PROVIDER_UNFIT,     /* an answer that does not fit; counted in addition to good */
    PROVIDER_LEARNED,   /* a step of the ladder; counted in addition to rejected */
    PROVIDER_CROWDED,   /* no memory was left for its response; the provider is not at fault */
    PROVIDER_CANCELLED, /* the customer's call was */
    PROVIDER_OUTCOMES,
};

/* Its word in the log and in metrics. */
const char *provider_outcome_name(enum provider_outcome outcome);

/* Register a provider's metrics by its name, and by the currency of its price (NULL: it has none),
 * which are borrowed. Call it before use. */
void provider_state_count(struct provider_state *state, const char *name, const char *currency,
                          struct metrics *metrics);

void provider_count_call(struct provider_state *state, enum provider_outcome outcome,
                         int64_t duration_us);
void provider_count_outcome(struct provider_state *state, enum provider_outcome outcome);
/* Of a model of the file, which is a label. */
void provider_count_tokens(struct provider_state *state, const char *model, int64_t input,
                           int64_t output);
void provider_count_cost(struct provider_state *state, const char *model, int64_t micros);
void provider_count_repair(struct provider_state *state);
