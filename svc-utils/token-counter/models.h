/*
 * svc-utils/token-counter/models.h - the prices in svc-utils/token-counter/models.yaml, by all
 * names of a model.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/err.h"
#include "estimate.h"

/* Has the provider announced the model's retirement? */
enum retirement { RETIREMENT_UNKNOWN, RETIREMENT_NONE, RETIREMENT_ANNOUNCED };

struct model {
    const char *name;
    const char *provider;
    const struct token_family *family;
    bool has_price;
    double input_usd; /* per million tokens */
    double output_usd;
    int64_t context_tokens; /* of input and output together; 0: unknown */
    enum retirement retirement;
};

/* A rule for names without a row: "gpt-4o*" is OpenAI's, counted with o200k. */
struct model_kind {
    const char *provider;
    const struct token_family *family;
    const cJSON *names; /* patterns for fnmatch(3) */
};

enum { MODEL_NAME_BYTES = 128 };

struct models {
    const char *as_of; /* YYYY-MM */
    size_t default_count;
    const struct model **defaults;
    size_t count;
    struct model *model; /* sorted by name */
    size_t kind_count;
    struct model_kind *kind; /* the first match wins */
    cJSON *document;         /* owns all texts */
};

/* Check models.yaml and take it over. Errors: ERR_INVALID_VALUE with the invalid row. */
bool models_read(cJSON *document, struct models **models, struct err *err) must_check;

/* As models_read(), for folder's models.yaml, which the error names. */
bool models_load(const char *folder, struct models **models, struct err *err) must_check;
void models_free(struct models **models);

/*
 * The model of a name in any common spelling; NULL if not found. Accepted: any case; blanks or
 * _ for -; a provider in front ("openai/", "us.anthropic."); a date, a version (-v1:0) or -latest
 * at the end; for Claude, number and name in either order, with dots or dashes. Other spellings are
 * not guessed.
 */
const struct model *models_find(const struct models *models, struct text name);

/*
 * For a name without a row: what its kind defines, without price, context window and retirement.
 * model->name becomes `spelled`, the name in lowercase without prefixes. False if no kind matches.
 */
bool models_guess(const struct models *models, struct text name, char spelled[MODEL_NAME_BYTES],
                  struct model *model) must_check;
