/*
 * svc-security/subdomain-finder/live.h - which names have addresses. Only resolvers are asked;
 * nothing goes to the names' own hosts.
 */
#pragma once

#include "harvest.h"

enum { RESOLVE_LIMIT = 50 };

struct live {
    bool has_wildcard; /* names that nobody chose have addresses, too */
    size_t unanswered; /* of the names that were asked for */
};

/* Look up the first RESOLVE_LIMIT of the names. Errors: ERR_UPSTREAM_UNAVAILABLE when no resolver
 * answers anything, also what it must know by itself. */
bool live_look_up(struct egress_session *session, const char *domain, struct found *found,
                  size_t count, struct live *live, struct err *err) must_check;
