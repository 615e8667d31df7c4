/*
 * svc-ai/model/prompt.h - the prompts: what a model is told, and the shape of what it shall answer.
 *
 * One YAML file a prompt, svc-ai/<name>/prompt.yaml, which an operator may replace:
 *
 *     version: 2026-11-23.1   # in the log and in meta of each answer; change it with the text
 *     temperature: 0          # 0..2
 *     max_tokens: 2048        # of the answer; a provider's own limit holds beside it
 *     system: |               # role, task, what to do and not to do, as the model reads it
 *       You review source code. …
 *     shape: …                # of the answer, model/shape.h; absent: text, or the tool gives one
 *
 * Around it the pipeline puts what holds for all: that the material is data, the fence, the
 * answer's form, the canary. A prompt need not speak of them, nor of JSON.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct shape;

struct prompt {
    char *name;
    char *version;
    char *system;
    double temperature;
    int64_t max_tokens;
    cJSON *document;     /* what shape borrows from */
    struct shape *shape; /* NULL: none */
};

enum { PROMPTS_MAX = 32 };

struct prompts {
    size_t count;
    struct prompt item[PROMPTS_MAX];
};

/* Those of a group's folder. Errors: ERR_INVALID_VALUE with the file and what is wrong in it. */
bool prompts_load(const char *folder, struct prompts *prompts, struct err *err) must_check;
void prompts_free(struct prompts *prompts);

/* NULL when there is none of that name. */
const struct prompt *prompts_find(const struct prompts *prompts, const char *name);
