/*
 * svc-ai/model/model.h - ask a language model, and get an answer that fits a shape or an error.
 *
 * A tool says what it wants answered; everything between that and a checked answer is done here:
 * which provider, in which wire form, again or elsewhere when it fails, the prompt's hardening, the
 * answer's repair and validation. A tool never sees a provider, a key or a raw answer.
 *
 *     scoped(model_answer_free) struct model_answer answer = { 0 };
 *     …
 *     struct model_ask ask = { .options = options, .material = buf_text(&code) };
 *     if (!model_ask(job, &ask, &answer, err))
 *         return false;
 *     …
 *     model_add_meta(&answer, result);
 *
 * What a prompt says, and the shape of its answer, is the file svc-ai/<prompt>/prompt.yaml; see
 * model/prompt.h. A member of the shape is always there, of its type, within its bounds, and its
 * strings are clean (NFC; no control characters but \n and \t, nothing invisible), so a tool reads
 * the answer without checks. What code can compute it computes; it believes the model nothing else.
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
#include "model/wire/turns.h"
#include "svc/data.h"
#include "svc/job.h"

extern const struct data_kind models_data; /* prompts and providers */

enum {
    MODEL_INPUT_MAX = 4000, /* code points of all text fields of a request together */
    MODEL_IMAGES_MAX = 1,
    MODEL_WARNINGS_MAX = 16,
    MODEL_PICTURE_BYTES = 24 << 20, /* of a generated image's answer */
};

/* ---- before the model is asked ---- */

/* No tool answers bit by bit. Errors: ERR_STREAM_UNSUPPORTED when the request's stream is true. */
bool model_check_stream(const struct job *job, struct err *err) must_check;

/*
 * model_check_stream(), and the code points of the text fields of these names (NULL ends the list)
 * together, into *input_length. Errors: ERR_TOO_LONG above MODEL_INPUT_MAX; ERR_TOO_SHORT when the
 * first of them holds nothing but white space.
 */
bool model_count_input(const struct job *job, const char *const *fields, int64_t *input_length,
                       struct err *err) must_check;

/* What a provider must be able to do. */
enum model_skill {
    MODEL_CHAT,
    MODEL_VISION,
    MODEL_MODERATION,
    MODEL_IMAGE_GENERATION,
    MODEL_SKILLS
};

/* Is a provider configured that may be asked so for this tool? model_ask() and the others say it
 * too; this is for a tool with work to do before. Errors: ERR_PROVIDER_UNCONFIGURED. */
bool model_is_there(const struct job *job, enum model_skill skill, struct err *err) must_check;

/* ---- the question ---- */

/* What a tool thinks of an answer that fits the shape. */
enum model_verdict {
    MODEL_TAKEN,
    MODEL_POOR, /* asked once to do better; what comes then is taken as it is */
    MODEL_BAD,  /* as if it did not fit: asked once to do better, then the next provider */
};

/* Look at answer, append what is to be better to complaint: one sentence for the model. */
typedef enum model_verdict model_judge(const cJSON *answer, void *context, struct buf *complaint);

/* Everything is borrowed; zero is absent. */
struct model_ask {
    const char *prompt;   /* a folder of svc-ai that has a prompt.yaml; NULL: the tool's */
    const cJSON *options; /* object: what is asked for. Reaches the model as JSON, as data: a
                           * value is never pasted into a sentence */
    struct text material; /* the customer's text, which is fenced; without invisible characters */
    const struct model_image *images;
    size_t image_count;
    const cJSON *shape;  /* in place of the prompt file's, in its language (model/shape.h) */
    const cJSON *schema; /* or a JSON Schema of the tool's own for the provider, strict subset:
                          * then any object or array is taken that judge takes, as it is */
    model_judge *judge;
    void *context; /* of judge */

