/*
 * svc-ai/model/visible-text.h - the part of a model's output that is meant for the customer,
 * without reasoning and control tokens.
 *
 * They are removed only at the edges of the answer, and only those that no text of the customer
 * has: <s> is also HTML.
 */
#pragma once

#include "model/model.h"

/* Borrowed from the output; empty if the output is nothing but reasoning. */
struct text visible_text(const struct model_ask *ask, struct text output);
