/*
 * svc-ai/model/json/repairer.h - a repair under way: what is at an offset, and what was repaired.
 * repair.c repairs containers with it, repair-text.c strings, words and numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "model/json/repairs.h"

enum repair_place { IN_NAME, IN_OBJECT, IN_ARRAY };

struct repairer {
    struct text text;
    size_t at;
    unsigned depth;
    char close[REPAIR_DEPTH]; /* of the open containers */
    size_t inner_quotes;
    bool is_too_deep;
    struct buf path;
    struct buf *out;
    struct repairs *repairs;
};

void repairer_note(struct repairer *repairer, enum repair_kind kind);
void repairer_guess(struct repairer *repairer);

/* ---- the text at an offset; the end of the text is a NUL ---- */

char repairer_byte(const struct repairer *repairer, size_t at);
bool repairer_begins(const struct repairer *repairer, size_t at, const char *word);

/* Bytes of white space of any script at an offset, or 0. */
size_t repairer_blank(const struct repairer *repairer, size_t at);

/* The offset after white space, without comments. */
size_t repairer_after_blanks(const struct repairer *repairer, size_t at);

/* Bytes of a comma or colon at an offset, also full-width, or 0. */
size_t repairer_comma(const struct repairer *repairer, size_t at);
size_t repairer_colon(const struct repairer *repairer, size_t at);

/* Is a comment here? # and // need white space before them, because http://x and a#1 are words. */
bool repairer_is_comment(const struct repairer *repairer, size_t at);

/* Skip white space and comments, and note them. */
void repairer_skip_blanks(struct repairer *repairer);

/* One of the bytes of a set, and not a NUL, which strchr() finds, too. */
bool repairer_is_one_of(char c, const char *set);

/* A bracket that closes a container; a round one only in a tuple. */
bool repairer_is_close(const struct repairer *repairer, char c);

/* A letter of any script, a digit, _ or $. */
bool repairer_is_word_byte(char c);

/* What opens a string, and what may close it. */
struct repairer_quotes {
    const char *open;
    const char *close[3];
};

/* The quotes that open at an offset; NULL: none. */
const struct repairer_quotes *repairer_quotes_at(const struct repairer *repairer, size_t at);

/* Bytes of a closing quote at an offset, or 0. */
size_t repairer_closing(const struct repairer *repairer, const struct repairer_quotes *quotes,
                        size_t at);

/* The offset after a quoted name or a bare one; `at` if it is neither. */
size_t repairer_after_name(const struct repairer *repairer, size_t at);

/* Bytes of an opening quote at an offset, or 0. */
size_t repairer_quote(const struct repairer *repairer, size_t at);

/* Could a member's name with its colon, or a value, begin here? These look at most
 * REPAIR_AHEAD_BYTES ahead. */
enum { REPAIR_AHEAD_BYTES = 200 };
bool repairer_is_name(const struct repairer *repairer, size_t at);
bool repairer_is_value(const struct repairer *repairer, size_t at);
