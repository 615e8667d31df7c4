/*
 * svc-email/email-deliverability/collect.h - from answers of the DNS to facts.
 */
#pragma once

#include "facts.h"
#include "senders/mail-providers.h"
#include "text/domains/public-suffix.h"

/* What is asked about. */
struct subject {
    const char *domain;
    const char *org_domain;
    const char *wildcard; /* a selector that nobody chose */
    const char *own_selector[DKIM_OWN_MAX];
    size_t own_selectors;
    const struct mail_providers *providers;
    const struct public_suffixes *suffixes;
};

/*
 * Fill the facts with what the lookups know, but for the policy of MTA-STS; what is missing is
 * entered there. Call it, with facts_free() between, until lookups_run() says that there is nothing
 * to ask (lookup_known()).
 */
void facts_collect(const struct subject *subject, struct lookups *lookups, struct facts *facts);

/* ---- its parts ---- */

void collect_spf(const struct subject *subject, struct lookups *lookups, struct facts *facts);
void collect_dmarc(const struct subject *subject, struct lookups *lookups, struct facts *facts);
