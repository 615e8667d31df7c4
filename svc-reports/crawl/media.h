/*
 * svc-reports/crawl/media.h - does a media query fit the screen that the reports imagine: 1366 by
 * 768 pixels, one device pixel each, a mouse, light colours.
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"

enum { SCREEN_WIDTH = 1366, SCREEN_HEIGHT = 768, EM_PIXELS = 16 };

/* A list of queries (Media Queries Level 3, and of Level 4 no ranges): "" fits, so does what asks
 * for features that are not known here. */
bool media_fits(struct text queries);

/* Is it for paper alone: does no query of the list mean a screen, whatever its size? */
bool media_is_print(struct text queries);

/* A length as it begins the text: "640px", "50vw", "40em", "0"; false for anything else. */
bool media_length(struct text text, double *pixels);
