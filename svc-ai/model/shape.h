/*
 * svc-ai/model/shape.h - the shape of an answer: what the model is asked for, and how its answer is
 * fitted into it.
 *
 * A shape uses words of JSON Schema, in YAML (model/prompt.h) or as a tree that a tool builds for
 * one request:
 *
 *     type         string, integer, number, boolean, array or object, or such a list with "null".
 *                  Default: object with properties, array with items, string with enum
 *     description  for the model
 *     enum         texts
 *     synonyms *   {word: text of enum}: what models write instead
 *     default *    used if the member is missing or null; without it the member is required
 *     minimum, maximum     a number outside becomes the nearest bound
 *     maxLength            code points; a longer text is cut at a word, with …
 *     minLength            a shorter text does not fit
 *     items, maxItems      a longer list is cut
 *     minItems             a shorter list does not fit
 *     properties           all are required, except those with a default; others are dropped
 *
 * (* is not JSON Schema.) The depth is at most 8.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct shape;

enum { SHAPE_DEPTH = 8 };

/* Read a shape from a tree, which must outlive it. The top must be an object. Errors:
 * ERR_INVALID_VALUE with the path and the problem. */
bool shape_new(const cJSON *tree, struct shape **shape, struct err *err) must_check;
void shape_free(struct shape **shape);

/*
 * The schema for providers, owned by the caller: the subset that all of them enforce. Every
 * property is required, no others are allowed, and bounds are words in descriptions.
 */
cJSON *shape_schema(const struct shape *shape);

/*
 * Fit an answer into the shape without changing its meaning:
 * - "7" and 7, 7.0 and 7; one value for a list of one; null for an empty list or text
 * - a word of enum in another case, or a synonym
 * - numbers outside their range, texts and lists that are too long, extra members
 *
 * Cleans strings (facts/clean.h). Returns a new tree, owned by the caller, with the members in the
 * shape's order. Returns NULL if the answer does not fit, and appends a line for each problem to
 * complaint, for the model.
 */
cJSON *shape_fit(const struct shape *shape, const cJSON *answer, struct buf *complaint) must_check;
