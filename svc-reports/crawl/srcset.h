/*
 * svc-reports/crawl/srcset.h - which image candidate a browser selects (HTML standard, 4.8.4.2.2
 * and 4.8.4.3.10) on the screen of crawl/media.h.
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"

/* Select the srcset candidate with the smallest density of at least 1, otherwise the largest; the
 * first of equal ones.
 *
 * - sizes: the attribute, or ""
 * - src: the attribute, or ""; it is a candidate too if no candidate has a width
 *
 * Returns false without any candidate. */
bool srcset_choose(struct text srcset, struct text sizes, struct text src, struct text *url);
