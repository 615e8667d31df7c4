/*
 * portal/entry/device.h - known devices: browsers in which the member has signed in before.
 *
 * Wrong passwords from unknown devices use a bucket that all unknown devices share. A known device
 * has its own bucket, so an attacker cannot lock members out of their browser (OWASP's device
 * cookie). The cookie lasts a year. The database has its SHA-256.
 */
#pragma once

#include "db/sql.h"
#include "portal/page/visit.h"
#include "portal/session/session.h"

/* The digest of the visitor's device cookie, as a parameter. False, and "": there is no cookie. */
bool device_digest(const struct visit *visit, char digest[static DIGEST_TEXT_BYTES]);

/* Make this browser a known device of the member. Sets the cookie unless the browser has one of the
 * member's. *is_new (may be NULL): it was not known. Errors: the database's. */
bool device_know(struct sql *sql, struct visit *visit, const char *member_id, bool *is_new,
                 struct err *err) must_check;
