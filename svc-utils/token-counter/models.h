/*
 * svc-utils/token-counter/models.h - svc-utils/models.yaml: what models cost, by all their names.
 */
#ifndef TOKEN_COUNTER_MODELS_H
#define TOKEN_COUNTER_MODELS_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/err.h"
#include "estimate.h"

struct model {
    const char *name;
    const char *provider;
    const struct token_family *family;
    double input_usd; /* for a million tokens */
    double output_usd;
    int64_t context_tokens; /* of text and answer together; 0: not known */
    bool is_deprecated;     /* its provider has announced its end */
};

struct models {
    const char *as_of; /* YYYY-MM */
    size_t default_count;
    const struct model **defaults;
    size_t count;
    struct model *model; /* sorted by name */
    cJSON *document;     /* owns all texts */
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

#endif
