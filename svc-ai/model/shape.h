/*
 * svc-ai/model/shape.h - the shape of an answer: what is asked of the model, and how what it gives
 * is brought into it.
 *
 * A shape is written in words of JSON Schema, in YAML (model/prompt.h) or as a tree that a tool
 * makes for one request:
 *
 *     type         string, integer, number, boolean, array or object, or such a list with "null";
 *                  absent: object beside properties, array beside items, string beside enum
 *     description  for the model
 *     enum         texts
 *     synonyms *   {word: text of enum}: what models say instead
 *     default *    taken where the member is missing or null; else it is required
 *     minimum, maximum     a number outside is brought to the nearer end
 *     maxLength            code points; a longer text is cut at a word, with …
 *     minLength            a shorter text does not fit
 *     items, maxItems      a longer list is cut
 *     minItems             a shorter list does not fit
 *     properties           all are required, but for those with a default; others are dropped
 *
 * (* are our own.) Depth is at most 8.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct shape;

enum { SHAPE_DEPTH = 8 };

/* Read it from a tree, which must outlive it. The top must be an object. Errors: ERR_INVALID_VALUE
 * with the path of what is wrong. */
bool shape_new(const cJSON *tree, struct shape **shape, struct err *err) must_check;
void shape_free(struct shape **shape);

/*
 * The schema that providers get, the caller's: the subset that all of them enforce. Every property
 * is required, none may be added, no bounds but in words of the description.
 */
cJSON *shape_schema(const struct shape *shape);

/*
 * Bring an answer into the shape, within bounds that change no meaning: "7" and 7, 7.0 and 7, a
 * number outside its range, one value for a list of one, null for an empty list or text, a word of
 * enum in other case or by a synonym, members nobody asked for, what is too long. Strings are
 * cleaned (facts/clean.h). A new tree, the caller's, with the members in the shape's order; NULL
 * when it does not fit: then what is wrong is appended to complaint, a line each, for the model.
 */
cJSON *shape_fit(const struct shape *shape, const cJSON *answer, struct buf *complaint) must_check;
