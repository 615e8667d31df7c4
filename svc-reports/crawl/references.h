/*
 * svc-reports/crawl/references.h - what a page makes a browser load, and what else its markup says
 * of its speed; from the markup alone, no script runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "crawl/css.h"
#include "probe/page.h"

/* What a reference is for. */
enum use {
    USE_STYLE,
    USE_SCRIPT,
    USE_IMAGE,   /* an img element */
    USE_PICTURE, /* any other image: of a style, an icon, a poster, an input */
    USE_FONT,
    USE_MEDIA,
    USE_FRAME,
    USE_MANIFEST,
    USE_OTHER,
};

struct reference {
    char *url; /* as written, without blanks around it; relative to the page's base */
    enum use use;
    bool blocks;          /* rendering waits for it */
    bool is_import;       /* an @import of a style in the page */
    bool is_lazy;         /* an image that is loaded when it comes into view */
    bool lacks_size;      /* an image without width and height */
    bool is_eager_late;   /* an image beyond the fifth that is not lazy */
    bool has_modern_form; /* an image with a source of AVIF or WebP */
};

enum {
    REFERENCES_MAX = 5000, /* later ones are counted in is_cut alone */
    IMAGES_EAGER = 5,      /* may be above the fold */
    STYLE_IMAGES_MAX = 20, /* of one sheet; when there are more, many of them are never shown */
};

/* By value; a zero struct is empty; release with references_free(). */
struct references {
    size_t count;
    size_t capacity;
    struct reference *item; /* in document order */
    bool is_cut;
    size_t elements;
    size_t max_depth; /* elements whose end tag may be left out (p, li, td, …) are no levels */
    size_t images;    /* img elements */
    size_t inline_script_bytes;
    size_t inline_style_bytes;
};

void references_read(const struct page *page, struct references *references);
void references_free(struct references *references);

/* Add what a sheet loads; is_import marks its imports, which is what the page's own sheets have. */
void references_add_sheet(struct text sheet, struct references *references);
