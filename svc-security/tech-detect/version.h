/* svc-security/tech-detect/version.h - compare versions, and choose the best of several on a page.
 */
#pragma once

#include "base/buf.h"

enum { VERSION_BYTES = 21 /* at most 20 characters */ };

/* Compare part by part: the numbers, then the text after the digits. Returns below 0, 0 or above
 * 0. */
int version_compare(const char *a, const char *b);

/* Keep the better of two versions in `version`, which may be "": the one with more parts, or the
 * higher one. Strips a leading v and trailing dots. Ignores candidates over 20 characters and bare
 * hashes. */
void version_offer(char version[static VERSION_BYTES], struct text candidate);
