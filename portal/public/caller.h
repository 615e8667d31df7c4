/*
 * portal/public/caller.h - the account for the curl lines of a page: the member's own.
 */
#pragma once

#include "portal/page/visit.h"
#include "portal/snippets/curl-line.h"

/* Borrows from the visit. */
static inline struct curl_caller caller_of(const struct visit *visit)
{
    return (struct curl_caller){ visit->portal->public_url,
                                 conf_str(visit->portal->conf, "portal.curl_options"),
                                 visit->is_signed_in ? visit->session.account_id : NULL, NULL };
}
