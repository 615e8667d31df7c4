/* svc-chat/writing/cut.h - shortens a text at a safe place. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/writing/runes.h"

/*
 * Cut to limit runes, optionally with an ellipsis as the last: never inside a grapheme, a token or
 * an escape pair. An open fence is closed if there is space. Returns whether it cut.
 */
bool cut(struct runes *runes, size_t limit, bool ellipsis);
