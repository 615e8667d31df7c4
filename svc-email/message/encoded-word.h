/*
 * svc-email/message/encoded-word.h - decode a header value for display: encoded words (RFC 2047,
 * with the language suffix of RFC 2231), without characters that could mislead.
 *
 * Lenient: encoded words also count inside quoted strings and without blanks around them. The bytes
 * of neighbors with one charset are joined before conversion.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Problems in all values of a message. Flags are only ever set. */
struct word_faults {
    size_t conversions; /* see WORD_CONVERSIONS_MAX */
    bool has_control;   /* control, line separator or direction control, replaced by U+FFFD */
    bool has_bad_word;  /* an invalid encoded word, left unchanged */
};

/* Limit of words in other charsets than UTF-8 that are decoded for one struct word_faults. Opening
 * a converter takes 20 us, and a header of 60 KB can have 4000. Further ones count as bad words. */
enum { WORD_CONVERSIONS_MAX = 300 };

enum { DISPLAY_MAX_CHARS = 2000, DISPLAY_MAX_BYTES = 4 * DISPLAY_MAX_CHARS };

/* Append the value as one line of valid UTF-8, at most DISPLAY_MAX_CHARS. out needs room for
 * DISPLAY_MAX_BYTES more. */
void words_decode(struct text value, struct buf *out, struct word_faults *faults);

/* Append bytes of a charset as UTF-8; unmapped bytes become U+FFFD. With an unknown or empty label,
 * bytes are UTF-8 if valid, otherwise windows-1252. */
void charset_decode(struct text bytes, struct text label, struct buf *out);
