/*
 * svc-security/subdomain-finder/collect.h - query all sources in parallel and report on each.
 */
#pragma once

#include "net/egress-session.h"
#include "sources.h"

enum { ERROR_BYTES = 80 };

struct source_report {
    bool has_answered;       /* sent something usable */
    bool is_cut;             /* has more than was read */
    char error[ERROR_BYTES]; /* reason for the last failure, or "" */
};

/* Fill one report per source, and the harvest, whose source numbers are the indexes of the sources.
 * Ends by the deadline of the egress session. */
void collect_names(struct egress_session *session, const struct ct_sources *sources,
                   const char *domain, struct harvest *harvest, struct source_report *reports);
