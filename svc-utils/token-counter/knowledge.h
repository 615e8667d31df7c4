/*
 * svc-utils/token-counter/knowledge.h - the data files of token-counter: models.yaml, and the
 * vocabularies that the operator puts next to it:
 *
 *   o200k_base.tiktoken, cl100k_base.tiktoken    if one is missing, its models are estimated
 */
#pragma once

#include "base/buf.h"
#include "models.h"
#include "vocabulary.h"

enum { VOCABULARIES = 2 };

struct knowledge {
    struct models *models;
    struct vocabulary *vocabularies[VOCABULARIES]; /* NULL: the file is missing */
};

/* The vocabulary of a model; NULL if it is not public or not installed. */
const struct vocabulary *knowledge_vocabulary(const struct knowledge *knowledge,
                                              const struct model *model);
