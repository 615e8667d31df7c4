/*
 * svc-ai/facts/picture.h - read an image's format and size from its bytes, whatever its name or
 * content type says.
 *
 * Reads only headers; decodes nothing. Formats: PNG (W3C, third edition, section 5), JPEG (ITU
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
 * Errors:
 * - ERR_UNSUPPORTED_IMAGE: another format, including SVG and HTML
 * - ERR_INVALID_IMAGE: the header is truncated or broken
 * - ERR_IMAGE_DIMENSIONS: a side of 0 or above PICTURE_SIDE_MAX, or more than PICTURE_PIXELS_MAX
 *
 * animated is false if the bytes end before it can be known.
 */
bool picture_read(struct text bytes, struct picture *picture, struct err *err) must_check;
