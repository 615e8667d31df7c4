/*
 * svc-ai/model/json/repair.h - turn JSON as models write it into strict JSON, and list what was
 * changed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "model/json/repairs.h"

/*
 * Append to out, as strict JSON, the value at the start of text. *end is the offset after it. Adds
 * what it changed to repairs. Numbers keep their digits. If repairs->is_cut or repairs->is_guess,
 * the outcome is not what the model meant, and must not be used.
 *
 * Runs in linear time. Returns false and leaves out unchanged if the text is nested deeper than
 * REPAIR_DEPTH or does not fit into out, which needs at most six times the bytes of text.
 */
bool repair_json(struct text text, size_t *end, struct buf *out,
                 struct repairs *repairs) must_check;
