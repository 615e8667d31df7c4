/*
 * portal/outbox/sender.h - the thread that sends what is in the outbox.
 *
 * It looks for mail that is due every portal.poll_ms. What the relay refuses for good (5xx), what
 * is not taken within 48 hours and what holds a link that ran out fails; the rest is tried again
 * after 1, 5, 15 and 60 minutes, then hourly. A portal without mail.url
 * drops what has been due for two minutes: a portal that has one, while a new configuration rolls
 * out, would have taken it. A crash between the relay's yes and our note of it sends a mail twice,
 * under one Message-ID: better twice than lost.
 *
 * Metrics: tollgate_mail_attempts_total{result="sent|retried|failed|dropped"},
 * tollgate_mail_queue_oldest_age_seconds.
 */
#pragma once

#include "portal/base/portal.h"

struct sender;

/* Read mail.* and the templates, and start. Errors: ERR_INVALID_VALUE for the operator. */
bool sender_start(struct portal *portal, struct sender **sender, struct err *err) must_check;

/* Read mail.password_file again, for the next mail; a broken one keeps the old. */
bool sender_reload(struct sender *sender, struct err *err) must_check;

/* A mail that is being sent is sent to its end, which takes mail.timeout_ms at most. */
void sender_stop(struct sender **sender);
