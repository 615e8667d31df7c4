/*
 * common/net/http/fetch.h - one HTTP request and its answer, by libcurl, within limits.
 *
 * fetch_guarded() is for what customers name: it goes to checked addresses only, follows redirects
 * itself, judging each anew, and gives up on answers that are hostile. fetch_operator() is for what
 * the operator configured: another service, on whatever address.
 *
 * An answer of any status is an answer; what it holds, and what may be asked for, is in
 * net/http/fetch-answer.h. Both are blocking; call them from several threads at will.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "net/egress-session.h"
#include "net/http/fetch-answer.h"
#include "net/target.h"

/*
 * Errors: ERR_TARGET_NOT_ALLOWED and ERR_PORT_NOT_ALLOWED for the target, and always the first for
 * a redirect that may not be followed; ERR_TARGET_DNS_FAILURE, ERR_TARGET_REFUSED,
 * ERR_TARGET_TIMEOUT, ERR_TARGET_UNREACHABLE, ERR_TARGET_TLS_FAILURE; ERR_TARGET_BAD_RESPONSE for
 * what is no HTTP, too large a head or a body that blows up; ERR_TOO_MANY_REDIRECTS also for a
 * loop; ERR_UPSTREAM_UNAVAILABLE when no resolver answers; ERR_OVERLOADED when the bodies of all
 * jobs leave no room for this one's.
 */
bool fetch_guarded(struct egress_session *session, const struct target *target,
                   const struct fetch_options *options, struct fetch *fetch,
                   struct err *err) must_check;

/*
 * To an http or https URL of the operator's, in its own words; no redirect is followed,
 * certificates must verify. Errors: ERR_UPSTREAM_UNAVAILABLE when there is no answer, with a
 * sentence that names nothing; ERR_OVERLOADED as above.
 */
bool fetch_operator(struct egress *egress, const char *url, const struct fetch_options *options,
                    int64_t deadline_ms, struct fetch *fetch, struct err *err) must_check;
