/*
 * svc-utils/token-counter/knowledge.h - what token-counter reads from files: models.yaml, and the
 * vocabularies that the operator has put beside it.
 *
 *   o200k_base.tiktoken, cl100k_base.tiktoken    each may be missing; then its models are estimated
 */
#pragma once

#include "base/buf.h"
#include "models.h"
#include "vocabulary.h"

enum { VOCABULARIES = 2 };

struct knowledge {
    struct models *models;
    struct vocabulary *vocabularies[VOCABULARIES]; /* NULL: no file */
};

/* The vocabulary that a model counts by; NULL when it is not public or not here. */
const struct vocabulary *knowledge_vocabulary(const struct knowledge *knowledge,
                                              const struct model *model);
