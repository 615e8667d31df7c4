/*
 * svc-ai/ai-extract/ground.h - does a value follow from words that stand in the text?
 *
 * Texts are compared whatever the case and the white space. A number follows from words that have
 * it, in whatever way it is written; a date from its day, year and month (by number, or a word that
 * may be its name); a phone number from its last seven digits; a boolean, or a word of an enum,
 * from any words of the text.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* A text, folded once for many looks. By value; release with ground_free(). */
struct ground {
    struct text text;
    uint32_t *code; /* small, every run of white space one blank */
    uint32_t *from; /* the character of the text that it came from */
    size_t count;
    size_t length; /* of the text in characters */
};

void ground_of(struct text text, struct ground *ground);
void ground_free(struct ground *ground);

/* Where words stand, in characters of the text, half open; false when they do not, or say nothing.
 */
bool ground_find(const struct ground *ground, struct text words, size_t *start, size_t *end);

/* Does the value of this schema (ai-extract/requested-fields.h) follow from these words? */
bool ground_follows(const cJSON *schema, const cJSON *value, struct text words);
