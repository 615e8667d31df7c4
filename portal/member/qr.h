/*
 * portal/member/qr.h - a text as a QR code (ISO/IEC 18004), drawn as SVG, for authenticator apps.
 */
#pragma once

#include "base/buf.h"

enum { QR_SVG_MAX_BYTES = 256 << 10 };

/* Append the picture. label is its text for screen readers, and must not need escaping. False: the
 * text is too long for a code. */
bool qr_svg(const char *text, const char *label, struct buf *svg);
