/*
 * svc-email/dns/domain.h - read the domain from a domain, a URL or an email address.
 */
#pragma once

#include "net/host.h"
#include "text/names.h"

/*
 * Read a domain field, more leniently than domain_parse(). A URL gives its host, an email address
 * the text after the last @. A port, a path and one final dot are dropped. The name is in
 * lower-case A-labels and has at least two labels. Errors: ERR_INVALID_DOMAIN, also for an IP
 * address and for underscores.
 */
bool mail_domain_parse(struct text text, char name[static HOST_BYTES], struct err *err) must_check;

/* The registrable domain of a name: the public suffix and one more label. Points into the name. For
 * a public suffix it is the whole name. */
struct egress;
const char *mail_org_domain(const struct egress *egress, const char *name);

/* Whether name is parent or below it. Both in the same case, without a final dot. */
bool name_is_within(const char *name, const char *parent);

/* The name without its first label; NULL: it has a single label. */
const char *name_parent(const char *name);

/* names_have(): whether it is one of the names. The second function also accepts a name below
 * one. */
bool names_have(const struct names *names, struct text name);
bool names_have_within(const struct names *names, const char *name);
