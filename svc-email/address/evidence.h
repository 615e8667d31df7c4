/*
 * svc-email/address/evidence.h - DNS evidence about mail to a domain: its mail servers, and its
 * policies against forgery.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "dns/lookups.h"
#include "records/dmarc.h"

struct egress;

enum { MX_SHOWN_MAX = 5, MX_RESOLVED_MAX = 3 };

/* By value; release with evidence_free(). Zero means unknown. */
struct evidence {
    bool is_known;       /* the DNS answered whether the domain accepts mail; otherwise nothing
                          * below is set */
    bool is_unavailable; /* the DNS did not answer */
    bool is_nxdomain;
    bool has_mx;        /* a regular one */
    bool is_null_mx;    /* RFC 7505: accepts no mail */
    bool is_implicit;   /* no MX, but an address: RFC 5321 section 5.1 */
    bool has_no_server; /* neither MX nor address */
    bool is_mx_unresolvable;
    bool is_mx_private;   /* all addresses of all servers are in special-use networks */
    bool is_mx_address;   /* an MX record has an IP address instead of a name */
    bool is_policy_known; /* SPF and DMARC were answered */
    bool has_spf;
    bool spf_rejects_all;    /* exactly "v=spf1 -all": it sends no mail */
    enum dmarc_policy dmarc; /* for this domain; DMARC_NO_POLICY: none */
    size_t mx_count;         /* in hosts, by preference */
    char *hosts;             /* lower case, each followed by a blank; NULL: none */
};

void evidence_free(struct evidence *evidence);
struct evidence evidence_copy(const struct evidence *evidence);

/* Copy mail server `which` into a buffer of DNS_NAME_BYTES. */
void evidence_host(const struct evidence *evidence, size_t which, char *host);

/* Whether the evidence may be cached: every query was answered. */
bool evidence_is_lasting(const struct evidence *evidence);

/*
 * Find the evidence of a domain in A-labels; owner points to its registrable domain. Sends at most
 * 14 queries until the deadline, by clock_ms(). Late answers are unavailable. Errors:
 * ERR_UPSTREAM_UNAVAILABLE if no resolver answers anything.
 */
bool evidence_query(struct egress *egress, const char *domain, const char *owner,
                    int64_t deadline_ms, struct evidence *evidence, struct err *err) must_check;
