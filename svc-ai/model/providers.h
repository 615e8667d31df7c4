/*
 * svc-ai/model/providers.h - who may be asked: the operator's list of providers, read strictly.
 *
 * The file that ai.providers_file names; docs/operate/models.md shows one. Their order is the order
 * in which they are asked.
 *
 *     deadline_ms: 45000         # a whole call, all attempts together, 1000..290000
 *     max_calls: 3               # of providers for one call of a customer, 1..10
 *     cooldown_ms: 60000         # nobody asks a failing provider for so long; 0: never so
 *     providers:
 *       - name: main             # 1 to 32 of a-z 0-9 _ -, unique; in the log and in metrics only
 *         type: openai           # or anthropic: the wire form
 *         base_url: http://llm:8080/v1
 *         api_key_file: /run/secrets/main   # absent: no key is sent
 *         model: some-model
 *         models: { ai-chat: another }      # for single tools
 *         vision_model: some-vl             # each absent: it cannot that
 *         moderation_model: some
 *         image_model: some
 *         structured: auto       # json_schema, json_object, tool or prompt: begin there
 *         max_output_tokens: 4096
 *         connect_timeout_ms: 5000
 *         timeout_ms: 30000      # of one call
 *         max_concurrency: 16    # more wait, at most as many
 *         tools: [ai-chat]       # absent: all
 *     tools:                   # limits of single tools; these stand when there are none
 *       ai-image-generate: { timeout_ms: 120000, deadline_ms: 150000 }
 *
 * URLs are trusted: plain http and private addresses are allowed. A private certificate authority
 * is named by egress.ca_file, as for all that goes out.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/model.h"
#include "svc/job.h"

struct provider_state; /* model/state.h */
struct wire;           /* model/wire/wire.h */

enum { PROVIDERS_MAX = 16, TOOL_LIMITS_MAX = 16 };

struct provider {
    const char *name; /* texts are borrowed from the file's tree */
    const struct wire *wire;
    char *base_url; /* its own, without a slash at its end */
    char *key;      /* NULL: none; overwritten when it is released */
    const char *model;
    const cJSON *models;                     /* tool: model; NULL: none */
    const char *skilled_model[MODEL_SKILLS]; /* NULL: it cannot that; of MODEL_CHAT: model */
    const char *structured;
    int64_t max_output_tokens;
    int64_t connect_timeout_ms;
    int64_t timeout_ms;
    int64_t max_concurrency;
    const cJSON *tools; /* NULL: all */
    struct provider_state *state;
};

/* What single tools may take; 0: as all. */
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
    char *lack; /* what keeps providers out, for the operator; NULL: nothing */
};

/* Read a file; "" is an empty list. A provider whose key cannot be read is left out, and told in
 * lack. Errors: ERR_INVALID_VALUE with the file and what is wrong in it, but never a key. */
bool providers_load(const char *file, struct providers *providers, struct err *err) must_check;
void providers_free(struct providers *providers);

/* The model that a provider asks for this tool; NULL when it is not asked, or cannot that. */
const char *provider_model(const struct provider *provider, const char *tool,
                           enum model_skill skill);

/* Limits for a tool: of one call of a provider, and of all together. */
int64_t providers_timeout_ms(const struct providers *providers, const struct provider *provider,
                             const char *tool);
int64_t providers_deadline_ms(const struct providers *providers, const char *tool);
