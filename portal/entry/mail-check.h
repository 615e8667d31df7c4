/*
 * portal/entry/mail-check.h - threads that look up the mail hosts of a new address before its
 * sign-up email is sent.
 *
 * 1. The email waits in the outbox in state 0, so that a slow DNS does not delay other emails.
 * 2. When the hosts are known, the keys of their budgets are stored with the link, and the email
 *    goes to the sender.
 * 3. A domain that does not receive mail gets no email. While the DNS does not respond, the email
 *    waits until its link expires.
 */
#pragma once

#include "portal/base/portal.h"

struct mail_check;

/* Start the threads. Errors: ERR_INTERNAL if a thread cannot start. */
bool mail_check_start(struct portal *portal, struct mail_check **check, struct err *err) must_check;
void mail_check_stop(struct mail_check **check);
