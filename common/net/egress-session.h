/*
 * common/net/egress-session.h - the outbound access of one job: its deadline, and the addresses of
 * the names that it uses.
 *
 * Each name is looked up once per session. All connections of the job go to the addresses checked
 * then, which prevents DNS rebinding. All threads of a job may use its session.
 */
#pragma once

#include <stdint.h>

#include "net/addresses.h"
#include "net/egress.h"
#include "net/target.h"

struct egress_session;

/* The deadline is by clock_ms(). egress is borrowed and must not be NULL. */
struct egress_session *egress_session_new(struct egress *egress, int64_t deadline_ms);
void egress_session_free(struct egress_session **session);

struct egress *egress_session_egress(const struct egress_session *session);
int64_t egress_session_deadline_ms(const struct egress_session *session);

/* Remaining milliseconds, at least 0. */
int64_t egress_session_left_ms(const struct egress_session *session);

/* The earlier of limit_ms from now and the session's deadline. */
int64_t egress_session_until_ms(const struct egress_session *session, int64_t limit_ms);

/*
 * The addresses of a host; all of them are allowed. Takes at most 3 s. Errors, which are stored
 * like an answer:
 *
 * - ERR_TARGET_NOT_ALLOWED if the name or any of its addresses is not allowed.
 * - ERR_TARGET_DNS_FAILURE if the host has 0 or more than 64 addresses.
 * - ERR_UPSTREAM_UNAVAILABLE if no resolver replies.
 */
bool egress_session_resolve(struct egress_session *session, const struct host *host,
                            struct addresses *addresses, struct err *err) must_check;

/* The addresses of a target's host, after a check of its port: ERR_PORT_NOT_ALLOWED. */
bool egress_session_resolve_web(struct egress_session *session, const struct target *target,
                                struct addresses *addresses, struct err *err) must_check;
