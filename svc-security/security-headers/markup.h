/*
 * svc-security/security-headers/markup.h - a page's meta tags that replace headers, and its
 * scripts.
 */
#pragma once

#include <stdbool.h>

#include "net/http/fetch.h"
#include "security-headers/csp/csp.h"
#include "text/domains/public-suffix.h"

/* How scripts with a src are loaded. */
struct scripts {
    bool has_any;
    bool has_external;    /* of another site, or not over HTTPS */
    bool has_own_checked; /* of the site itself, with integrity, over HTTPS */
    bool lacks_integrity; /* an external script over HTTPS without integrity */
    bool lacks_https;     /* an external script with integrity, not over HTTPS */
    bool lacks_both;
};

/* Free it with markup_free(). */
struct markup {
    bool is_html;
    bool is_broken;      /* the page is HTML, but incomplete */
    struct buf referrer; /* values of <meta name=referrer>, as a list */
    bool has_referrer;
    struct scripts scripts;
};

/* Read the body of a fetch, if it is HTML; adds policies of meta tags to csp. */
void markup_read(const struct fetch *fetch, const struct public_suffixes *suffixes,
                 struct markup *markup, struct csp *csp);
void markup_free(struct markup *markup);
