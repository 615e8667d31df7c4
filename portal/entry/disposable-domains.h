/*
 * portal/entry/disposable-domains.h - domains that give mailboxes to throw away: whoever signs up
 * with one is told so, because every new account gets credits.
 */
#pragma once

#include "text/conf.h"

struct disposable_domains; /* asked by any number of threads, also while it is reloaded */

/* Read portal.disposable_file, and the public suffixes that say which names are whose. Errors:
 * ERR_INVALID_VALUE, for the operator. */
bool disposable_domains_load(const struct conf *conf, struct disposable_domains **domains,
                             struct err *err) must_check;
void disposable_domains_free(struct disposable_domains **domains);

/* Read the list again; a broken one keeps the old. */
bool disposable_domains_reload(struct disposable_domains *domains, const struct conf *conf,
                               struct err *err) must_check;

/* Is a domain, in lower-case A-labels, one of them or below one? */
bool disposable_domains_has(struct disposable_domains *domains, const char *domain);
