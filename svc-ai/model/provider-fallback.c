/* svc-ai/model/provider-fallback.c - try providers in order until one succeeds. */
#include "model/provider-fallback.h"

#include <poll.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/log.h"
#include "model/provider/budget.h"
#include "model/provider/state.h"
#include "model/wire/error-cause.h"
#include "model/wire/wire.h"
#include "net/egress.h"
#include "net/http/fetch.h"

enum {
    SPARE_MS = 1000, /* part of the call's budget that is not for models */
    RETRY_AFTER_WAIT_MS = 5000,
    RETRY_AFTER_COOL_MAX_MS = 300 * 1000,
    RETRY_MIN_MS = 250,
    RETRY_SPREAD_MS = 500,
};

/* ---- one call ---- */

/* The outcome of a response by its status. The first matching row applies. */
static const struct {
    int from;
    int to;
    enum provider_outcome outcome;
} meanings[] = {
    { 200, 299, PROVIDER_GOOD },   { 408, 409, PROVIDER_BUSY },    { 429, 429, PROVIDER_BUSY },
    { 529, 529, PROVIDER_BUSY },   { 400, 499, PROVIDER_REJECTS }, { 501, 501, PROVIDER_REJECTS },
    { 100, 999, PROVIDER_BROKEN },
};

static enum provider_outcome outcome_of_status(int status)
{
    size_t i = 0;
    while (status < meanings[i].from || status > meanings[i].to)
        i++;
    return meanings[i].outcome;
}

static char *key_line(const struct provider *provider)
{
    scoped(buf_free) struct buf line = BUF(8192);
    const char *format = provider->wire->key_header;
    const char *mark = strstr(format, "%s");
    buf_add(&line, format, (size_t)(mark - format));
    buf_add_str(&line, provider->key);
    return buf_take(&line);
}

static void wipe_line(char **line)
{
    if (*line)
        explicit_bzero(*line, strlen(*line));
    mem_free(line);
}

/* One HTTP exchange. PROVIDER_GOOD: *fetch has a whole response, with any status. */
static enum provider_outcome exchange_once(struct fallback *fallback,
                                           const struct provider *provider, const char *path,
                                           struct text body, size_t max_bytes, struct fetch *fetch)
{
    int64_t limit_ms = providers_timeout_ms(fallback->providers, provider, fallback->tool);
    int64_t deadline_ms = deadline_within(fallback->deadline_ms, limit_ms);
    scoped(mem_free) char *url = str_format("%s%s", provider->base_url, path);
    scoped(mem_free) char *agent =
        str_format("User-Agent: %s", egress_agent(fallback->job->egress));
    scoped(wipe_line) char *key = provider->key ? key_line(provider) : NULL;
    const char *headers[7] = { "Content-Type: application/json", "Accept: application/json",
                               "Accept-Language:", agent };
    size_t count = 4;
    if (key)
        headers[count++] = key;
    if (provider->wire->version_header)
        headers[count++] = provider->wire->version_header;
    struct fetch_options options = { .method = "POST",
                                     .headers = headers,
                                     .body = body,
                                     .connect_ms = provider->connect_timeout_ms,
                                     .reuses_connections = true,
                                     .pool = provider_pool(provider->state),
                                     .first_byte_ms = limit_ms,
                                     .cancelled = fallback->job->cancelled,
                                     .max_wire_bytes = max_bytes,
                                     .max_body_bytes = max_bytes };
    struct err err = { 0 };
    if (!fetch_operator(fallback->job->egress, url, &options, deadline_ms, fetch, &err))
        return job_is_cancelled(fallback->job) ? PROVIDER_CANCELLED
               : err.kind == ERR_OVERLOADED    ? PROVIDER_CROWDED
               : clock_ms() >= deadline_ms     ? PROVIDER_TIMEOUT
                                               : PROVIDER_UNREACHABLE;
    if (fetch->end == FETCH_LATE)
        return job_is_cancelled(fallback->job) ? PROVIDER_CANCELLED : PROVIDER_TIMEOUT;
    return fetch->end == FETCH_WHOLE ? PROVIDER_GOOD : PROVIDER_BROKEN;
}

