/*
 * common/net/egress-session.h - one job's way out: its deadline, and the addresses that its names
 * have.
 *
 * A name is looked up once in a trip; whatever the job then connects to, and however often, goes to
 * the addresses that were checked then. That is what DNS rebinding meets. May be used by all
 * threads of one job.
 */
#pragma once

#include <stdint.h>

#include "net/addresses.h"
#include "net/egress.h"
#include "net/target.h"

struct egress_session;

/* The deadline is by clock_ms(). The egress is borrowed and may not be NULL. */
struct egress_session *egress_session_new(struct egress *egress, int64_t deadline_ms);
void egress_session_free(struct egress_session **session);

struct egress *egress_session_egress(const struct egress_session *session);
int64_t egress_session_deadline_ms(const struct egress_session *session);

/* Milliseconds left, not below 0. */
int64_t egress_session_left_ms(const struct egress_session *session);

/* The moment that is limit_ms from now, or the trip's deadline when that comes first. */
int64_t egress_session_until_ms(const struct egress_session *session, int64_t limit_ms);

/*
 * The addresses of a host, all of which may be connected to. Takes at most 3 s. Errors:
 * ERR_TARGET_NOT_ALLOWED when the name, the address or any one of several addresses is not
 * allowed; ERR_TARGET_DNS_FAILURE when there is none, or more than 64; ERR_UPSTREAM_UNAVAILABLE
 * when no resolver answers. An error is remembered like an answer.
 */
bool egress_session_resolve(struct egress_session *session, const struct host *host,
                            struct addresses *addresses, struct err *err) must_check;

/* Those of a target's host, whose port is judged first: ERR_PORT_NOT_ALLOWED. */
bool egress_session_resolve_web(struct egress_session *session, const struct target *target,
                                struct addresses *addresses, struct err *err) must_check;
