/*
 * svc-security/seo-analyze/factors/factors.h - rate the factors of factor.def from fetched files.
 * No network access.
 */
#pragma once

#include "net/http/fetch.h"
#include "report.h"
#include "seo-analyze/survey/robots.h"
#include "seo-analyze/survey/survey.h"

/* Another file of the site. */
struct resource {
    int status; /* 0: not fetched, or no response */
    struct text body;
    bool is_cut;
};

/* A page and its related files; all borrowed. */
struct subject {
    const struct fetch *page;
    const struct survey *survey; /* NULL if it is not an HTML page */
    struct resource robots_file;
    const struct robots *robots; /* parsed robots.txt; may be empty */
    struct resource sitemap_file;
    struct resource favicon; /* fetched if the page has no icon */
    int64_t now_ms;
};

/* Fill the whole report. Without a survey, only factors of the response are rated. */
void rate_page(const struct subject *subject, struct report *report);

/* Parts of rate_page(); all but the last two require a survey. */
void rate_content(const struct subject *subject, struct report *report);
void rate_links(const struct subject *subject, struct report *report);
void rate_canonical(const struct subject *subject, struct report *report);
void rate_social(const struct subject *subject, struct report *report);
void rate_data(const struct subject *subject, struct report *report);
void rate_markup(const struct subject *subject, struct report *report);
void rate_crawl(const struct subject *subject, struct report *report);
void rate_response(const struct subject *subject, struct report *report);

/* The text, or "" for NULL. */
static inline const char *rate_text(const char *text)
{
    return text ? text : "";
}

/* Call seen() for each language version that the page declares, in markup and Link headers. */
typedef void rate_version_seen(const char *lang, const char *href, void *context);
void rate_each_version(const struct subject *subject, rate_version_seen *seen, void *context);

/* The page's declared canonical URL, otherwise its own URL, in canonical form. The caller frees
 * it. */
char *rate_canonical_url(const struct subject *subject);
