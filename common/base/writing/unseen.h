/*
 * common/base/writing/unseen.h - characters that nobody sees, taken out of a text or shown in it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runes.h"

/* Invisible characters and bidi controls go, each when told so; line and paragraph separators
 * become line feeds. Sequences of emoji and joiners that spell a word stay whole. */
struct unseen {
    size_t invisible;
    size_t bidi;
};
struct unseen drop_invisible(struct runes *runes, bool invisible, bool bidi);
struct unseen show_invisible(struct runes *runes); /* as \u{200b} */
