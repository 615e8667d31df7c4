/*
 * svc-reports/crawl/kind.h - the kinds of what a page loads.
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

/* By media type (lower case, without parameters); KIND_OTHER when that does not say. */
enum kind kind_of_type(const char *type);

/* Is it worth compressing: text, and what is like text (fonts that are not packed, wasm, icons)? */
bool kind_is_compressible(const char *type);
