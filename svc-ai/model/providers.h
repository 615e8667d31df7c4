/*
 * svc-ai/model/providers.h - the operator's list of model providers.
 *
 * ai.providers_file names the file; docs/operate/models.md shows an example. Providers are tried in
 * the order of the list.
 *
 *     deadline_ms: 45000         # a whole call, all attempts together, 1000..290000
 *     max_calls: 3               # provider calls for one call of a customer, 1..10
 *     cooldown_ms: 60000         # how long a failing provider is not called; 0: no pause
 *     providers:
 *       - name: main             # 1 to 32 of a-z 0-9 _ -, unique; in the log and in metrics only
 *         type: openai           # or anthropic: the wire form
 *         base_url: http://llm:8080/v1
 *         api_key_file: /run/secrets/main   # absent: no key is sent
 *         model: some-model
 *         models: { ai-chat: another }      # for single tools
 *         vision_model: some-vl             # absent: not supported; also the next two
 *         moderation_model: some
 *         image_model: some
 *         finish_ok: [done]      # more words for a whole answer; none: without a word
 *         structured: auto       # json_schema, json_object, tool or prompt: start there
 *         max_output_tokens: 4096
 *         connect_timeout_ms: 5000
 *         timeout_ms: 30000      # of one call
 *         max_concurrency: 16    # calls at once; as many more may wait
 *         tools: [ai-chat]       # absent: all
 *         price: { input_per_1m: 3, output_per_1m: 15, image: 0.04, currency: USD }
 *         daily_budget: 20       # in the price's currency, of this process; absent: no limit
 *     tools:                   # limits of single tools; this is the default
 *       ai-image-generate: { timeout_ms: 120000, deadline_ms: 150000 }
 *
 * All prices have one currency, because costs of one call are added up. A provider whose budget is
 * spent is not called until the next UTC day; calls in flight end as usual.
 *
 * URLs are trusted: plain http and private addresses are allowed. egress.ca_file names a private
 * certificate authority, as for all outbound connections.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/model.h"
#include "svc/job.h"

struct budget;         /* model/provider/budget.h */
struct provider_state; /* model/provider/state.h */
struct metrics;
struct wire; /* model/wire/wire.h */

enum { PROVIDERS_MAX = 16, TOOL_LIMITS_MAX = 16 };

/* What a provider charges, in millionths of its currency. */
struct provider_price {
    double input; /* per token */
    double output;
    double image;         /* per image */
    const char *currency; /* NULL: no price is known */
};

/* What a call used. Tokens of -1 are unknown. */
struct usage {
    int64_t input_tokens;
    int64_t output_tokens;
    int64_t images;
};

struct provider {
    const char *name; /* texts are borrowed from the file's tree */
    const struct wire *wire;
    char *base_url; /* owned, without a slash at the end */
    char *key;      /* NULL: none; overwritten on release */
    const char *model;
    const cJSON *models;                     /* tool: model; NULL: none */
    const char *skilled_model[MODEL_SKILLS]; /* NULL: not supported; MODEL_CHAT: model */
    const char *structured;
    const cJSON *finish_ok; /* NULL: none */
    int64_t max_output_tokens;
    int64_t connect_timeout_ms;
    int64_t timeout_ms;
    int64_t max_concurrency;
    const cJSON *tools; /* NULL: all */
    struct provider_price price;
    int64_t budget_micros; /* a day; 0: no limit */
    struct budget *budget; /* held; NULL if there is no limit */
    struct provider_state *state;
};

/* Limits of single tools; 0: the general limit. */
struct tool_limit {
    const char *tool;
    int64_t timeout_ms;
    int64_t deadline_ms;
};

struct providers {
    cJSON *document; /* what the texts are borrowed from; it holds no key */
    int64_t deadline_ms;
    int64_t max_calls;
    int64_t cooldown_ms;
    size_t count;
    struct provider item[PROVIDERS_MAX];
    size_t limit_count;
    struct tool_limit limit[TOOL_LIMITS_MAX];
    char *lack; /* why providers are ignored, for the operator; NULL: all are used */
};

/* Read a file; "" is an empty list. A provider whose key cannot be read is ignored and named in
 * lack. Errors: ERR_INVALID_VALUE with the file and the problem, never with a key. */
bool providers_load(const char *file, struct providers *providers, struct err *err) must_check;
void providers_free(struct providers *providers);

/* Hold the budgets that providers of the same name and currency have in before. */
void providers_inherit(struct providers *providers, const struct providers *before);

/* Register a provider's metrics. */
void provider_count(const struct provider *provider, struct metrics *metrics);

/* The cost of one call in millionths of the price's currency; unknown tokens cost nothing. */
int64_t provider_cost_micros(const struct provider *provider, const struct usage *usage);

/* The model that a provider runs for this tool; NULL if it is not for this tool or lacks the
 * skill. */
const char *provider_model(const struct provider *provider, const char *tool,
                           enum model_skill skill);

/* Timeout of one call, and deadline of all calls together, for a tool. */
int64_t providers_timeout_ms(const struct providers *providers, const struct provider *provider,
                             const char *tool);
int64_t providers_deadline_ms(const struct providers *providers, const char *tool);
