/*
 * svc-ai/ai-extract/ground.h - check whether words of the text support a value.
 *
 * Comparison ignores case and white space. Rules by type:
 * - a number: the words have it in any notation
 * - a date: the words have its day, year and month (a number, or a word that may be its name)
 * - a phone number: the words have its last seven digits
 * - a boolean, or a word of an enum: any words of the text
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* A text, folded once for many searches. By value; release with ground_free(). */
struct ground {
    struct text text;
    uint32_t *code; /* lower case; each run of white space is one blank */
    uint32_t *from; /* index of the character in the text */
    size_t count;
    size_t length; /* characters in the text */
};

void ground_of(struct text text, struct ground *ground);
void ground_free(struct ground *ground);

/* Find words in the text. *start and *end are characters, half open. Returns false if the words are
 * not in the text, or have no letter or digit. */
bool ground_find(const struct ground *ground, struct text words, size_t *start, size_t *end);

/* Whether these words support the value of this schema (ai-extract/requested-fields.h). */
bool ground_follows(const cJSON *schema, const cJSON *value, struct text words);
