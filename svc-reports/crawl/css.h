/*
 * svc-reports/crawl/css.h - find the URLs that a style sheet makes a browser load, by CSS Syntax
 * Level 3. Any bytes are a valid style sheet, and the time is linear.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum css_use {
    CSS_IMPORT, /* @import whose media match the screen of crawl/media.h */
    CSS_FONT,   /* of an @font-face with Latin letters: woff2, otherwise the first format that
                 * browsers support */
    CSS_IMAGE,  /* any other url(): backgrounds, lists, cursors, masks */
};

enum { CSS_URL_BYTES = 4096 /* longer URLs and data: URLs are left out */ };

/* Called with each URL in the order of the sheet, with escapes decoded and without surrounding
 * blanks. The URL is valid until the function returns. For @font-face it is called at the end of
 * the rule. */
typedef void css_found(enum css_use use, struct text url, void *context);

/* Read a whole sheet, or the declarations of a style attribute. Skips @media that do not match the
 * screen. */
void css_read(struct text sheet, css_found *found, void *context);
