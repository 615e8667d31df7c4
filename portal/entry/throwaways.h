/*
 * portal/entry/throwaways.h - domains that give mailboxes to throw away: whoever signs up with one
 * is told so, because every new account gets credits.
 */
#pragma once

#include "text/conf.h"

struct throwaways; /* asked by any number of threads, also while it is reloaded */

/* Read portal.disposable_file, and the public suffixes that say which names are whose. Errors:
 * ERR_INVALID_VALUE, for the operator. */
bool throwaways_load(const struct conf *conf, struct throwaways **throwaways,
                     struct err *err) must_check;
void throwaways_free(struct throwaways **throwaways);

/* Read the list again; a broken one keeps the old. */
bool throwaways_reload(struct throwaways *throwaways, const struct conf *conf,
                       struct err *err) must_check;

/* Is a domain, in lower-case A-labels, one of them or below one? */
bool throwaways_have(struct throwaways *throwaways, const char *domain);
