/*
 * svc-reports/website-audit/site-audit.h - an audit as a whole: what was asked for, what its parts
 * say, and what that comes to.
 */
#pragma once

#include "website-audit/issues.h"
#include "website-audit/sections.h"

enum {
    OK_MIN = 3,      /* fewer parts than this are no report, unless fewer were asked for */
    TOP_ISSUES = 15, /* that the report lists */
};

struct site_audit {
    const char *url;       /* canonical, as asked for */
    const char *final_url; /* where the page was; NULL: it was not fetched, or not found */
    bool is_asked[SECTIONS];
    struct section section[SECTIONS];
    struct name_servers servers;
    struct issues issues;
    int ok, failed; /* of the parts that were asked for */
    int score;      /* SCORE_NONE: no part that is ok has one */
    const char *grade;
    int64_t duration_ms;
    int64_t now_ms; /* wall clock, when it began */
};

/* Judge the parts that are ok, and all together. False: too little came for a report, and err says
 * why: the first failure, in the order of the parts. */
bool site_audit_judge(struct site_audit *audit, struct err *err);

/* In one paragraph: the grade, what is missing, what to begin with. */
void site_audit_say(const struct site_audit *audit, struct buf *out);

/* Add the members of the result; what stands in the sections is taken over. */
void site_audit_write(struct site_audit *audit, cJSON *result);

void site_audit_free(struct site_audit *audit);
