/*
 * portal/entry/disposable-domains.h - domains of disposable mailboxes. They cannot sign up, because
 * each new account gets credits.
 */
#pragma once

#include "text/conf.h"

struct disposable_domains; /* any thread may use it, also during a reload */

/* Read portal.disposable_file and the public suffix list. Errors: ERR_INVALID_VALUE. */
bool disposable_domains_load(const struct conf *conf, struct disposable_domains **domains,
                             struct err *err) must_check;
void disposable_domains_free(struct disposable_domains **domains);

/* Read the list again. On an error the old one stays. */
bool disposable_domains_reload(struct disposable_domains *domains, const struct conf *conf,
                               struct err *err) must_check;

/* Is this domain (lower-case A-labels), or a parent domain, in the list? */
bool disposable_domains_has(struct disposable_domains *domains, const char *domain);
