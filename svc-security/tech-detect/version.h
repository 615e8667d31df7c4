/* svc-security/tech-detect/version.h - the best of several versions that a page shows. */
#pragma once

#include "base/buf.h"

enum { VERSION_BYTES = 21 /* of at most 20 characters */ };

/* Keep the better of two versions, the one with more parts or the higher one, in version, which
 * may be "". A leading v and final dots go; what is no version (more than 20 characters, a bare
 * hash) is left out. */
void version_offer(char version[static VERSION_BYTES], struct text candidate);