/* Retry-After in milliseconds; 0 if absent or a date, which no known provider sends. */
static int64_t retry_after_ms(const struct fetch *fetch)
{
    int64_t seconds = 0;
    const char *value =
        fetch->hop_count > 0 ? fetch_header(fetch_last(fetch), "Retry-After") : NULL;
    if (!value || !num_parse(text_of(value), 86400, &seconds))
        return 0;
    return seconds * 1000;
}

/*
 * Note a failure for the cool-down:
 * - a rejected key, an exhausted account or a missing model starts it at once
 * - 429 with Retry-After starts it for that time
 * - an unreachable, late, busy or broken provider starts it after three failures
 *
 * What the customer's text may have caused does not count: 400, 413, an answer that does not fit.
 */
static void note_failure(struct fallback *fallback, const struct provider *provider,
                         enum provider_outcome outcome, const struct fetch *fetch)
{
    int64_t cooldown_ms = fallback->providers->cooldown_ms;
    bool is_its = outcome == PROVIDER_UNREACHABLE || outcome == PROVIDER_TIMEOUT ||
                  outcome == PROVIDER_BUSY || outcome == PROVIDER_BROKEN;
    if (outcome == PROVIDER_ACCOUNT)
        provider_cool(provider->state, cooldown_ms);
    else if (fallback->status == 429 && retry_after_ms(fetch) > 0 && cooldown_ms > 0)
        provider_cool(provider->state, MIN(retry_after_ms(fetch), RETRY_AFTER_COOL_MAX_MS));
    else if (is_its)
        provider_note_failure(provider->state, cooldown_ms);
}

/* Log the error's word, never its message, which may repeat the request. */
static void log_failure(const struct fallback *fallback, const struct provider *provider,
                        enum provider_outcome outcome, const struct fetch *fetch)
{
    char word[ERROR_WORD_BYTES] = "";
    error_word(buf_text(&fetch->body), word);
    log_line(LOG_WARN, "a model provider failed", log_str("gen_ai.provider.name", provider->name),
             log_str("request_id", fallback->job->request_id), log_str("tool", fallback->tool),
             log_str("outcome", provider_outcome_name(outcome)),
             log_int("http.response.status_code", fallback->status),
             log_str("provider_error", word));
}

void fallback_report_failure(struct fallback *fallback, const struct provider *provider,
                             enum provider_outcome outcome, const struct fetch *fetch)
{
    static const struct fetch none;
    note_failure(fallback, provider, outcome, fetch ? fetch : &none);
    log_failure(fallback, provider, outcome, fetch ? fetch : &none);
}

/* What an error's body adds to its status. A 404 without a cause may be a step of the ladder. */
static enum provider_outcome outcome_of_error(struct fallback *fallback,
                                              enum provider_outcome outcome, struct text body,
                                              struct text request)
{
    enum error_cause cause = error_cause(fallback->status, body, request);
    fallback->is_input = cause == ERROR_INPUT;
    bool is_missing = fallback->status == 404 && cause == ERROR_OTHER && !error_names_format(body);
    if (cause == ERROR_ACCOUNT || is_missing)
        return PROVIDER_ACCOUNT;
    if (cause == ERROR_FILTER && outcome == PROVIDER_REJECTS)
        return PROVIDER_REFUSES;
    return outcome;
}

static void add_tokens(int64_t *sum, int64_t more)
{
    if (more >= 0)
        *sum = MAX(*sum, 0) + more;
}

static void count_cost(struct fallback *fallback, const struct provider *provider, int64_t micros)
{
    fallback->answer->cost_micros += micros;
    job_add_cost(fallback->job, micros, provider->price.currency);
    provider_count_cost(provider->state, fallback->answer->model, micros);
    if (provider->budget)
        budget_add(provider->budget, micros, clock_wall_ms());
}

void fallback_count_usage(struct fallback *fallback, const struct provider *provider,
                          const struct usage *usage)
{
    struct model_answer *answer = fallback->answer;
    struct usage paid = *usage;
    add_tokens(&answer->input_tokens, usage->input_tokens);
    add_tokens(&answer->output_tokens, usage->output_tokens);
    provider_count_tokens(provider->state, answer->model, usage->input_tokens,
                          usage->output_tokens);
    if (paid.input_tokens < 0)
        paid.input_tokens = fallback->presumed.input_tokens;
    if (paid.output_tokens < 0)
        paid.output_tokens = fallback->presumed.output_tokens;
    count_cost(fallback, provider, provider_cost_micros(provider, &paid));
}

