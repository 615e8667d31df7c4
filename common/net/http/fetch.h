/*
 * common/net/http/fetch.h - one HTTP request and its response, with libcurl, within limits.
 *
 * - fetch_guarded() is for customers' targets: it connects only to checked addresses, follows
 *   redirects itself with a check of each, and aborts malicious responses.
 * - fetch_operator() is for services that the operator configured, on any address.
 *
 * A response with any status is a success. net/http/fetch-answer.h describes it, and the options.
 * Both functions block, and may be called by several threads.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "net/egress-session.h"
#include "net/http/fetch-answer.h"
#include "net/target.h"

/*
 * Errors:
 * - ERR_TARGET_NOT_ALLOWED and ERR_PORT_NOT_ALLOWED for the target; always the first for a redirect
 *   that is not allowed.
 * - ERR_TARGET_DNS_FAILURE, ERR_TARGET_REFUSED, ERR_TARGET_TIMEOUT, ERR_TARGET_UNREACHABLE,
 *   ERR_TARGET_TLS_FAILURE.
 * - ERR_TARGET_BAD_RESPONSE for a response that is not HTTP, has too large a head, or a
 *   decompression bomb.
 * - ERR_TOO_MANY_REDIRECTS, also for a loop.
 * - ERR_UPSTREAM_UNAVAILABLE if no resolver replies.
 * - ERR_OVERLOADED if the memory budget has no space for this body.
 */
bool fetch_guarded(struct egress_session *session, const struct target *target,
                   const struct fetch_options *options, struct fetch *fetch,
                   struct err *err) must_check;

/*
 * Fetch an operator's http or https URL. Redirects are not followed, and certificates must be
 * valid. Errors: ERR_UPSTREAM_UNAVAILABLE without a response, with a message that names
 * nothing; ERR_OVERLOADED as above.
 */
bool fetch_operator(struct egress *egress, const char *url, const struct fetch_options *options,
                    int64_t deadline_ms, struct fetch *fetch, struct err *err) must_check;
