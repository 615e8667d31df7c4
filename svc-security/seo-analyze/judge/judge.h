/*
 * svc-security/seo-analyze/judge/judge.h - the factors of factor.def, from what was fetched. Needs
 * no network.
 */
#pragma once

#include "net/http/fetch.h"
#include "report.h"
#include "seo-analyze/survey/robots.h"
#include "seo-analyze/survey/survey.h"

/* Another file of the site. */
struct resource {
    int status; /* 0: it was not fetched, or nothing answered */
    struct text body;
    bool is_cut;
};

/* One page and what stands around it; all borrowed. */
struct subject {
    const struct fetch *page;
    const struct survey *survey; /* NULL: it is no HTML page */
    struct resource robots_file;
    const struct robots *robots; /* what that says; empty when it says nothing */
    struct resource sitemap_file;
    struct resource favicon; /* fetched when the page names no icon */
    int64_t now_ms;
};

/* Fill the whole report. Without a survey only what every answer shows is judged. */
void judge(const struct subject *subject, struct report *report);

/* Its parts; those but the last two need a survey. */
void judge_content(const struct subject *subject, struct report *report);
void judge_links(const struct subject *subject, struct report *report);
void judge_canonical(const struct subject *subject, struct report *report);
void judge_social(const struct subject *subject, struct report *report);
void judge_data(const struct subject *subject, struct report *report);
void judge_markup(const struct subject *subject, struct report *report);
void judge_crawl(const struct subject *subject, struct report *report);
void judge_answer(const struct subject *subject, struct report *report);

/* "" for NULL. */
static inline const char *judge_text(const char *text)
{
    return text ? text : "";
}

/* The page's canonical URL as it says itself, else its own URL, in canonical form; the caller's.
 */
char *judge_canonical_url(const struct subject *subject);
