/*
 * svc-ai/model/prompt.h - the prompts: instructions for a model, and the shape of its answer.
 *
 * Each prompt is a YAML file, svc-ai/<name>/prompt.yaml, which an operator may replace:
 *
 *     version: 2026-11-23.1   # in the log and in meta of each answer; change it with the text
 *     temperature: 0          # 0..2
 *     max_tokens: 2048        # of the answer; a provider's lower limit also applies
 *     system: |               # role, task, what to do and what not to do
 *       You review source code. …
 *     shape: …                # of the answer, model/shape.h; absent: text, or the tool gives one
 *
 * The pipeline adds what all prompts need: that the material is data, the fence, the answer's form
 * and the canary. A prompt does not mention them, nor JSON.
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

/* Load the prompts of a group's folder. Errors: ERR_INVALID_VALUE with the file and the problem. */
bool prompts_load(const char *folder, struct prompts *prompts, struct err *err) must_check;
void prompts_free(struct prompts *prompts);

/* The prompt of that name, or NULL. */
const struct prompt *prompts_find(const struct prompts *prompts, const char *name);