/* The provider worked, although its answer did not arrive. */
static bool is_lost(const struct fallback *fallback, enum provider_outcome outcome)
{
    return outcome == PROVIDER_TIMEOUT || outcome == PROVIDER_CANCELLED ||
           (outcome == PROVIDER_BROKEN && fallback->status == 0);
}

static enum provider_outcome call_provider(struct fallback *fallback,
                                           const struct provider *provider, const char *path,
                                           struct text body, size_t max_bytes, struct fetch *fetch)
{
    int64_t begin_us = clock_us();
    if (job_is_cancelled(fallback->job))
        return PROVIDER_CANCELLED;
    fetch_free(fetch);
    fallback->status = 0;
    fallback->answer->attempts++;
    fallback->calls_left--;
    enum provider_outcome outcome = exchange_once(fallback, provider, path, body, max_bytes, fetch);
    if (outcome == PROVIDER_GOOD) {
        fallback->status = fetch_last(fetch)->status;
        outcome = outcome_of_status(fallback->status);
    }
    if (fallback->status >= 400)
        outcome = outcome_of_error(fallback, outcome, buf_text(&fetch->body), body);
    int64_t duration_us = clock_us() - begin_us;
    fallback->answer->latency_ms += duration_us / 1000;
    provider_count_call(provider->state, outcome, duration_us);
    if (is_lost(fallback, outcome))
        fallback_count_usage(fallback, provider,
                             &(struct usage){ -1, -1, fallback->presumed.images });
    return outcome;
}

static int64_t pause_ms(const struct fetch *fetch)
{
    uint16_t random = 0;
    int64_t asked_ms = retry_after_ms(fetch);
    if (getrandom(&random, sizeof(random), 0) != sizeof(random))
        random = 0;
    return asked_ms ? asked_ms : RETRY_MIN_MS + random % RETRY_SPREAD_MS;
}

/* Wait before retrying the only provider. Returns false if a retry is not worth it. Moderation is
 * not retried, because a chat model can score the text instead. */
static bool wait_to_retry(const struct fallback *fallback, enum provider_outcome outcome,
                          const struct fetch *fetch)
{
    bool may_pass = outcome == PROVIDER_BUSY || outcome == PROVIDER_BROKEN;
    bool is_only = fallback->candidates == 1 && fallback->skill != MODEL_MODERATION;
    int64_t ms = pause_ms(fetch);
    if (!may_pass || !is_only || fallback->calls_left <= 0 || ms > RETRY_AFTER_WAIT_MS ||
        clock_ms() + ms >= fallback->deadline_ms)
        return false;
    poll(NULL, 0, (int)ms);
    return true;
}

enum provider_outcome fallback_post(struct fallback *fallback, const struct provider *provider,
                                    const char *path, struct text body, size_t max_bytes,
                                    struct fetch *fetch)
{
    enum provider_outcome outcome = call_provider(fallback, provider, path, body, max_bytes, fetch);
    if (wait_to_retry(fallback, outcome, fetch))
        outcome = call_provider(fallback, provider, path, body, max_bytes, fetch);
    if (outcome == PROVIDER_GOOD)
        provider_note_success(provider->state);
    else if (outcome != PROVIDER_REJECTS && outcome != PROVIDER_CANCELLED)
        fallback_report_failure(fallback, provider, outcome, fetch);
    return outcome;
}

/* ---- all providers ---- */

