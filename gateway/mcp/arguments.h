/*
 * gateway/mcp/arguments.h - arguments as hosts write them, made valid where only one thing can be
 * meant.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "svc/contract.h"

enum { ARGUMENTS_TOLD_BYTES = 2048, IGNORED_NOTE_BYTES = 2048 };

/*
 * For arguments that the contract rejects. Changes top members only:
 * - "5", "true", "[…]" or "{…}" in a string becomes the value, if the property has its type, and
 *   not the type string
 * - "", null, [] or {} of an optional property that does not accept it is left out
 *
 * Appends the new object to out, and one sentence for each change to told, for the model. Returns
 * false if nothing was changed.
 */
bool arguments_adjust(const struct contract *contract, struct text body, struct buf *out,
                      struct buf *told) must_check;
