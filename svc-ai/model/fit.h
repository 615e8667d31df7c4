/*
 * svc-ai/model/fit.h - check whether a model's text fits the request, and parse it.
 */
#pragma once

#include "model/model.h"
#include "model/shape.h"

enum { COMPLAINT_MAX_BYTES = 8 << 10 };

/*
 * Fill json or text, and repairs, of an answer that has neither, from a model's text. Both
 * failures append to complaint. shape is NULL if any JSON or text is accepted. must_be_strict: JSON
 * that needs a repair is not accepted. JSON that ends inside something, or may mean several things,
 * never is.
 * - MODEL_BAD: the text does not fit; nothing is filled
 * - MODEL_POOR: filled, but could be better
 */
enum model_verdict fit_answer(const struct model_ask *ask, const struct shape *shape,
                              struct text text, bool must_be_strict, struct model_answer *answer,
                              struct buf *complaint) must_check;
