/* common/base/writing/unseen.h - removes invisible characters from a text, or shows them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runes.h"

/*
 * Remove invisible characters and direction controls, each if requested; line and paragraph
 * separators become line feeds. Emoji sequences, joiners that belong to a spelling, and a single
 * blank pattern in a text with other Braille patterns stay.
 */
struct unseen {
    size_t invisible;
    size_t bidi;
};
struct unseen drop_invisible(struct runes *runes, bool invisible, bool bidi);
struct unseen show_invisible(struct runes *runes); /* as \u{200b} */
