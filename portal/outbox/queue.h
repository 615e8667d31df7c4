/*
 * portal/outbox/queue.h - the table mail as a queue. Any number of portals send from it.
 *
 * A claim is a lease of two minutes. If the email is not marked by then, it is due again: after a
 * crash another portal sends it. A mark counts only for the attempt that was claimed.
 */
#pragma once

#include "db/pool.h"

enum { OUTBOX_LEASE_S = 120 };

/* The values of the column state. */
enum outbox_state { OUTBOX_WAITS = 1, OUTBOX_SENT, OUTBOX_FAILED, OUTBOX_DROPPED };

/*
 * Claim the email that is due for the longest time, at least due_s seconds; NULL: none is due. The
 * caller frees it. An object of:
 *
 *     mail_id recipient template data      as stored
 *     attempts                             including this one
 *     at                                   when it was stored: 2026-11-22 14:02 UTC
 *     is_old                               attempts began more than 48 hours ago
 *     link_id link_kind                    its link; NULL: it has none, or the link was deleted
 *     is_link_alive is_link_used           of the link
 */
bool outbox_claim(struct pool *pool, int64_t due_s, cJSON **mail, struct err *err) must_check;

/* Record the outcome. why: NULL, or a few words for the operator. OUTBOX_WAITS makes it due again
 * after a pause that grows with the attempts. */
bool outbox_mark(struct pool *pool, const cJSON *mail, enum outbox_state state, const char *why,
                 struct err *err) must_check;

/* The prefix of the error of an email that the relay delays because of its recipient. */
#define OUTBOX_NOT_YET "not yet: "

/* The age in seconds of the oldest email that waits for the portal or the relay; 0: none waits.
 * Emails delayed because of their recipient do not count. */
bool outbox_oldest(struct pool *pool, int64_t *seconds, struct err *err) must_check;
