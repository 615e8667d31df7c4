/*
 * svc-ai/model/provider-fallback.h - try providers in order until one succeeds: queue, cool-down,
 * limits of time and calls, and the final error.
 */
#pragma once

#include "model/model.h"
#include "model/prompt.h"
#include "model/providers.h"
#include "net/http/fetch-answer.h"

/* The content of models_data. */
struct models {
    struct prompts prompts;
    struct providers providers;
};

struct fallback {
    const struct job *job;
    const struct providers *providers;
    const char *tool;
    enum model_skill skill;
    struct model_answer *answer; /* its meta is filled */
    int64_t deadline_ms;
    int64_t calls_left;
    size_t candidates;     /* number of configured providers */
    int status;            /* status of the last response; 0: none */
    struct usage presumed; /* set by the turn: of a call whose provider does not say what it used */
    bool is_spent;         /* a provider was skipped, because its budget is spent */
    bool is_input;         /* it rejects this request's length or content, not a feature */
};

/* One provider's turn with the model to ask for. Returns its outcome. */
typedef enum provider_outcome fallback_attempt(struct fallback *fallback,
                                               const struct provider *provider, const char *model,
                                               void *context);

/* Give each provider its turn until one succeeds. Errors as model_ask(). */
bool fallback_run(const struct job *job, enum model_skill skill, struct model_answer *answer,
                  fallback_attempt *turn, void *context, struct err *err) must_check;

/*
 * One call of a provider: POST body to path. A 200 response is in *fetch, which the caller always
 * releases. Counts and logs failures, and notes them for the cool-down, except PROVIDER_REJECTS. If
 * the only provider is busy or broken, it is called a second time, unless it moderates.
 */
enum provider_outcome fallback_post(struct fallback *fallback, const struct provider *provider,
                                    const char *path, struct text body, size_t max_bytes,
                                    struct fetch *fetch) must_check;

/*
 * Count what a call used and cost: in the answer, for the job, in the budget and the metrics.
 * Unknown tokens cost as many as presumed. fallback_post() counts calls that timed out or broke off
 * after they were sent, the caller those with a 200 response.
 */
void fallback_count_usage(struct fallback *fallback, const struct provider *provider,
                          const struct usage *usage);

/* Log and note a failure that fallback_post() left to the caller: PROVIDER_REJECTS, or an answer
 * that does not fit. fetch may be NULL. */
void fallback_report_failure(struct fallback *fallback, const struct provider *provider,
                             enum provider_outcome outcome, const struct fetch *fetch);
