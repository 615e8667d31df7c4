/*
 * portal/outbox/sender.h - the thread that sends the emails of the outbox. It polls every
 * portal.poll_ms.
 *
 * - An email fails if the relay rejects it permanently (5xx), if it was not accepted within 48
 *   hours, or if its link has expired. Otherwise it is retried after 1, 5, 15 and 60 minutes, then
 *   hourly.
 * - A portal without mail.url drops emails that have been due for two minutes. During a rollout, a
 *   portal that has mail.url would have sent them.
 * - A crash after the relay accepted an email and before it was marked sends it twice, with the
 *   same Message-ID. That is better than losing it.
 *
 * Metrics: tollgate_mail_attempts_total{result="sent|retried|failed|dropped"},
 * tollgate_mail_queue_oldest_age_seconds.
 */
#pragma once

#include "portal/base/portal.h"

struct sender;

/* Read mail.* and the templates, and start. Errors: ERR_INVALID_VALUE. */
bool sender_start(struct portal *portal, struct sender **sender, struct err *err) must_check;

/* Read mail.password_file again, for the next email. On an error the old password stays. */
bool sender_reload(struct sender *sender, struct err *err) must_check;

/* Waits for the current email: mail.timeout_ms at most. */
void sender_stop(struct sender **sender);
