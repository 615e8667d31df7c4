/* gateway/tollctl/out.h - output for people, from the same JSON that --json prints. */
#pragma once

#include "base/buf.h"
#include "text/json.h"

/*
 * Append the output: scalar members of the object become lines "name  value"; lists of objects
 * become tables with the members' names as headers. All objects of a list must have the same
 * members. Numbers are right-aligned; null and empty lists are "-". Texts come from customers, so
 * characters that could control a terminal are shown as U+FFFD.
 */
void out_answer(const cJSON *answer, struct buf *out);
