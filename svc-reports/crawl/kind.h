/*
 * svc-reports/crawl/kind.h - the kinds of a page's resources.
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"

enum kind {
    KIND_HTML,
    KIND_CSS,
    KIND_JAVASCRIPT,
    KIND_IMAGE,
    KIND_FONT,
    KIND_MEDIA,
    KIND_JSON,
    KIND_OTHER,
    KINDS,
};

/* "html", "css", "javascript", … */
const char *kind_name(enum kind kind);

/* By media type, in lower case and without parameters; KIND_OTHER if unknown. */
enum kind kind_of_type(const char *type);

/* Is it compressible: text, or similar to text (uncompressed fonts, wasm, icons)? */
bool kind_is_compressible(const char *type);
