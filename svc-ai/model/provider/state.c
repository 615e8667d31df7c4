/* svc-ai/model/provider/state.c - the runtime state of a provider. */
#include "model/provider/state.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "admin/metrics.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "net/http/pool.h"

enum { MODELS_MAX = 8, MODEL_NAME_BYTES = 128 };

static const char *const outcome_names[PROVIDER_OUTCOMES] = {
    [PROVIDER_GOOD] = "good",       [PROVIDER_UNREACHABLE] = "unreachable",
    [PROVIDER_TIMEOUT] = "timeout", [PROVIDER_BUSY] = "busy",
    [PROVIDER_BROKEN] = "broken",   [PROVIDER_REJECTS] = "rejected",
    [PROVIDER_ACCOUNT] = "account", [PROVIDER_REFUSES] = "refused",
    [PROVIDER_UNFIT] = "unfit",     [PROVIDER_LEARNED] = "learned",
    [PROVIDER_CROWDED] = "crowded", [PROVIDER_CANCELLED] = "cancelled",
};

struct learned {
    char model[MODEL_NAME_BYTES];
    struct ladder ladder;
    int64_t until_ms;
};

struct provider_state {
    pthread_mutex_t mutex; /* guards everything except the metrics' handles */
    pthread_cond_t left;
    size_t max_at_once;
    size_t asking;
    size_t waiting;
    unsigned failures;
    int64_t cool_until_ms;
    struct learned learned[MODELS_MAX];
    size_t learned_next;
    struct fetch_pool *pool;
    struct metrics *metrics; /* NULL: nothing is counted; as the next two for labels */
    const char *name;
    const char *currency;
    struct counter *calls[PROVIDER_OUTCOMES];
    struct histogram *seconds;
    struct counter *repairs;
    struct gauge *running;
    struct gauge *cooling_until;
};

struct provider_state *provider_state_new(size_t max_at_once)
{
    struct provider_state *state = mem_new(sizeof(*state));
    pthread_mutex_init(&state->mutex, NULL);
    pthread_cond_init(&state->left, NULL);
    state->max_at_once = max_at_once;
    state->pool = fetch_pool_new(max_at_once);
    return state;
}

void provider_state_free(struct provider_state **address)
{
    struct provider_state *state = *address;
    if (!state)
        return;
    pthread_mutex_destroy(&state->mutex);
    pthread_cond_destroy(&state->left);
    fetch_pool_free(&state->pool);
    mem_free(address);
}

/* ---- the queue ---- */

static bool wait_for_place(struct provider_state *state, int64_t deadline_ms)
{
    struct timespec until = deadline_at(deadline_ms);
    int code = 0;
    state->waiting++;
    while (state->asking == state->max_at_once && code == 0)
        code = pthread_cond_clockwait(&state->left, &state->mutex, CLOCK_MONOTONIC, &until);
    state->waiting--;
    return state->asking < state->max_at_once;
}

enum provider_entry provider_enter(struct provider_state *state, int64_t deadline_ms)
{
    enum provider_entry entry = PROVIDER_ENTERED;
    pthread_mutex_lock(&state->mutex);
    if (state->asking == state->max_at_once) {
        if (state->waiting == state->max_at_once)
            entry = PROVIDER_FULL;
        else if (!wait_for_place(state, deadline_ms))
            entry = PROVIDER_LATE;
    }
    if (entry == PROVIDER_ENTERED)
        state->asking++;
    pthread_mutex_unlock(&state->mutex);
    if (entry == PROVIDER_ENTERED && state->running)
        gauge_add(state->running, 1);
    return entry;
}

void provider_leave(struct provider_state *state)
{
    pthread_mutex_lock(&state->mutex);
    state->asking--;
    pthread_cond_signal(&state->left);
    pthread_mutex_unlock(&state->mutex);
    if (state->running)
        gauge_add(state->running, -1);
}

struct fetch_pool *provider_pool(struct provider_state *state)
{
    return state->pool;
}

/* ---- failures ---- */

bool provider_is_cooling(struct provider_state *state)
{
    pthread_mutex_lock(&state->mutex);
    bool is_cooling = clock_ms() < state->cool_until_ms;
    pthread_mutex_unlock(&state->mutex);
    return is_cooling;
}

void provider_note_success(struct provider_state *state)
{
    pthread_mutex_lock(&state->mutex);
    state->failures = 0;
    pthread_mutex_unlock(&state->mutex);
}

/* The caller holds the mutex. */
static void start_cooldown(struct provider_state *state, int64_t cooldown_ms)
{
    int64_t until_ms = clock_ms() + cooldown_ms;
    if (until_ms > state->cool_until_ms)
        state->cool_until_ms = until_ms;
    if (state->cooling_until && cooldown_ms > 0)
        gauge_set(state->cooling_until, (clock_wall_ms() + cooldown_ms) / 1000);
}

