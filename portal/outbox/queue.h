/*
 * portal/outbox/queue.h - the table mail as a queue that any number of portals empty.
 *
 * Whoever claims a mail has it for two minutes: it is due again then, unless it was marked. So what
 * a portal had when it died is sent by another, and two never have the same at once. A mark counts
 * only for the attempt that was claimed.
 */
#pragma once

#include "db/pool.h"

enum { OUTBOX_LEASE_S = 120 };

/* As the column state has it. */
enum outbox_state { OUTBOX_WAITS = 1, OUTBOX_SENT, OUTBOX_FAILED, OUTBOX_DROPPED };

/*
 * The mail that is due for longest, and for due_s seconds at least; NULL when none is. The
 * caller's, an object of:
 *
 *     mail_id recipient template data      as they were written
 *     attempts                             with this one
 *     at                                   when it was written: 2026-11-22 14:02 UTC
 *     is_old                               it has been tried for 48 hours
 *     link_id link_kind                    the link it holds; NULL: none, or one that is gone
 *     is_link_alive is_link_used           may it be opened? Or was it?
 */
bool outbox_claim(struct pool *pool, int64_t due_s, cJSON **mail, struct err *err) must_check;

/* What became of it: why is NULL or a few words for the operator; OUTBOX_WAITS makes it due again
 * after a while, which grows with the attempts. */
bool outbox_mark(struct pool *pool, const cJSON *mail, enum outbox_state state, const char *why,
                 struct err *err) must_check;

/* What begins the words on a mail that the relay puts off for its recipient's sake. */
#define OUTBOX_NOT_YET "not yet: "

/* For how many seconds the oldest mail has been waiting for us or for the relay; 0 when none is.
 * What is put off for a recipient's sake is nobody's trouble but his. */
bool outbox_oldest(struct pool *pool, int64_t *seconds, struct err *err) must_check;
