/*
 * svc-ai/model/model.h - ask a language model, and get an answer that fits a shape, or an error.
 *
 * A tool states what it wants. This module does the rest: it picks a provider and its wire form,
 * retries or tries the next provider, hardens the prompt, and repairs and validates the answer. A
 * tool never sees a provider, a key or a raw answer.
 *
 *     scoped(model_answer_free) struct model_answer answer = { 0 };
 *     …
 *     struct model_ask ask = { .options = options, .material = buf_text(&code) };
 *     if (!model_ask(job, &ask, &answer, err))
 *         return false;
 *     …
 *     model_add_meta(&answer, result);
 *
 * The prompt's text and the shape of its answer are in svc-ai/<prompt>/prompt.yaml; see
 * model/prompt.h. Each member of the shape is always present, has its type, is within its bounds,
 * and its strings are clean: NFC, no control characters except \n and \t, nothing invisible. A tool
 * therefore reads the answer without checks. A tool computes what code can compute and does not
 * take it from the model.
 *
 * Every tool of the group names models_data as its data in main.c.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/os/memory-budget.h"
#include "model/json/repairs.h"
#include "model/wire/turns.h"
#include "svc/data.h"
#include "svc/job.h"

extern const struct data_kind models_data; /* prompts and providers */

enum {
    MODEL_INPUT_MAX = 4000, /* code points in all text fields of a request together */
    MODEL_IMAGES_MAX = 1,
    MODEL_WARNINGS_MAX = 16,
    MODEL_PICTURE_BYTES = 24 << 20, /* size of a response with a generated image */
};

/* ---- before the call ---- */

/* Streaming is not supported. Errors: ERR_STREAM_UNSUPPORTED if the request's stream is true. */
bool model_check_stream(const struct job *job, struct err *err) must_check;

/*
 * Run model_check_stream(), then count the code points of the named text fields together into
 * *input_length. NULL ends the list. Errors: ERR_TOO_LONG above MODEL_INPUT_MAX; ERR_TOO_SHORT if
 * the first field is blank.
 */
bool model_count_input(const struct job *job, const char *const *fields, int64_t *input_length,
                       struct err *err) must_check;

/* What a provider must support. */
enum model_skill {
    MODEL_CHAT,
    MODEL_VISION,
    MODEL_MODERATION,
    MODEL_IMAGE_GENERATION,
    MODEL_SKILLS
};

/* Whether a provider with this skill is configured for this tool. model_ask() and the others check
 * it too; call this if the tool has work to do before. Errors: ERR_PROVIDER_UNCONFIGURED. */
bool model_is_there(const struct job *job, enum model_skill skill, struct err *err) must_check;

/* ---- the question ---- */

/* A tool's verdict on an answer that fits the shape. */
enum model_verdict {
    MODEL_TAKEN,
    MODEL_POOR, /* retried once with the complaint; the second answer is accepted in any case */
    MODEL_BAD,  /* treated as not fitting: retried once, then the next provider */
};

/* Judge an answer. Append to complaint what must be better, as one sentence for the model. */
typedef enum model_verdict model_judge(const cJSON *answer, void *context, struct buf *complaint);

/* All members are borrowed; zero means absent. */
struct model_ask {
    const char *prompt;   /* a folder of svc-ai with a prompt.yaml; NULL: the tool's folder */
    const cJSON *options; /* the task's options, an object. The model receives it as JSON data; a
                           * value is never inserted into a sentence */
    struct text material; /* the customer's text; fenced, without invisible characters */
    const struct model_image *images;
    size_t image_count;
    const cJSON *shape;  /* replaces the prompt file's shape, in the same language
                          * (model/shape.h) */
    const cJSON *schema; /* or a JSON Schema for the provider, in the strict subset. Any object or
                          * array that judge accepts is then taken unchanged */
    const char *wrapper; /* the schema's member that an answer may leave out, and be its value */
    model_judge *judge;
    void *context; /* passed to judge */

