/*
 * svc-reports/crawl/srcset.h - which of several pictures a browser takes (HTML standard, 4.8.4.2.2
 * and 4.8.4.3.10), on the screen of crawl/media.h.
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"

/* The candidate of a srcset attribute whose density is the least that is at least 1, else the
 * largest; of equal ones the first. sizes is that attribute, "" when there is none. src, the
 * attribute, is a candidate too where no width is stated; "" when there is none. False when there
 * is no candidate at all. */
bool srcset_choose(struct text srcset, struct text sizes, struct text src, struct text *url);
