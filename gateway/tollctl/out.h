/* gateway/tollctl/out.h - an answer for people: what --json says, as text. */
#pragma once

#include "base/buf.h"
#include "text/json.h"

/*
 * Append an answer: an object whose plain members become lines "name  value" and whose lists of
 * objects become tables with the members' names as heads. All objects of a list have the same
 * members. Numbers stand right; null and empty lists are "-". Texts came from customers, so what
 * could steer a terminal is shown as U+FFFD.
 */
void out_answer(const cJSON *answer, struct buf *out);
