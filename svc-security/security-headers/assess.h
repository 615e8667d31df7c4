/*
 * svc-security/security-headers/assess.h - the judgement: what was seen of a site, and what is to
 * be said of it. Nothing here goes out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cookies.h"
#include "hsts.h"
#include "knowledge.h"
#include "markup.h"
#include "net/http/fetch.h"
#include "results.h"
#include "security-headers/csp/csp.h"
#include "security-headers/csp/findings.h"

/* What was seen; all of it borrowed. https or http may be NULL (no answer), not both. */
struct seen {
    const struct fetch *https; /* the https form of the URL, redirects followed */
    const struct fetch *http;  /* the http form */
    bool http_loops;           /* the http form is answered, but its redirects have no end */
    const struct fetch_hop *preflight; /* the answer to OPTIONS; NULL: none */
    const char *origin;                /* that it asked for */
};

/* By value; release with assessment_free(). What was seen must outlive it. */
struct assessment {
    const struct seen *seen;
    const struct knowledge *knowledge;
    const struct fetch *main;     /* the https answer if there is one */
    const struct fetch_hop *page; /* its last hop */
    struct markup markup;
    struct csp csp;
    struct csp csp_report_only;
    struct csp_findings findings;
    struct csp_findings report_only_findings;
    struct cookies cookies;
    struct hsts hsts; /* zero when there is no header */
    enum result result[CHECKS];
    int score_uncapped; /* 0 or more */
};

void assess(const struct seen *seen, const struct knowledge *knowledge,
            const struct public_suffixes *suffixes, struct assessment *assessment);
void assessment_free(struct assessment *assessment);

int assessment_score(const struct assessment *assessment);
const char *assessment_grade(const struct assessment *assessment);

const char *check_name(enum check check);

/* ---- the twelve checks: in checks-*.c ---- */

typedef enum result check_run(const struct assessment *assessment);

check_run check_csp;
check_run check_hsts;
check_run check_redirection;
check_run check_cookies;
check_run check_cors;
check_run check_referrer;
check_run check_sri;
check_run check_xcto;
check_run check_xfo;
check_run check_corp;
check_run check_coop;
check_run check_coep;

/* Is there a Strict-Transport-Security with one max-age and without a comma? */
bool is_hsts_valid(const struct assessment *assessment);

/* The token that Referrer-Policy comes down to, of headers and markup; an empty text: none that is
 * known. *is_present: was there anything at all? */
struct text referrer_policy(const struct assessment *assessment, bool *is_present);

/* All values of a header of the page as one list. False when there is none. */
bool page_header(const struct assessment *assessment, const char *name, struct buf *list);
