/*
 * svc-email/dns/domain.h - the domain that somebody means who writes a domain, a URL or an address.
 */
#pragma once

#include "net/host.h"
#include "text/names.h"

/*
 * A domain field of the email tools, more lenient than domain_parse(): of a URL it is the host, of
 * an email address what follows the last @; a port, a path and one final dot are dropped. The name
 * comes in lower-case A-labels and has two labels or more. Errors: ERR_INVALID_DOMAIN, also for an
 * IP address and for underscores.
 */
bool mail_domain_parse(struct text text, char name[static HOST_BYTES], struct err *err) must_check;

/* The registrable domain of a name: the public suffix and one label more. Points into the name; the
 * whole name when it is a public suffix itself. */
struct egress;
const char *mail_org_domain(const struct egress *egress, const char *name);

/* Is it the name itself or below it? Both in the same case, without final dot. */
bool name_is_within(const char *name, const char *parent);

/* The name above; NULL: it has a single label. */
const char *name_parent(const char *name);

/* Is it one of the names? Is it, or a name above it? */
bool names_have(const struct names *names, struct text name);
bool names_have_within(const struct names *names, const char *name);