void provider_note_failure(struct provider_state *state, int64_t cooldown_ms)
{
    pthread_mutex_lock(&state->mutex);
    if (++state->failures >= PROVIDER_FAILURES) {
        state->failures = 0;
        start_cooldown(state, cooldown_ms);
    }
    pthread_mutex_unlock(&state->mutex);
}

void provider_cool(struct provider_state *state, int64_t cooldown_ms)
{
    pthread_mutex_lock(&state->mutex);
    start_cooldown(state, cooldown_ms);
    pthread_mutex_unlock(&state->mutex);
}

/* ---- the ladder ---- */

static struct learned *find_learned(struct provider_state *state, const char *model)
{
    for (size_t i = 0; i < MODELS_MAX; i++)
        if (strcmp(state->learned[i].model, model) == 0)
            return &state->learned[i];
    return NULL;
}

struct ladder ladder_recall(struct provider_state *state, const char *model,
                            enum ladder_format first)
{
    struct ladder ladder = { .format = first };
    pthread_mutex_lock(&state->mutex);
    const struct learned *learned = find_learned(state, model);
    if (learned && clock_ms() < learned->until_ms)
        ladder = learned->ladder;
    pthread_mutex_unlock(&state->mutex);
    return ladder;
}

void ladder_remember(struct provider_state *state, const char *model, const struct ladder *ladder)
{
    pthread_mutex_lock(&state->mutex);
    struct learned *learned = find_learned(state, model);
    if (!learned)
        learned = &state->learned[state->learned_next++ % MODELS_MAX];
    snprintf(learned->model, sizeof(learned->model), "%s", model);
    learned->ladder = *ladder;
    learned->until_ms = clock_ms() + LADDER_KEPT_MS;
    pthread_mutex_unlock(&state->mutex);
}

/* ---- numbers ---- */

const char *provider_outcome_name(enum provider_outcome outcome)
{
    return outcome_names[outcome];
}

void provider_state_count(struct provider_state *state, const char *name, const char *currency,
                          struct metrics *metrics)
{
    struct labels labels = { "provider", name };
    state->metrics = metrics;
    state->name = name;
    state->currency = currency;
    for (size_t i = 0; i < PROVIDER_OUTCOMES; i++)
        state->calls[i] = metrics_counter(
            metrics, "tollgate_model_calls_total", "Calls of a model provider, by outcome",
            (struct labels){ "provider", name, "outcome", outcome_names[i] });
    state->seconds = metrics_histogram(metrics, "tollgate_model_call_duration_seconds",
                                       "Duration of calls of a model provider", labels);
    state->repairs = metrics_counter(metrics, "tollgate_model_corrections_total",
                                     "Retries for a better answer", labels);
    state->running = metrics_gauge(metrics, "tollgate_model_calls_running",
                                   "Calls of a model provider in flight", labels);
    state->cooling_until =
        metrics_gauge(metrics, "tollgate_model_backoff_end_timestamp_seconds",
                      "End of the provider's last backoff, in Unix time; 0: none yet", labels);
    gauge_set(state->cooling_until, 0);
}

void provider_count_call(struct provider_state *state, enum provider_outcome outcome,
                         int64_t duration_us)
{
    if (!state->seconds)
        return;
    counter_add(state->calls[outcome], 1);
    histogram_add(state->seconds, duration_us);
}

void provider_count_outcome(struct provider_state *state, enum provider_outcome outcome)
{
    if (state->seconds)
        counter_add(state->calls[outcome], 1);
}

static void add_tokens(struct provider_state *state, const char *model, const char *direction,
                       int64_t tokens)
{
    if (state->metrics && tokens > 0)
        counter_add(metrics_counter(state->metrics, "tollgate_model_tokens_total",
                                    "Tokens, as the provider counts them",
                                    (struct labels){ "provider", state->name, "model", model,
                                                     "direction", direction }),
                    (uint64_t)tokens);
}

void provider_count_tokens(struct provider_state *state, const char *model, int64_t input,
                           int64_t output)
{
    add_tokens(state, model, "input", input);
    add_tokens(state, model, "output", output);
}

void provider_count_cost(struct provider_state *state, const char *model, int64_t micros)
{
    if (state->metrics && micros > 0)
        counter_add(metrics_counter(state->metrics, "tollgate_model_cost_micros_total",
                                    "Cost by the price in the providers' file, in millionths",
                                    (struct labels){ "provider", state->name, "model", model,
                                                     "currency", state->currency }),
                    (uint64_t)micros);
}

void provider_count_repair(struct provider_state *state)
{
    if (state->repairs)
        counter_add(state->repairs, 1);
}
