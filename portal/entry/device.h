/*
 * portal/entry/device.h - browsers in which a member has signed in before.
 *
 * Guesses from elsewhere fill the bucket that unknown devices share, and never the one of a known
 * device: nobody can lock a member out of the browser he uses (OWASP's device cookie). The cookie
 * lasts a year; the database has its SHA-256.
 */
#pragma once

#include "db/sql.h"
#include "portal/page/visit.h"
#include "portal/session/session.h"

/* The digest of the visitor's device cookie, as statements take it; false, and "" when it has none.
 */
bool device_digest(const struct visit *visit, char digest[static DIGEST_TEXT_BYTES]);

/* This browser is the member's from now on: sets the cookie unless it has one of his already.
 * *is_new (may be NULL) says which. Errors: the database's. */
bool device_know(struct sql *sql, struct visit *visit, const char *member_id, bool *is_new,
                 struct err *err) must_check;
