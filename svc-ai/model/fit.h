/*
 * svc-ai/model/fit.h - does what a model wrote fit what was asked, and as what?
 */
#pragma once

#include "model/model.h"
#include "model/shape.h"

enum { COMPLAINT_MAX_BYTES = 8 << 10 };

/*
 * Fill json or text, and is_repaired, of answer, which must be empty of both, by the text of a
 * model's answer. MODEL_BAD: it does not fit, and nothing is filled; MODEL_POOR: filled, but it
 * could be better. Both append to complaint. shape is NULL when any JSON or text is wanted.
 */
enum model_verdict fit_answer(const struct model_ask *ask, const struct shape *shape,
                              struct text text, struct model_answer *answer,
                              struct buf *complaint) must_check;
