/*
 * portal/oauth/authenticate.h - which client sends a request to the token and revocation
 * endpoints, and does it prove that?
 */
#pragma once

#include "portal/page/visit.h"

/* The client id of the form; without one, the subject of the assertion, which is not checked yet.
 * Lives as long as the visit. */
const char *client_id_of(struct visit *visit);

/*
 * Check the assertion of a request, if it has one. An assertion that is sent must be good, also if
 * the client needs none. needs_key: without one, the request is refused. The caller has verified
 * that the request's code or token is the client's and active, because the client's keys may be
 * fetched now. *has_key: it has signed.
 *
 * False: answered with 401 invalid_client, or 503 if the keys cannot be fetched.
 */
bool client_authenticate(struct visit *visit, const char *step, const char *account, bool needs_key,
                         bool *has_key);