    bool is_chat; /* material is what the user says, to be heeded within the rules: ai-chat */
    const struct model_turn *turns; /* of a chat, in place of material; the last is the user's */
    size_t turn_count;
    struct text policy;   /* the customer's own system text; placed after ours, fenced */
    bool wants_text;      /* the answer is text as it comes: no shape */
    bool wants_any_json;  /* any object or array is taken that judge takes, as it is: no shape */
    bool has_temperature; /* else the prompt's own */
    double temperature;
    int64_t max_tokens; /* 0: the provider's limit */
    const char *stop[MODEL_STOPS_MAX];
    bool has_seed;
    int64_t seed;
};

/* ---- the answer ---- */

enum model_end { MODEL_STOPPED, MODEL_CUT };

/* By value; release with model_answer_free(). A zero one has meta, too: of no call at all. */
struct model_answer {
    cJSON *json;        /* fits the shape; NULL when text was wanted */
    char *text;         /* when text was wanted: clean, not empty */
    enum model_end end; /* MODEL_CUT only when text was wanted: by max_tokens */

    /* meta */
    char *model;          /* by the configuration's name; NULL: none was asked */
    char *prompt_version; /* NULL: likewise */
    int64_t attempts;     /* calls of providers */
    int64_t spent;        /* those of them that count: max_calls for one request */
    bool is_repaired;     /* the answer was no JSON and was made some */
    bool is_suspicious;   /* the input looks like an attempt to instruct the model */
    int64_t input_tokens; /* of all attempts; -1: unknown */
    int64_t output_tokens;
    int64_t latency_ms;
    size_t warning_count;
    char *warning[MODEL_WARNINGS_MAX];
};

void model_answer_free(struct model_answer *answer);

/*
 * Ask, until an answer fits or the time is over. Blocks. Errors, for all of which the customer pays
 * nothing:
 *   ERR_PROVIDER_UNCONFIGURED  nobody may be asked for this tool
 *   ERR_OVERLOADED             all who may be asked are busy, and as many wait
 *   ERR_MODEL_REFUSED          the model, or a filter before it, does not want to; the day's call
 *                              is not given back
 *   ERR_PROVIDER_REJECTED      a provider does not accept the request or our key: the operator's to
 *                              mend, details are in the log
 *   ERR_PROVIDER_ERROR         all failed, or none gave an answer that fits
 *   ERR_DEADLINE_EXCEEDED
 * A tool lists provider_unconfigured, model_refused, provider_rejected and provider_error.
 * What was spent on a model_moderate() that failed, whose answer comes along, is not spent again.
 */
bool model_ask(const struct job *job, const struct model_ask *ask, struct model_answer *answer,
               struct err *err) must_check;

/*
 * POST {base}/moderations with a text: *verdict is the first of the answer's results, the caller's,
 * an object with the object category_scores; its numbers and names are the provider's own. Errors
 * as model_ask(); ERR_PROVIDER_UNCONFIGURED when no provider has a moderation_model, and then a
 * tool asks a chat model, with the same answer.
 */
bool model_moderate(const struct job *job, struct text text, cJSON **verdict,
                    struct model_answer *answer, struct err *err) must_check;

struct model_picture {
    struct buf base64; /* the provider's words, in the memory that they came in; not yet checked */
    struct reservation reservation; /* of that memory */
    char *revised_prompt;           /* NULL: none */
};

void model_picture_free(struct model_picture *picture);

/*
 * POST {base}/images/generations. request is an object with prompt and, as far as wished, size,
 * quality, output_format, background, seed; model, n and response_format are added, and what a
 * provider does not know is left out, step by step. Errors as model_ask().
 */
bool model_generate_image(const struct job *job, const cJSON *request,
                          struct model_picture *picture, struct model_answer *answer,
                          struct err *err) must_check;

/* ---- for the result ---- */

/* Add a warning; beyond MODEL_WARNINGS_MAX it is dropped. */
void model_warn(struct model_answer *answer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Add the member meta: {model, prompt_version, attempts, repaired, injection_suspected,
 * input_tokens, output_tokens, latency_ms, warnings}. */
void model_add_meta(const struct model_answer *answer, cJSON *result);