static bool set_final_error(const struct fallback *fallback, enum provider_outcome last,
                            bool is_crowded, struct err *err)
{
    if (last == PROVIDER_REFUSES)
        return err_set(err, ERR_MODEL_REFUSED, "the model declined to answer this input");
    if (last == PROVIDER_CANCELLED)
        return err_set(err, ERR_DEADLINE_EXCEEDED, "the client cancelled the call");
    if (clock_ms() >= fallback->deadline_ms)
        return err_set(err, ERR_DEADLINE_EXCEEDED, "the model did not respond in time");
    if (last == PROVIDER_CROWDED || (is_crowded && fallback->answer->attempts == 0))
        return err_set(err, ERR_OVERLOADED, "all models are busy; retry in a few seconds");
    if (fallback->is_spent && fallback->answer->attempts == 0)
        return err_set(err, ERR_PROVIDER_UNCONFIGURED,
                       "the service's daily budget for this tool's models is spent; it starts "
                       "again at 00:00 UTC");
    if (last == PROVIDER_REJECTS || last == PROVIDER_ACCOUNT)
        return err_set(err, ERR_PROVIDER_REJECTED, "the model's provider rejected the request");
    return err_set(err, ERR_PROVIDER_ERROR, "no model gave a usable answer; retry in a minute");
}

/* Whether to stop: another provider would give the same result, or must not be tried. */
static bool is_final(enum provider_outcome outcome)
{
    return outcome == PROVIDER_GOOD || outcome == PROVIDER_REFUSES || outcome == PROVIDER_CROWDED ||
           outcome == PROVIDER_CANCELLED;
}

static void set_model(struct model_answer *answer, const char *model)
{
    mem_free(&answer->model);
    answer->model = str_dup(model);
}

static bool is_budget_spent(struct fallback *fallback, const struct provider *provider)
{
    bool is_first;
    if (!provider->budget ||
        !budget_is_spent(provider->budget, provider->budget_micros, clock_wall_ms(), &is_first))
        return false;
    if (is_first)
        log_line(LOG_WARN, "the daily budget of a model provider is spent",
                 log_str("gen_ai.provider.name", provider->name),
                 log_int("budget_micros", provider->budget_micros),
                 log_str("currency", provider->price.currency));
    return fallback->is_spent = true;
}

static enum provider_outcome try_providers(struct fallback *fallback, fallback_attempt *turn,
                                           void *context, bool *is_crowded)
{
    enum provider_outcome outcome = PROVIDER_UNREACHABLE;
    for (size_t i = 0; i < fallback->providers->count; i++) {
        const struct provider *provider = &fallback->providers->item[i];
        const char *model = provider_model(provider, fallback->tool, fallback->skill);
        if (!model || provider_is_cooling(provider->state) || is_budget_spent(fallback, provider))
            continue;
        if (fallback->calls_left <= 0 || clock_ms() >= fallback->deadline_ms)
            break;
        if (provider_enter(provider->state, fallback->deadline_ms) != PROVIDER_ENTERED) {
            *is_crowded = true;
            continue;
        }
        set_model(fallback->answer, model);
        fallback->answer->provider = provider->name;
        outcome = turn(fallback, provider, model, context);
        provider_leave(provider->state);
        if (is_final(outcome))
            break;
    }
    return outcome;
}

static size_t count_candidates(const struct fallback *fallback)
{
    size_t count = 0;
    for (size_t i = 0; i < fallback->providers->count; i++)
        count +=
            provider_model(&fallback->providers->item[i], fallback->tool, fallback->skill) != NULL;
    return count;
}

bool fallback_run(const struct job *job, enum model_skill skill, struct model_answer *answer,
                  fallback_attempt *turn, void *context, struct err *err)
{
    const struct models *models = job->data;
    const struct providers *providers = &models->providers;
    const char *tool = job->contract->tool;
    struct fallback fallback = {
        .job = job,
        .providers = providers,
        .tool = tool,
        .skill = skill,
        .answer = answer,
        .deadline_ms =
            deadline_within(job->deadline_ms - SPARE_MS, providers_deadline_ms(providers, tool)),
        .calls_left = providers->max_calls - answer->spent,
    };
    bool is_crowded = false;
    fallback.candidates = count_candidates(&fallback);
    if (fallback.candidates == 0)
        return err_set(err, ERR_PROVIDER_UNCONFIGURED,
                       "no language model is configured for this tool");
    answer->input_tokens = answer->output_tokens = -1;
    enum provider_outcome outcome = try_providers(&fallback, turn, context, &is_crowded);
    answer->spent = providers->max_calls - fallback.calls_left;
    return outcome == PROVIDER_GOOD || set_final_error(&fallback, outcome, is_crowded, err);
}
