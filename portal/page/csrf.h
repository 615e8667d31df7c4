/*
 * portal/page/csrf.h - CSRF protection: a form must have been made for this visitor, and sent from
 * a page of the portal.
 *
 * 1. Each form has a token: an HMAC of the session's id or, before sign-in, of a random cookie that
 *    the form's page has set.
 * 2. Each POST must come from the portal's origin, by Sec-Fetch-Site (Fetch Metadata) or, without
 *    it, by Origin (RFC 6454).
 *
 * A stray form fulfills 2 but has the token of another cookie. That happens if a browser without a
 * cookie opens two pages at the same time and keeps one of the two cookies, or if the member signs
 * in in another tab. Other sites cannot send it, so the page is shown again, filled in, with a new
 * token.
 */
#pragma once

#include "portal/base/url-text.h"
#include "portal/page/visit.h"

#define CSRF_FIELD "csrf"

enum { CSRF_BYTES = 32, CSRF_TEXT_BYTES = URL_TEXT_BYTES(CSRF_BYTES) };

/* The token of this visitor's forms. Without session and cookie, the response sets a cookie. */
void csrf_mark(struct visit *visit, char out[static CSRF_TEXT_BYTES]);

/* Are both conditions true? */
bool csrf_holds(const struct visit *visit);

/* For a POST that failed csrf_holds(): is it a stray form? */
bool csrf_is_stray(const struct visit *visit);

/* Did a request with these headers (NULL: absent) come from a page of public_url? */
bool csrf_is_own_origin(const char *sec_fetch_site, const char *origin, const char *public_url);
