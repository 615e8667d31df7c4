/* svc-security/seo-analyze/survey/sitemap.h - is it a sitemap (sitemaps.org protocol 0.9), and how
 * large?
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { SITEMAP_URLS_MAX = 50000 /* that the protocol allows in one file */ };

struct sitemap {
    bool is_xml;   /* as far as it was read */
    bool is_index; /* sitemapindex; else urlset */
    bool is_known; /* its root is one of the two */
    size_t urls;   /* entries */
};

/* Read a file, plain or compressed by gzip; is_cut: it ends early, which is no fault of its own. */
void sitemap_read(struct text text, bool is_cut, struct sitemap *sitemap);
