/* svc-security/seo-analyze/survey/sitemap.h - recognize a sitemap (sitemaps.org protocol 0.9) and
 * count its entries. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { SITEMAP_URLS_MAX = 50000 /* limit of the protocol per file */ };

struct sitemap {
    bool is_xml;   /* valid XML, as far as read */
    bool is_index; /* sitemapindex, otherwise urlset */
    bool is_known; /* the root is one of the two */
    size_t urls;   /* number of entries */
};

/* Read a file, plain or gzip. is_cut: the file is truncated, so an early end is not an error. */
void sitemap_read(struct text text, bool is_cut, struct sitemap *sitemap);
