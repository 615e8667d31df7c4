/*
 * portal/oauth/program.h - responses to programs: JSON without a session, a cookie or a CSRF token.
 */
#pragma once

#include "portal/page/visit.h"

/*
 * Respond with an error (RFC 6749 section 5.2, RFC 7591 section 3.2.2). A busy server is 429 or 503
 * with temporarily_unavailable: for that word alone, clients keep their tokens. retry_s 0: without
 * Retry-After.
 */
void program_error(struct visit *visit, int status, const char *error, const char *description,
                   int64_t retry_s);

/* 503, for a database that does not respond; logged and counted. Anything else is 500 and a bug. */
void program_failed(struct visit *visit, const struct err *err);

/* 405 with these methods. */
void program_reject_method(struct visit *visit, const char *allow);

/* Respond with this object, which is taken over. */
void program_answer(struct visit *visit, int status, cJSON *object);

/* Parse the body, a form, into visit->form. False: answered with 400. */
bool program_read_form(struct visit *visit);

/* Register the series that the alert OAuthTokenErrors reads: Prometheus sees no increase of a
 * series that begins with 1. */
void program_make_metrics(const struct portal *portal);

/* Count a request's outcome, and log it: a step such as "refresh", an outcome such as "done". */
void program_count(struct visit *visit, const char *step, const char *outcome);

/* token.c, revoke.c, register.c, metadata.c: handlers for portal/routes.c */
visit_handler oauth_token;
visit_handler oauth_revoke;
visit_handler oauth_register;
visit_handler oauth_metadata;
