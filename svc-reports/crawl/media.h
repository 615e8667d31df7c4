/*
 * svc-reports/crawl/media.h - does a media query match the reports' virtual screen: 1366 by 768
 * pixels, 1 device pixel per CSS pixel, a mouse, light colors?
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"

enum { SCREEN_WIDTH = 1366, SCREEN_HEIGHT = 768, EM_PIXELS = 16 };

/* A list of queries of Media Queries Level 3 (no Level 4 ranges). "" and unknown features match. */
bool media_fits(struct text queries);

/* Is the list for print only: does no query match a screen of any size? */
bool media_is_print(struct text queries);

/* The length at the start of the text: "640px", "50vw", "40em", "0". Returns false for anything
 * else. */
bool media_length(struct text text, double *pixels);
