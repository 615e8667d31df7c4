/*
 * portal/session/cookie.h - our three cookies (RFC 6265), all of them 32 random bytes.
 *
 * Their names begin with __Host-: a browser then takes them only with Secure, Path=/ and no Domain,
 * so that no other host can set them (RFC 6265bis section 4.1.3.2).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "portal/base/url-text.h"

#define COOKIE_SESSION "__Host-session" /* whose session it is: session/session.h */
#define COOKIE_DEVICE  "__Host-device"  /* has signed in before: entry/device.h */
#define COOKIE_FORM    "__Host-form" /* whose form it is before there is a session: page/csrf.h */

enum { COOKIE_BYTES = 32, COOKIE_TEXT_BYTES = URL_TEXT_BYTES(COOKIE_BYTES) };

/* A fresh value. */
void cookie_new(uint8_t value[static COOKIE_BYTES]);

/* The value of a cookie in a Cookie header (NULL: absent). False when it is not there, is none of
 * ours, or stands there twice: then nobody knows which one is the browser's own. */
bool cookie_find(const char *header, const char *name, uint8_t value[static COOKIE_BYTES]);

/* Append a Set-Cookie header: kept so many seconds, 0: until the browser ends. */
void cookie_set(struct buf *headers, const char *name, const uint8_t value[static COOKIE_BYTES],
                int64_t kept_s);

/* Append one that takes the cookie away. */
void cookie_end(struct buf *headers, const char *name);
