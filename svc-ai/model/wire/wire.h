/*
 * svc-ai/model/wire/wire.h - the two HTTP forms of model calls: OpenAI's /chat/completions, which
 * most servers support, and Anthropic's /v1/messages. Nothing here connects. Responses are
 * untrusted.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/wire/turns.h"

enum { QUESTION_TURNS_MAX = MODEL_TURNS_MAX + 3 /* plus the turns of a retry */ };

struct question_turn {
    enum model_role role;
    char *content;
};

/* The input of a model, in no form yet; model/question.h makes it. */
struct question {
    char *system;
    size_t turn_count; /* the first and the last are user turns */
    struct question_turn turn[QUESTION_TURNS_MAX];
    const struct model_image *images; /* they belong to the first turn; borrowed */
    size_t image_count;
    const char *name; /* name of the prompt, for the schema */
    cJSON *schema;    /* NULL: any JSON, or text */
    bool wants_json;
    double temperature;
    int64_t max_tokens;
    const char *const *stop; /* MODEL_STOPS_MAX texts, or fewer and NULL; NULL: none */
    bool has_seed;
    int64_t seed;
};

/* How an answer ended, by the provider's word for it. Only REPLY_STOPPED says that it is whole. */
enum reply_end {
    REPLY_UNKNOWN, /* an unknown word, or none: the answer may have been cut off */
    REPLY_STOPPED,
    REPLY_CUT,     /* at a limit of tokens */
    REPLY_FAILED,  /* the provider broke off */
    REPLY_REFUSED, /* by the model or a filter */
};

/* The words of the list finish_ok, which may be NULL, count as REPLY_STOPPED if they are unknown
 * here. "none" means a missing word. */
enum reply_end reply_end_of(struct text word, const cJSON *finish_ok);

/* By value; release with reply_free(). */
struct reply {
    char *text;   /* the answer, or the JSON of a tool's input; may be "" */
    bool is_call; /* a tool's input, valid only if JSON was requested */
    enum reply_end end;
    int64_t input_tokens; /* -1: not reported */
    int64_t output_tokens;
};

void reply_free(struct reply *reply);

/* ---- the ladder: features that a model rejects are not requested; zero requests all ---- */

enum ladder_format {
    LADDER_STRICT, /* response_format json_schema, strict; Anthropic: a forced tool */
    LADDER_SCHEMA, /* the same, not strict */
    LADDER_OBJECT, /* json_object, with the schema in the prompt */
    LADDER_PROMPT, /* only the prompt */
};

struct ladder {
    enum ladder_format format;
    bool other_tokens_name; /* send max_completion_tokens */
    bool no_temperature;
    bool no_seed;
    bool no_stop;           /* the answer is cut here, model/fit.h */
    bool no_system;         /* put the system text into the first user message */
    bool no_closed_objects; /* no additionalProperties in the schema */
    int64_t max_tokens;     /* the model's maximum; 0: not known */
    /* for POST /images/generations */
    bool no_response_format;
    bool no_output_format;
    bool no_quality;
    bool no_background;
    bool auto_size;
};

/* ---- the forms ---- */

struct wire {
    const char *name;           /* in the providers' file */
    const char *path;           /* appended to base_url */
    const char *key_header;     /* a format with one %s */
    const char *version_header; /* NULL: none */
    bool has_images_api;        /* /images/generations, /moderations */

    /* Append the body of a model request. */
    void (*write)(const struct question *question, const char *model, const struct ladder *ladder,
                  struct buf *body);

    /* Read the body of a 200 response, except reply->end: *finish is the provider's word for it,
     * borrowed from the tree, and *is_refused whether the model declined in another way. Returns
     * false if it is an error, or has no answer. */
    bool (*read)(const cJSON *tree, struct reply *reply, struct text *finish, bool *is_refused);
};

extern const struct wire wire_openai;
extern const struct wire wire_anthropic;

/* Read a body of either form; finish_ok as in reply_end_of(). Returns false if it is not JSON, too.
 */
bool wire_read(const struct wire *wire, const cJSON *finish_ok, struct text body,
               struct reply *reply) must_check;

/* Is an error member present, and not null? */
bool wire_has_error(const cJSON *object);

/* ---- errors ---- */

/*
 * A short word from an error's body, its type or code, for the log: letters, digits, dots, hyphens
 * and underscores only; may be "". The message is not logged, because it may repeat the request.
 */
enum { ERROR_WORD_BYTES = 48 };
void error_word(struct text body, char out[static ERROR_WORD_BYTES]);

/* Whether an error names a format of answers, which a model may not support. */
bool error_names_format(struct text body);

/*
 * Take one step down the ladder by what the error's body names. Returns false if it names nothing
 * known, or if that step was already taken.
 */
bool ladder_step(struct ladder *ladder, const struct question *question, int status,
                 struct text body) must_check;

/* ---- for the forms ---- */

/* The system text followed by the schema, owned by the caller. Many servers accept a
 * response_format and ignore it. */
char *wire_system(const struct question *question);

/* The joined texts of {"type":"text","text":…} parts, or a string; owned by the caller. */
char *wire_join_text(const cJSON *content);

int64_t wire_tokens(const cJSON *usage, const char *name); /* -1: absent */

/* The question's schema and limit as the ladder allows them; the schema is the caller's. */
cJSON *wire_schema(const struct question *question, const struct ladder *ladder);
int64_t wire_max_tokens(const struct question *question, const struct ladder *ladder);
bool wire_has_stop(const struct question *question, const struct ladder *ladder);
