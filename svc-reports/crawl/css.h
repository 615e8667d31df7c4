/*
 * svc-reports/crawl/css.h - what a style sheet makes a browser load, read as CSS Syntax Level 3 has
 * it: any bytes are a style sheet, nothing is an error, and time is linear.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum css_use {
    CSS_IMPORT, /* @import whose media fit the screen of crawl/media.h */
    CSS_FONT,   /* of an @font-face that has the letters of this alphabet: woff2, or else the first
                 * form that browsers read */
    CSS_IMAGE,  /* any other url(): backgrounds, lists, cursors, masks */
};

enum { CSS_URL_BYTES = 4096 /* a longer URL is left out, as is data: */ };

/* Called with each URL in the order of the sheet, escapes decoded, without blanks around it;
 * borrowed until it returns. Of @font-face it is called at its end. */
typedef void css_found(enum css_use use, struct text url, void *context);

/* Read a whole sheet, or the declarations of a style attribute. What stands in @media that do not
 * fit the screen is left out. */
void css_read(struct text sheet, css_found *found, void *context);
