/*
 * svc-email/message/encoded-word.h - a header's value as people see it: encoded words decoded
 * (RFC 2047, with the language suffix of RFC 2231), and nothing in it that could play tricks.
 *
 * Lenient: encoded words also count inside quoted strings and without blanks around them, and the
 * bytes of neighbours with one charset are joined before they are converted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* What was met on the way, in all values of a message; the marks are only ever set. */
struct word_faults {
    size_t conversions; /* see WORD_CONVERSIONS_MAX */
    bool has_control;   /* a control, a line separator or a control of direction: now U+FFFD */
    bool has_bad_word;  /* an encoded word that is none: it stays as it is written */
};

/* Words in other charsets than UTF-8 that are decoded for one struct word_faults: opening a
 * converter takes 20 us, and a header of 60 KB has room for 4000. The others are bad words. */
enum { WORD_CONVERSIONS_MAX = 300 };

enum { DISPLAY_MAX_CHARS = 2000, DISPLAY_MAX_BYTES = 4 * DISPLAY_MAX_CHARS };

/* Append the value as valid UTF-8 of one line, at most DISPLAY_MAX_CHARS; out has a ceiling of
 * DISPLAY_MAX_BYTES more than it holds. */
void words_decode(struct text value, struct buf *out, struct word_faults *faults);

/* Append bytes of a charset as UTF-8, what it cannot explain as U+FFFD. By an unknown or empty
 * label bytes are UTF-8 if they can be, else windows-1252. */
void charset_decode(struct text bytes, struct text label, struct buf *out);
