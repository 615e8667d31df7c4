/*
 * svc-ai/model/provider-fallback.h - from provider to provider until one answers: order, queue,
 * cool-down, limits of time and number, and what the customer is told in the end.
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
    struct model_answer *answer; /* whose meta is filled */
    int64_t deadline_ms;
    int64_t calls_left;
    size_t candidates; /* providers that may be asked */
    int status;        /* of the last answer; 0: none */
};

/* One provider's turn: the model to ask for, and what became of it. */
typedef enum provider_outcome fallback_attempt(struct fallback *fallback,
                                               const struct provider *provider, const char *model,
                                               void *context);

/* Give each provider its turn until one is good. Errors as model_ask(). */
bool fallback_run(const struct job *job, enum model_skill skill, struct model_answer *answer,
                  fallback_attempt *turn, void *context, struct err *err) must_check;

/*
 * One call of a provider: POST body to path, and take the answer of 200 as a fetch, which the
 * caller releases in any case. Counts and logs failures, and notes them for the cool-down, all but
 * PROVIDER_REJECTS. A provider that is the only one and busy or broken is asked a second time,
 * unless it moderates.
 */
enum provider_outcome fallback_post(struct fallback *fallback, const struct provider *provider,
                                    const char *path, struct text body, size_t max_bytes,
                                    struct fetch *fetch) must_check;

/* Log and note a failure that fallback_post() left to the caller, who might have known better:
 * PROVIDER_REJECTS, and what an answer turned out to be. fetch may be NULL. */
void fallback_report_failure(struct fallback *fallback, const struct provider *provider,
                             enum provider_outcome outcome, const struct fetch *fetch);
