/*
 * svc-security/security-headers/markup.h - what a page says in its markup: meta tags that stand for
 * headers, and the scripts that it loads.
 */
#pragma once

#include <stdbool.h>

#include "net/http/fetch.h"
#include "security-headers/csp/csp.h"
#include "text/domains/public-suffix.h"

/* How the scripts with a src are loaded. */
struct scripts {
    bool has_any;
    bool has_external;    /* of another site, or not by HTTPS */
    bool has_own_checked; /* of the site itself, with integrity, by HTTPS */
    bool lacks_integrity; /* an external one by HTTPS without */
    bool lacks_https;     /* an external one with integrity, not by HTTPS */
    bool lacks_both;
};

/* By value; release with markup_free(). */
struct markup {
    bool is_html;
    bool is_broken;      /* it is, but could not be read to its end */
    struct buf referrer; /* values of <meta name=referrer>, as a list */
    bool has_referrer;
    struct scripts scripts;
};

/* Read the body of a fetch, if it is HTML; policies of meta tags go to csp. */
void markup_read(const struct fetch *fetch, const struct public_suffixes *suffixes,
                 struct markup *markup, struct csp *csp);
void markup_free(struct markup *markup);
