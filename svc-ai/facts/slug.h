/* svc-ai/facts/slug.h - the last part of a page's address, made of its title. */
#pragma once

#include "base/buf.h"

enum { SLUG_BYTES = 75 };

/*
 * Append small letters and digits of ASCII with single hyphens between them, at most SLUG_BYTES,
 * cut behind a whole word where one ends in the second half. Letters lose their marks (NFKD), and
 * those of Latin that have no such form are spelled out (ß is ss). Nothing is appended when nothing
 * is left, as of other scripts.
 */
void slug_add(struct text title, struct buf *out);

/* The same of the last part of a URL's path that has one, without its suffix. */
void slug_add_of_url(struct text url, struct buf *out);
