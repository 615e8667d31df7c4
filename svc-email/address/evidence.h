/*
 * svc-email/address/evidence.h - what the DNS says about mail to a domain: who takes it, and what
 * its owner published against forgery.
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

/* By value; release with evidence_free(). Zero is no evidence. */
struct evidence {
    bool is_known;       /* the DNS was asked, and said whether somebody takes mail; else nothing
                          * below is set */
    bool is_unavailable; /* it was asked, and did not say */
    bool is_nxdomain;
    bool has_mx;        /* a real one */
    bool is_null_mx;    /* RFC 7505: takes no mail */
    bool is_implicit;   /* no MX, but an address: RFC 5321 section 5.1 */
    bool has_no_server; /* neither */
    bool is_mx_unresolvable;
    bool is_mx_private;   /* all addresses of all servers are in special-use networks */
    bool is_mx_address;   /* an MX record holds an IP address in place of a name */
    bool is_policy_known; /* whether there is SPF and DMARC was said */
    bool has_spf;
    bool spf_refuses;        /* "v=spf1 -all" and nothing else: it sends no mail */
    enum dmarc_policy dmarc; /* that holds for it; DMARC_NO_POLICY: none */
    size_t mx_count;         /* in hosts, by preference */
    char *hosts;             /* lower case, with a blank behind each; NULL: none */
};

void evidence_free(struct evidence *evidence);
struct evidence evidence_copy(const struct evidence *evidence);

/* The i-th of its mail servers, into a buffer of DNS_NAME_BYTES. */
void evidence_host(const struct evidence *evidence, size_t which, char *host);

/* May the same be said in an hour? Not when a question was left open. */
bool evidence_is_lasting(const struct evidence *evidence);

/*
 * Ask for the evidence of a domain, a name of A-labels whose registrable domain owner points to: at
 * most 14 questions, until the deadline (by clock_ms()). What is not heard in time is unavailable.
 * Errors: ERR_UPSTREAM_UNAVAILABLE when no resolver answers anything, not even what it must know by
 * itself.
 */
bool evidence_ask(struct egress *egress, const char *domain, const char *owner, int64_t deadline_ms,
                  struct evidence *evidence, struct err *err) must_check;
