/*
 * svc-ai/facts/clean.h - clean a model's text for display: nothing hidden, no control characters,
 * bounded length.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum clean {
    CLEAN_LINE = 1 << 0,  /* one line: each run of white space becomes a blank */
    CLEAN_TAGS = 1 << 1,  /* remove tags of HTML elements, and the contents of scripts and styles */
    CLEAN_LINKS = 1 << 2, /* disable Markdown links and images by a blank, so that they stay text */
    CLEAN_SHOWN = CLEAN_TAGS | CLEAN_LINKS,
};

/*
 * Append valid UTF-8 in NFC, trimmed, without control characters except line feed and tab, bidi
 * controls and invisible characters. Joiners that form an emoji or spell a word stay. CR LF and CR
 * become LF. The result has at most three times the bytes (NFC); CLEAN_LINKS adds at most half.
 */
void clean_text(struct text text, unsigned flags, struct buf *out);

/*
 * Shorten to max_points code points, including the ending, which is added only after a cut. Cuts
 * after the last whole word that fits, without punctuation before the ending. If one word takes
 * more than half of the limit (some scripts have no blanks), cuts between two graphemes. Returns
 * whether it cut.
 */
bool clean_cut(struct buf *text, size_t max_points, const char *ending);

/* clean_text() and clean_cut(). Returns a new string, owned by the caller. */
char *clean_new(struct text text, unsigned flags, size_t max_points, const char *ending);

/* Whether the text has a letter or a digit of any script. */
bool clean_says_something(struct text text);

/* Append the text in lower case by Unicode's rules. */
void clean_lower(struct text text, struct buf *out);
