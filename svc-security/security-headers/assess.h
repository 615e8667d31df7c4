/*
 * svc-security/security-headers/assess.h - assess a site's responses. No network access.
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

/* The responses; all borrowed. https or http may be NULL (no response), but not both. */
struct responses {
    const struct fetch *https;         /* response for the https URL, after redirects */
    const struct fetch *http;          /* response for the http URL */
    bool http_loops;                   /* the http URL responds, but its redirects do not end */
    const struct fetch_hop *preflight; /* response to OPTIONS, or NULL */
    const char *origin;                /* origin of the preflight request */
};

/* Free it with assessment_free(). The responses must outlive it. */
struct assessment {
    const struct responses *responses;
    const struct knowledge *knowledge;
    const struct fetch *main;     /* the https response if available */
    const struct fetch_hop *page; /* last hop of main */
    struct markup markup;
    struct csp csp;
    struct csp csp_report_only;
    struct csp_findings findings;
    struct csp_findings report_only_findings;
    struct cookies cookies;
    struct hsts hsts; /* zero without the header */
    enum result result[CHECKS];
    int score_uncapped; /* at least 0 */
};

void assess(const struct responses *responses, const struct knowledge *knowledge,
            const struct public_suffixes *suffixes, struct assessment *assessment);
void assessment_free(struct assessment *assessment);

int assessment_score(const struct assessment *assessment);
const char *assessment_grade(const struct assessment *assessment);

const char *check_name(enum check check);

/* ---- the twelve checks, in checks-*.c ---- */

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

/* Is there a Strict-Transport-Security header with one max-age and without a comma? */
bool is_hsts_valid(const struct assessment *assessment);

/* The effective Referrer-Policy of headers and markup; empty: no known token.
 * *is_present: is there any value? */
struct text referrer_policy(const struct assessment *assessment, bool *is_present);

/* All values of a header of the page as one list. Returns false without the header. */
bool page_header(const struct assessment *assessment, const char *name, struct buf *list);
