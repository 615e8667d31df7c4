/*
 * svc-ai/model/wire/wire.h - the two forms in which models are asked over HTTP: that of OpenAI's
 * /chat/completions, which nearly all servers speak, and that of Anthropic's /v1/messages. Nothing
 * here goes out; what is read is hostile.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/wire/turns.h"

enum { QUESTION_TURNS_MAX = MODEL_TURNS_MAX + 3 /* and those of a repair */ };

struct question_turn {
    enum model_role role;
    char *content;
};

/* What a model is asked, in no form yet: model/question.h makes it. */
struct question {
    char *system;
    size_t turn_count; /* the first and the last are the user's */
    struct question_turn turn[QUESTION_TURNS_MAX];
    const struct model_image *images; /* belong to the first turn; borrowed */
    size_t image_count;
    const char *name; /* of the prompt, for the schema */
    cJSON *schema;    /* NULL: any JSON, or text */
    bool wants_json;
    double temperature;
    int64_t max_tokens;
    const char *const *stop; /* ended by NULL or by MODEL_STOPS_MAX; NULL: none */
    bool has_seed;
    int64_t seed;
};

enum reply_end {
    REPLY_STOPPED,
    REPLY_CUT,     /* by max_tokens */
    REPLY_REFUSED, /* by the model or a filter */
};

/* By value; release with reply_free(). */
struct reply {
    char *text;   /* the answer, or the JSON of a tool's input; "" when there was none */
    bool is_call; /* the latter, which is no answer unless JSON was asked for */
    enum reply_end end;
    int64_t input_tokens; /* -1: not said */
    int64_t output_tokens;
};

void reply_free(struct reply *reply);

/* ---- the ladder: what a model does not take is not asked of it; zero asks for all ---- */

enum ladder_format {
    LADDER_STRICT, /* response_format json_schema, strict; of anthropic: a forced tool */
    LADDER_SCHEMA, /* the same without strict */
    LADDER_OBJECT, /* json_object, and the schema in the prompt */
    LADDER_PROMPT, /* the prompt alone */
};

struct ladder {
    enum ladder_format format;
    bool other_tokens_name; /* max_completion_tokens */
    bool no_temperature;
    bool no_seed;
    bool no_system; /* it goes into the first message of the user */
    /* of POST /images/generations */
    bool no_response_format;
    bool no_output_format;
    bool no_quality;
    bool no_background;
    bool auto_size;
};

/* ---- the forms ---- */

struct wire {
    const char *name;           /* in the file of providers */
    const char *path;           /* behind base_url */
    const char *key_header;     /* a format with one %s */
    const char *version_header; /* NULL: none */
    bool has_images_api;        /* /images/generations, /moderations */

    /* Append the body of a request to a model. */
    void (*write)(const struct question *question, const char *model, const struct ladder *ladder,
                  struct buf *body);

    /* Read the body of a 200. False when it is no such answer: an error in spite of its status,
     * no JSON, no answer in it. */
    bool (*read)(const cJSON *tree, struct reply *reply);
};

extern const struct wire wire_openai;
extern const struct wire wire_anthropic;

/* Read a body of either form. */
bool wire_read(const struct wire *wire, struct text body, struct reply *reply) must_check;

/* ---- errors ---- */

/*
 * What may be read of an error's body, in whatever form: a short word of its type or code for the
 * log, letters, digits, dots, hyphens and underscores only; "" when there is none. The message is
 * not for the log: it may repeat what was sent.
 */
enum { ERROR_WORD_BYTES = 48 };
void error_word(struct text body, char out[static ERROR_WORD_BYTES]);

/* Does an answer of 400, 404, 422 or 501 mean that the request was filtered? */
bool error_is_filter(struct text body);

/*
 * Go one step down the ladder by what the error's body names. False when it names nothing that the
 * ladder knows, or the step was taken before.
 */
bool ladder_step(struct ladder *ladder, const struct question *question, int status,
                 struct text body) must_check;

/* ---- for the forms ---- */

/* The system text, with the schema behind it: many servers take a response_format and do not heed
 * it. The caller's. */
char *wire_system(const struct question *question);

/* The texts of {"type":"text","text":…} parts, or of a string, joined; the caller's. */
char *wire_join_text(const cJSON *content);

int64_t wire_tokens(const cJSON *usage, const char *name); /* -1: not there */
