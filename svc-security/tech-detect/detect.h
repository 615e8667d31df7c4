/*
 * svc-security/tech-detect/detect.h - match one response (headers, cookies, page) against the
 * signatures. No network access.
 */
#pragma once

#include "conclude.h"
#include "net/dns/message.h"
#include "net/http/fetch.h"
#include "signatures.h"
#include "text/domains/public-suffix.h"

/* The response to examine; all members are borrowed. */
struct response {
    const struct target *target; /* URL after redirects */
    const struct fetch_header *header;
    size_t header_count;
    struct text body;                       /* empty unless it is an HTML page */
    const struct dns_message *mx;           /* with MX records; may be NULL */
    const struct public_suffixes *suffixes; /* for the page's own site */
};

void detect(const struct signatures *signatures, const struct response *response,
            struct detected *findings);
