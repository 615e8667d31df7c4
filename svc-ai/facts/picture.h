/*
 * svc-ai/facts/picture.h - what a picture is by its bytes, whatever its name or content type says.
 *
 * Only heads are read: nothing is decoded. Formats: PNG (W3C, third edition, section 5), JPEG (ITU
 * T.81, annex B), GIF (CompuServe 89a), WebP (RFC 9649).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum {
    PICTURE_SIDE_MAX = 8192,
    PICTURE_PIXELS_MAX = 40000000,
};

struct picture {
    const char *format; /* "png", "jpeg", "gif", "webp" */
    const char *mime;   /* "image/png" */
    int64_t width, height;
    bool animated;
};

/*
 * Errors: ERR_UNSUPPORTED_IMAGE for any other format (SVG and HTML too), ERR_INVALID_IMAGE for a
 * head that is cut off or broken, ERR_IMAGE_DIMENSIONS for a side of 0 or above PICTURE_SIDE_MAX
 * and for more than PICTURE_PIXELS_MAX. What only the whole file tells (`animated`) is false where
 * the bytes end early.
 */
bool picture_read(struct text bytes, struct picture *picture, struct err *err) must_check;
