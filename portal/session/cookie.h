/*
 * portal/session/cookie.h - the portal's cookies (RFC 6265): 32 random bytes each, and a text.
 *
 * Their names begin with __Host-: browsers accept them only with Secure, Path=/ and no Domain, so
 * no other host can set them (RFC 6265bis section 4.1.3.2).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "portal/base/url-text.h"

#define COOKIE_SESSION "__Host-session" /* the session: session/session.h */
#define COOKIE_DEVICE  "__Host-device"  /* a known device: entry/device.h */
#define COOKIE_FORM    "__Host-form"    /* ties forms to a visitor before sign-in: page/csrf.h */
#define COOKIE_NEXT    "__Host-next"    /* a text: where a sign-up leads, entry/next.h */

enum { COOKIE_BYTES = 32, COOKIE_TEXT_BYTES = URL_TEXT_BYTES(COOKIE_BYTES) };

/* A new random value. */
void cookie_new(uint8_t value[static COOKIE_BYTES]);

/* Find a cookie in a Cookie header (NULL: absent). False: it is missing, malformed or repeated; of
 * a repeated one the right value is unknown. */
bool cookie_find(const char *header, const char *name, uint8_t value[static COOKIE_BYTES]);

/* Append a Set-Cookie header with this lifetime in seconds; 0: until the browser closes. */
void cookie_set(struct buf *headers, const char *name, const uint8_t value[static COOKIE_BYTES],
                int64_t kept_s);

/* The same for a text of base64url; *found is borrowed from the header. */
bool cookie_find_text(const char *header, const char *name, struct text *found);
void cookie_set_text(struct buf *headers, const char *name, const char *text, int64_t kept_s);

/* Append a Set-Cookie header that deletes the cookie. */
void cookie_end(struct buf *headers, const char *name);
