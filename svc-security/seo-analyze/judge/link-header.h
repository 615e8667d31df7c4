/*
 * svc-security/seo-analyze/judge/link-header.h - the Link header of HTTP (RFC 8288).
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* One link; borrowed from the value, without quotes, empty where it says nothing. */
struct header_link {
    struct text url;
    struct text rel; /* words */
    struct text hreflang;
};

/* Take the first link off *value; false at the end, and at what is no link. */
bool header_link_next(struct text *value, struct header_link *link);

bool header_link_has_rel(const struct header_link *link, const char *rel);
