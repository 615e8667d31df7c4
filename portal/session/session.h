/*
 * portal/session/session.h - who is signed in: a row of `session`, found by a cookie. The database
 * has only the cookie's SHA-256.
 *
 * - A session expires 2 hours after its last use, and 12 hours after its start. With "keep me
 *   signed in": 7 days and 30 days.
 * - A half session, which still needs its code, expires after 5 minutes.
 * - Each step that gives more access changes the cookie. session_id stays the same, so that forms
 *   in other tabs stay valid.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/codec/uuid.h"
#include "base/err.h"
#include "db/sql.h"
#include "portal/session/cookie.h"

enum {
    MEMBER_NAME_BYTES = 801, /* 200 code points */
    MEMBER_EMAIL_BYTES = 255,
    DELETE_ON_BYTES = 11,        /* "2026-12-01" */
    SESSION_KEPT_S = 30 * 86400, /* lifetime of the cookie with "keep me signed in" */
};

/* By value. All zero: not signed in. Ids are text, for statements. */
struct member_session {
    char session_id[UUID_TEXT_BYTES];
    char member_id[UUID_TEXT_BYTES];
    char account_id[UUID_TEXT_BYTES];
    char email[MEMBER_EMAIL_BYTES];
    char name[MEMBER_NAME_BYTES]; /* the account's */
    bool is_half;                 /* the password was correct, the code is still missing */
    bool is_kept;                 /* "keep me signed in" */
    bool is_suspended; /* a suspended account may read and export, but not buy, run tools or create
                          tokens */
    char delete_on[DELETE_ON_BYTES]; /* the day of its deletion, if its member asked for that: the
                                        same then; else "" */
    bool has_two_factor;
    int64_t confirmed_ms; /* time since the last password (and code); -1: never */
};

/* Find the session of a cookie. All zero: it does not exist or has expired. Errors: the database's.
 */
bool session_find(struct sql *sql, const uint8_t cookie[static COOKIE_BYTES],
                  struct member_session *session, struct err *err) must_check;

/*
 * Open a session for a member with a correct password. Sets cookie, and *is_half: a code is needed.
 * Errors: also ERR_NOT_FOUND if the password changed after it was read.
 */
struct session_opening {
    const char *member_id;
    const char *password; /* the hash that was compared */
    bool is_kept;
    const char *network;
    const char *agent;
};
bool session_open(struct sql *sql, const struct session_opening *opening,
                  uint8_t cookie[static COOKIE_BYTES], bool *is_half, struct err *err) must_check;

/* Give it a new cookie and make it complete, after the second factor or a password change. It
 * counts as confirmed. Errors: also ERR_NOT_FOUND if it has expired. */
bool session_renew(struct sql *sql, const char *session_id, uint8_t cookie[static COOKIE_BYTES],
                   struct err *err) must_check;

/* Was the password (and code) given within 30 minutes? */
bool session_is_fresh(const struct member_session *session);

/* Record that password (and code) were correct just now. */
bool session_confirm(struct sql *sql, const char *session_id, struct err *err) must_check;

/* Sign out sessions of a member, with their playground tokens: one (only), all but one (but), or
 * all (NULL). */
bool session_end(struct sql *sql, const char *member_id, const char *only, const char *but,
                 struct err *err) must_check;

/* A digest as a bytea parameter: "\x" and 64 hex digits of the SHA-256. */
enum { DIGEST_TEXT_BYTES = 2 + 64 + 1 };
void cookie_digest(const uint8_t cookie[static COOKIE_BYTES],
                   char digest[static DIGEST_TEXT_BYTES]);
