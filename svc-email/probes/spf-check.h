/*
 * svc-email/probes/spf-check.h - check_host() of RFC 7208 section 4: may this address
 * send mail for a domain? spf-walk.h walks a record without an address.
 */
#pragma once

#include "base/arena.h"
#include "dns/lookups.h"
#include "records/spf.h"

enum { SPF_VALIDATED_MAX = 10 /* RFC 7208 section 4.6.4 */ };

/* Section 2.6. */
enum spf_outcome {
    SPF_PASS,
    SPF_FAIL,
    SPF_SOFTFAIL,
    SPF_NEUTRAL,
    SPF_NONE,
    SPF_PERMERROR,
    SPF_TEMPERROR,
    SPF_OUTCOMES,
};

extern const char *const spf_outcome_names[SPF_OUTCOMES];

/* The message that is assumed, and the client's confirmed names, for ptr. */
struct spf_client {
    struct spf_sender sender;
    size_t names;
    const char *name[SPF_VALIDATED_MAX];
};

struct spf_check {
    enum spf_outcome outcome;
    const char *term;   /* that decided, of the domain's record or of one it redirects to; NULL:
                         * none */
    const char *domain; /* whose record has the term */
    const char *why;    /* of permerror and temperror, "…"; NULL: another outcome */
    unsigned lookups, voids;
};

/* Queries are sent one after the other. Texts are in the arena. */
void spf_check_host(const struct spf_client *client, const char *domain, struct lookups *lookups,
                    struct arena *arena, struct spf_check *check);
