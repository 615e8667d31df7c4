/* svc-chat/writing/cut.h - shorten a text where nothing is torn. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/writing/runes.h"

/* Cut to limit runes, with an ellipsis as the last when told so: never inside a grapheme, a token
 * or an escape pair; a fence that is open is closed when there is room. Did it cut? */
bool cut(struct runes *runes, size_t limit, bool ellipsis);
