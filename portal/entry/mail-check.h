/*
 * portal/entry/mail-check.h - threads that look up where the mail of a new address goes, before the
 * mail of its sign-up is sent.
 *
 * Such a mail waits in the outbox in a separate state (0), so that a slow DNS delays no other
 * mail. When the hosts are known, the keys of their budgets are noted with the link, and the mail
 * goes on to the sender. A domain that receives no mail gets none. A DNS that does not answer
 * delays the mail until its link has run out.
 */
#pragma once

#include "portal/base/portal.h"

struct mail_check;

/* Start the threads. Errors: ERR_INTERNAL, no thread. */
bool mail_check_start(struct portal *portal, struct mail_check **check, struct err *err) must_check;
void mail_check_stop(struct mail_check **check);
