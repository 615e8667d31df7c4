/*
 * svc-security/seo-analyze/site-pages.h - compare several pages of one site: duplicate titles, and
 * language versions that do not point back. No network access.
 */
#pragma once

#include "factors/factors.h"

enum {
    SITE_PAGES_MAX = 11, /* the page itself, and ten others */
    SITE_VERSIONS_MAX = 200,
};

enum site_outcome {
    SITE_NOT_FETCHED, /* time ran out */
    SITE_COMPARED,
    SITE_DISALLOWED, /* by robots.txt, or robots.txt is not available */
    SITE_REDIRECT,
    SITE_ERROR_STATUS,
    SITE_NOT_HTML,
    SITE_NO_RESPONSE,
};

struct site_version {
    char *lang;
    char *url; /* in canonical form */
};

/* One page. Free it with site_page_free(). */
struct site_page {
    char *url;
    enum site_outcome outcome;
    int status;      /* 0: no response */
    char *title;     /* if compared; NULL: none */
    char *canonical; /* if compared */
    size_t version_count;
    struct site_version *version;
};

/* Keep what a comparison needs of a page with status 200; url is set. */
void site_page_read(const struct subject *subject, struct site_page *page);

/* Add what the comparison shows to the result. */
void site_pages_write(const struct site_page *pages, size_t count, cJSON *comparison);

void site_page_free(struct site_page *page);
