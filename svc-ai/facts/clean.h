/*
 * svc-ai/facts/clean.h - what a model wrote, made fit to be shown: nothing that is hidden, nothing
 * that steers, no more than there may be.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum clean {
    CLEAN_LINE = 1 << 0,  /* one line: every run of white space becomes a blank */
    CLEAN_TAGS = 1 << 1,  /* tags of HTML elements go, with what a script or style holds */
    CLEAN_LINKS = 1 << 2, /* a blank parts what Markdown would load or follow: it stays text */
    CLEAN_SHOWN = CLEAN_TAGS | CLEAN_LINKS,
};

/*
 * Append valid UTF-8 by Unicode's NFC, without white space around it, controls other than line feed
 * and tab, bidi controls and characters that show nothing (joiners that make an emoji or spell a
 * word stay). CR LF and CR become LF. Takes as much room as the text has bytes, or a little more:
 * NFC may grow it to three times at most, and CLEAN_LINKS by half.
 */
void clean_text(struct text text, unsigned flags, struct buf *out);

/*
 * Shorten to max_points code points, the ending included, which is added only when something went:
 * behind the last whole word that fits and without punctuation before the ending, or between two
 * graphemes where a word alone takes more than half of the room (no blanks stand between words of
 * some scripts). Did it cut?
 */
bool clean_cut(struct buf *text, size_t max_points, const char *ending);

/* Both: a fresh string, the caller's. */
char *clean_new(struct text text, unsigned flags, size_t max_points, const char *ending);

/* Is there a letter or a digit of any script in it? */
bool clean_says_something(struct text text);

/* Small letters by Unicode's rules, appended. */
void clean_lower(struct text text, struct buf *out);
