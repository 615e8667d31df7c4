/*
 * svc-security/subdomain-finder/collect.h - ask all sources at once, and tell how each fared.
 */
#pragma once

#include "net/egress-session.h"
#include "sources.h"

enum { ERROR_BYTES = 80 };

struct source_report {
    bool has_answered;       /* with something that was read */
    bool is_cut;             /* it has more than was read */
    char error[ERROR_BYTES]; /* what went wrong in the end; "" when nothing did */
};

/* Fill reports, one for each source, and the harvest, whose source numbers are the indexes. Ends
 * by the trip's deadline. */
void collect_names(struct egress_session *session, const struct ct_sources *sources,
                   const char *domain, struct harvest *harvest, struct source_report *reports);
