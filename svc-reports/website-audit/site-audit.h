/*
 * svc-reports/website-audit/site-audit.h - a whole audit: what was requested, the sections, the
 * score and the result.
 */
#pragma once

#include "website-audit/issues.h"
#include "website-audit/sections.h"

enum {
    OK_MIN = 3,      /* a report needs this many sections, or all requested ones if fewer */
    TOP_ISSUES = 15, /* in the report */
};

struct site_audit {
    const struct site *site; /* NULL: no texts to copy */
    const char *url;         /* canonical */
    const char *final_url;   /* URL after redirects; NULL if the page was not fetched */
    bool is_requested[SECTIONS];
    struct section section[SECTIONS];
    struct name_servers servers;
    struct issues issues;
    int ok, failed; /* number of requested sections */
    int score;      /* SCORE_NONE if no section has a score */
    const char *grade;
    int64_t duration_ms;
    int64_t now_ms; /* wall clock at the start */
};

/* Assess the sections with status SECTION_OK, and the site. Returns false if too few succeeded for
 * a report, with the first failure in section order as the error. */
bool site_audit_assess(struct site_audit *audit, struct err *err);

/* Summarize in one paragraph: grade, issues, failed sections. */
void site_audit_summarize(const struct site_audit *audit, struct buf *out);

/* Add the members of the result. Takes ownership of the sections' results. */
void site_audit_write(struct site_audit *audit, cJSON *result);

void site_audit_free(struct site_audit *audit);
