/*
 * svc-email/email-deliverability/collect.h - from DNS answers to facts.
 */
#pragma once

#include "facts.h"
#include "senders/mail-providers.h"
#include "text/domains/public-suffix.h"

/* The subject of the queries. */
struct subject {
    const char *domain;
    const char *org_domain;
    const char *wildcard; /* a random selector */
    const char *own_selector[DKIM_OWN_MAX];
    size_t own_selectors;
    const struct mail_providers *providers;
    const struct public_suffixes *suffixes;
};

/*
 * Fill the facts from the known answers, except the MTA-STS policy; missing answers are entered as
 * queries. Call it, with facts_free() between, until lookups_run() has nothing left to send
 * (lookup_known()).
 */
void facts_collect(const struct subject *subject, struct lookups *lookups, struct facts *facts);

/* ---- its parts ---- */

void collect_spf(const struct subject *subject, struct lookups *lookups, struct facts *facts);
void collect_dmarc(const struct subject *subject, struct lookups *lookups, struct facts *facts);
