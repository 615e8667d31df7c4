/*
 * svc-security/subdomain-finder/live.h - resolve names. Queries only resolvers; sends nothing to
 * the hosts.
 */
#pragma once

#include "harvest.h"

enum { RESOLVE_LIMIT = 50 };

struct resolved {
    bool has_wildcard; /* random names have addresses too */
    size_t unanswered; /* names without a response */
};

/* Resolve the first RESOLVE_LIMIT names. Errors: ERR_UPSTREAM_UNAVAILABLE if no resolver responds,
 * even for the root. */
bool live_look_up(struct egress_session *session, const char *domain, struct found_name *found,
                  size_t count, struct resolved *live, struct err *err) must_check;
