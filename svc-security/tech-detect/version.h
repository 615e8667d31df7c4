/* svc-security/tech-detect/version.h - choose the best of several versions on a page. */
#pragma once

#include "base/buf.h"

enum { VERSION_BYTES = 21 /* at most 20 characters */ };

/* Keep the better of two versions in `version`, which may be "": the one with more parts, or the
 * higher one. Strips a leading v and trailing dots. Ignores candidates over 20 characters and bare
 * hashes. */
void version_offer(char version[static VERSION_BYTES], struct text candidate);
