/*
 * portal/page/csrf.h - a form is ours: it was made for this visitor, and sent from a page of ours.
 *
 * Each form holds a mark, an HMAC of the session's id; before there is a session, of a random
 * cookie that the page with the form has set. And each POST says where it comes from:
 * Sec-Fetch-Site (Fetch Metadata), or without that Origin (RFC 6454). Both must hold.
 *
 * A browser that has no cookie yet and asks for two pages at the same moment is given two, and
 * keeps one; and who signs in in one tab has the mark of before in another. To keep all of them
 * would take a cookie for each page, without end. Such a form is a stray: nobody else's pages can
 * send it, so it is shown again as it was filled in, with the mark of now.
 */
#pragma once

#include "portal/base/url-text.h"
#include "portal/page/visit.h"

#define CSRF_FIELD "csrf"

enum { CSRF_BYTES = 32, CSRF_TEXT_BYTES = URL_TEXT_BYTES(CSRF_BYTES) };

/* The mark of this visitor's forms. Without session and cookie a cookie is set in the response. */
void csrf_mark(struct visit *visit, char out[static CSRF_TEXT_BYTES]);

/* May this POST act? */
bool csrf_holds(const struct visit *visit);

/* A POST that may not act: was it sent from a page of ours, with the mark of another cookie? */
bool csrf_is_stray(const struct visit *visit);

/* Does a request with these headers (NULL: absent) come from a page at public_url? */
bool csrf_is_own_origin(const char *sec_fetch_site, const char *origin, const char *public_url);