    bool is_chat; /* material is the user's message, followed within the rules: ai-chat */
    const struct model_turn *turns; /* a conversation, instead of material; the last turn is the
                                     * user's */
    size_t turn_count;
    struct text policy;   /* the customer's system text; fenced, after our own */
    bool wants_text;      /* the answer is plain text, without a shape */
    bool wants_any_json;  /* any object or array that judge accepts is taken unchanged; there is no
                           * shape */
    bool has_temperature; /* otherwise the prompt's temperature applies */
    double temperature;
    int64_t max_tokens; /* 0: the provider's limit */
    const char *stop[MODEL_STOPS_MAX];
    bool has_seed;
    int64_t seed;
};

/* ---- the answer ---- */

enum model_end { MODEL_STOPPED, MODEL_CUT };

/* By value; release with model_answer_free(). A zero answer also has meta, without a call. */
struct model_answer {
    cJSON *json;        /* fits the shape; NULL if text was requested */
    char *text;         /* if text was requested: clean, not empty */
    enum model_end end; /* MODEL_CUT only if text was requested: cut at max_tokens */

    /* meta */
    char *model;            /* name from the configuration; NULL: no model was called */
    char *prompt_version;   /* NULL: no model was called */
    int64_t attempts;       /* provider calls */
    const char *provider;   /* of the last call, for the log; borrowed; NULL: none */
    int64_t cost_micros;    /* of all calls, also failed ones, in millionths of the currency of
                             * the providers' file; what has no price counts as 0 */
    int64_t spent;          /* provider calls that count towards max_calls of one request */
    struct repairs repairs; /* the answer was not valid JSON, and this was changed */
    bool is_suspicious;     /* the input appears to give the model instructions */
    int64_t input_tokens;   /* sum over all attempts; -1: unknown */
    int64_t output_tokens;
    int64_t latency_ms;
    size_t warning_count;
    char *warning[MODEL_WARNINGS_MAX];
};

void model_answer_free(struct model_answer *answer);

/*
 * Ask until an answer fits or the deadline passes. Blocks. The customer pays for none of these
 * errors:
 *   ERR_PROVIDER_UNCONFIGURED  no provider is configured for this tool
 *   ERR_OVERLOADED             all providers are busy, and their queues are full
 *   ERR_MODEL_REFUSED          the model, or a filter before it, declined; the call still counts
 *                              towards the daily quota
 *   ERR_PROVIDER_REJECTED      a provider rejects the request or our key. The operator must fix it;
 * the log has details ERR_PROVIDER_ERROR         all providers failed, or no answer fits
 *   ERR_DEADLINE_EXCEEDED
 * A tool lists provider_unconfigured, model_refused, provider_rejected and provider_error. If
 * answer comes from a failed model_moderate(), its provider calls count towards max_calls.
 */
bool model_ask(const struct job *job, const struct model_ask *ask, struct model_answer *answer,
               struct err *err) must_check;

/*
 * POST {base}/moderations with a text. *verdict is the first result, an object with the member
 * category_scores, owned by the caller. Its numbers and names are the provider's. Errors as
 * model_ask(). After ERR_PROVIDER_UNCONFIGURED (no provider has a moderation_model) a tool asks a
 * chat model, with the same answer.
 */
bool model_moderate(const struct job *job, struct text text, cJSON **verdict,
                    struct model_answer *answer, struct err *err) must_check;

struct model_picture {
    struct buf base64; /* as the provider sent it, in the memory that received it; not checked */
    struct reservation reservation; /* of that memory */
    char *revised_prompt;           /* NULL: none */
};

void model_picture_free(struct model_picture *picture);

/*
 * POST {base}/images/generations. request is an object with prompt and, optionally, size, quality,
 * output_format, background and seed. Adds model, n and response_format. Removes, step by step,
 * what a provider does not support. Errors as model_ask().
 */
bool model_generate_image(const struct job *job, const cJSON *request,
                          struct model_picture *picture, struct model_answer *answer,
                          struct err *err) must_check;

/* ---- for the result ---- */

/* Add a warning, "code" or "code:detail". detail may be NULL. Warnings beyond MODEL_WARNINGS_MAX
 * are dropped. The tables codes.def list the codes. */
void model_warn(struct model_answer *answer, const char *code, const char *detail);

/* Add the member meta: {model, prompt_version, attempts, repaired, repairs, injection_suspected,
 * input_tokens, output_tokens, latency_ms, warnings}. */
void model_add_meta(const struct model_answer *answer, cJSON *result);
