/*
 * svc-security/seo-analyze/factors/link-header.h - the Link header of HTTP (RFC 8288).
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* One link; texts are borrowed, without quotes, and empty if missing. */
struct header_link {
    struct text url;
    struct text rel; /* space-separated words */
    struct text hreflang;
};

/* Cut the first link off *value. Returns false at the end or at invalid syntax. */
bool header_link_next(struct text *value, struct header_link *link);

bool header_link_has_rel(const struct header_link *link, const char *rel);
