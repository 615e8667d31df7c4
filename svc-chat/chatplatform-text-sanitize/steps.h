/*
 * svc-chat/chatplatform-text-sanitize/steps.h - the steps of the pipeline, each a function over
 * runes that knows nothing of requests. A step that returns a number counts what it changed.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/writing/runes.h"
#include "writing/tokens.h"

/* ---- clean.c: characters ---- */

/* ANSI escape sequences and controls go, but line feeds stay, tabs become blanks and the other line
 * ends line feeds. Counted apart. */
size_t drop_controls(struct runes *runes, size_t *ansi);

/* The same, shown instead: \n, \t, \x1b. */
size_t show_controls(struct runes *runes);

/* Each line that has bidi controls or letters of a right-to-left script stands in an isolate of its
 * own, with no control of its own left open. Counts lines. */
size_t isolate_lines(struct runes *runes);

/* At most limit marks on a base; scripts that need marks may have 8. */
size_t limit_marks(struct runes *runes, size_t limit);

/* Blanks other than line feeds: each run becomes one U+0020. */
size_t collapse_blanks(struct runes *runes);

/* At most max line feeds in a row, blank lines included; with 0 each run becomes one blank. */
size_t limit_newlines(struct runes *runes, size_t max);

size_t trim(struct runes *runes);

/* Letters made to look like ASCII ones. Fills at most `max` places into found, returns how many
 * there are; replaces them when told so. What a word is spelled with in its own script stays. */
size_t find_confusables(struct runes *runes, bool replace, struct rune *found, char *ascii,
                        size_t max);

/* ---- rewrite.c: mentions, links, emoji ---- */

enum mentions { MENTIONS_ZERO_WIDTH, MENTIONS_TEXT, MENTIONS_REMOVE, MENTIONS_KEEP };

struct mention_rules {
    enum mentions mode;
    bool kinds[TOKEN_KINDS]; /* which of them */
    const cJSON *names;      /* display names by id, for MENTIONS_TEXT; NULL: none */
};

/* Take the power to ping from every mention of these kinds; inside a link, which would break, the @
 * becomes %40 whatever the mode. What is left around one that was
 * removed may be a mention itself; when that goes on for long, the rest is broken instead. */
size_t disarm_mentions(struct runes *text, const struct mention_rules *rules);

/* Modes are the words of the contract. */
size_t rewrite_links(struct runes *text, const char *mode);
size_t rewrite_emoji(struct runes *text, const char *mode);

/* ---- escape.c, strip.c: markdown ---- */

enum {
    ESCAPE_ESCAPE = 1 << 0,
    ESCAPE_INLINE_CODE = 1 << 1,
    ESCAPE_CODE_BLOCK = 1 << 2,
    ESCAPE_ITALIC = 1 << 3,
    ESCAPE_BOLD = 1 << 4,
    ESCAPE_UNDERLINE = 1 << 5,
    ESCAPE_STRIKETHROUGH = 1 << 6,
    ESCAPE_SPOILER = 1 << 7,
    ESCAPE_HEADING = 1 << 8,
    ESCAPE_BULLETED_LIST = 1 << 9,
    ESCAPE_NUMBERED_LIST = 1 << 10,
    ESCAPE_MASKED_LINK = 1 << 11,
    ESCAPE_QUOTE = 1 << 12,
    ESCAPE_BLOCK_QUOTE = 1 << 13,
    ESCAPE_CODE_BLOCK_CONTENT = 1 << 14,
    ESCAPE_INLINE_CODE_CONTENT = 1 << 15,
    ESCAPE_ALL = (1 << 16) - 1,
};

/* Put backslashes as the widely used JavaScript library does, byte for byte, with these flags. */
size_t escape_markdown(struct runes *runes, unsigned flags);

/* Put one before each character that markdown could mean something by: leaves nothing open. */
size_t escape_strictly(struct runes *runes);

/* Take paired markers out; masked links become `text (url)`. What is left has no more of them: code
 * keeps its backticks when its content would be markdown without them. */
size_t strip_markdown(struct runes *runes);

/* Take out what kept the rest from being markdown, for a place that knows none: backslashes before
 * marks and the backticks around code. */
size_t strip_protection(struct runes *runes);
