/*
 * svc-reports/crawl/references.h - the resources that a page's markup loads, and facts of the
 * markup that affect speed. Runs no scripts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "crawl/css-sizes.h"
#include "crawl/css.h"
#include "probe/page.h"

/* Use of a reference. */
enum use {
    USE_STYLE,
    USE_SCRIPT,
    USE_IMAGE,   /* an img element */
    USE_PICTURE, /* any other image: in a style, an icon, a poster, an input */
    USE_FONT,
    USE_MEDIA,
    USE_FRAME,
    USE_MANIFEST,
    USE_OTHER,
};

struct resource;

struct reference {
    char *url; /* as written, trimmed; relative to the page's base URL */
    enum use use;
    bool blocks;               /* blocks rendering */
    bool is_import;            /* @import in an inline style */
    bool is_lazy;              /* image with loading=lazy */
    bool is_unsized;           /* image without width or height, in attributes or style */
    char *classes, *id;        /* of an image that is_unsized; NULL: none */
    struct resource *resource; /* what it loads, set by the crawl; NULL: none */
    bool is_eager_late;        /* image after the fifth without loading=lazy */
    bool has_modern_form;      /* image with an AVIF or WebP source */
};

enum {
    REFERENCES_MAX = 5000, /* more set is_cut */
    IMAGES_EAGER = 5,      /* images that may be above the fold */
    STYLE_IMAGES_MAX = 20, /* of one sheet; if it has more, none counts */
};

/* A zero struct is empty. Free it with references_free(). */
struct references {
    size_t count;
    size_t capacity;
    struct reference *item; /* in document order */
    bool is_cut;
    size_t elements;
    size_t max_depth; /* without elements whose end tag is optional (p, li, td, …) */
    size_t images;    /* img elements */
    size_t inline_script_bytes;
    size_t inline_style_bytes;
    struct size_rules sizes; /* of the sheets */
};

void references_read(const struct page *page, struct references *references);
void references_free(struct references *references);

/* Add the resources of a sheet; is_import marks its imports, as in inline styles. */
void references_add_sheet(struct text sheet, struct references *references);
