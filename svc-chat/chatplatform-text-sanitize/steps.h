/*
 * svc-chat/chatplatform-text-sanitize/steps.h - the steps of the pipeline: functions over runes
 * that do not depend on the request. A step that returns a number returns the number of changes.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/writing/runes.h"
#include "writing/tokens.h"

/* ---- clean.c: characters ---- */

/*
 * Remove ANSI escape sequences and controls, which are counted separately. Line feeds stay, tabs
 * become blanks, and other line ends become line feeds.
 */
size_t drop_controls(struct runes *runes, size_t *ansi);

/* As drop_controls(), but show them: \n, \t, \x1b. */
size_t show_controls(struct runes *runes);

/*
 * Wrap each line that has direction controls or right-to-left letters in its own isolate, and close
 * its open controls. Counts lines.
 */
size_t isolate_lines(struct runes *runes);

/* At most limit marks on a base; scripts that need marks may have 8. */
size_t limit_marks(struct runes *runes, size_t limit);

/* Replace each run of blanks other than line feeds by one U+0020. */
size_t collapse_blanks(struct runes *runes);

/* At most max line feeds in a row, including blank lines; with 0, each run becomes one blank. */
size_t limit_newlines(struct runes *runes, size_t max);

size_t trim(struct runes *runes);

/*
 * Find letters that are disguised as ASCII. Stores at most `max` places in found, and returns their
 * total number. With replace, replaces them. Letters that belong to a word's script stay.
 */
size_t find_confusables(struct runes *runes, bool replace, struct rune *found, char *ascii,
                        size_t max);

/* ---- rewrite.c: mentions, links, emoji ---- */

enum mentions { MENTIONS_ZERO_WIDTH, MENTIONS_TEXT, MENTIONS_REMOVE, MENTIONS_KEEP };

struct mention_rules {
    enum mentions mode;
    bool kinds[TOKEN_KINDS]; /* affected kinds */
    const cJSON *names;      /* display names by id, for MENTIONS_TEXT; NULL: none */
};

/*
 * Change every mention of these kinds so that it does not ping. In a link the @ becomes %40 in any
 * mode, because the link would break otherwise. Text around a removed mention may form a new
 * mention; after REMOVAL_PASSES passes, the rest is broken up instead.
 */
size_t disarm_mentions(struct runes *text, const struct mention_rules *rules);

/* Modes are the contract's words. */
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

/* Insert backslashes byte for byte as the widely used JavaScript library does, with these flags. */
size_t escape_markdown(struct runes *runes, unsigned flags);

/* Insert one before each character that markdown could interpret. */
size_t escape_strictly(struct runes *runes);

/*
 * Remove paired markers; masked links become `text (url)`. The result contains no more markers:
 * code keeps its backticks if its content would be markdown without them.
 */
size_t strip_markdown(struct runes *runes);

/* For a place without markdown: remove backslashes before marks, and the backticks around code. */
size_t strip_protection(struct runes *runes);
