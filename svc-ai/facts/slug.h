/* svc-ai/facts/slug.h - make the last part of a page's URL from its title. */
#pragma once

#include "base/buf.h"

enum { SLUG_BYTES = 75 };

/*
 * Append lower-case ASCII letters and digits with single hyphens between them, at most SLUG_BYTES.
 * Cuts after a whole word if one ends in the second half. Letters lose their marks (NFKD); other
 * Latin letters are spelled out (ß is ss). Appends nothing if nothing is left, as for other
 * scripts.
 */
void slug_add(struct text title, struct buf *out);

/* The same for the last non-empty part of a URL's path, without its suffix. */
void slug_add_of_url(struct text url, struct buf *out);
