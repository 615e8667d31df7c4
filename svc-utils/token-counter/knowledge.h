/*
 * svc-utils/token-counter/knowledge.h - the data files of token-counter: models.yaml, and a
 * vocabulary for each public tokenizer of OpenAI:
 *
 *   o200k_base.tokens, cl100k_base.tokens        ours, made by scripts/vocabulary
 *   o200k_base.tiktoken, cl100k_base.tiktoken    the operator's, which come first
 *
 * If both files of a tokenizer are missing, its models are estimated.
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
