/*
 * svc-utils/qr-generate/segments.h - divides a text into segments of digits, capitals and bytes, so
 * that it takes the fewest bits (ISO/IEC 18004 section 7.4).
 *
 * The number of bits decides which versions and levels hold a text. To know them before encoding
 * matters: libqrencode takes most of its time to choose a mask, each time that it encodes.
 */
#pragma once

#include <qrencode.h>
#include <stdbool.h>

#include "base/buf.h"

enum { SEGMENTS_CLASSES = 3 }; /* versions 1 to 9, 10 to 26 and 27 to 40 have other lengths */

/* The bits of a text for each class of versions. */
struct segments_bits {
    int of[SEGMENTS_CLASSES];
};

/* Only ASCII text without NUL is divided; has_mark: with the mark of its character set (ECI). */
void segments_measure(struct text text, bool has_mark, struct segments_bits *bits);

/* The smallest version that holds the bits; 0: none does. */
int segments_version(const struct segments_bits *bits, QRecLevel level);

/* Does this version hold them? */
bool segments_fit(const struct segments_bits *bits, int version, QRecLevel level);

/* Append the text to the input of a symbol of this version; false with errno set as libqrencode
 * does. */
bool segments_append(struct text text, int version, QRinput *input);
