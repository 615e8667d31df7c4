/*
 * svc-utils/token-counter/models.h - svc-utils/token-counter/models.yaml: what models cost, by all
 * their names.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/err.h"
#include "estimate.h"

struct model {
    const char *name;
    const char *provider;
    const struct token_family *family;
    bool has_price;
    double input_usd; /* for a million tokens */
    double output_usd;
    int64_t context_tokens; /* of text and answer together; 0: not known */
    bool is_deprecated;     /* its provider has announced its end */
};

/* Names that no row has: "gpt-4o*" is OpenAI's, counted by o200k. */
struct model_kind {
    const char *provider;
    const struct token_family *family;
    const cJSON *names; /* patterns as of fnmatch(3) */
};

enum { MODEL_NAME_BYTES = 128 };

struct models {
    const char *as_of; /* YYYY-MM */
    size_t default_count;
    const struct model **defaults;
    size_t count;
    struct model *model; /* sorted by name */
    size_t kind_count;
    struct model_kind *kind; /* the first that matches counts */
    cJSON *document;         /* owns all texts */
};

/* Check and take over what models.yaml holds. Errors: ERR_INVALID_VALUE with the row that is wrong.
 */
bool models_read(cJSON *document, struct models **models, struct err *err) must_check;

/* The same with folder's models.yaml, which the error names. */
bool models_load(const char *folder, struct models **models, struct err *err) must_check;
void models_free(struct models **models);

/*
 * The model of a name as people write it, NULL when there is none: any case, blanks or _ for -, a
 * provider before it ("openai/", "us.anthropic."), a date, a version (-v1:0) or -latest behind it;
 * Claude's number and name in either order, with dots or dashes. Nothing is guessed beyond that.
 */
const struct model *models_find(const struct models *models, struct text name);

/*
 * Of a name that stands for no model of the table: what its kind tells, without price, window and
 * end. model->name becomes `spelled`, the name in lower case without what stands before it. False
 * when it is of no kind.
 */
bool models_guess(const struct models *models, struct text name, char spelled[MODEL_NAME_BYTES],
                  struct model *model) must_check;
