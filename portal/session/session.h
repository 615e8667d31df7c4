/*
 * portal/session/session.h - who is signed in: a row of `session`, found by a cookie of which the
 * database has the SHA-256 alone.
 *
 * A session ends 2 hours after it was last used and 12 hours after its beginning; one that is to be
 * kept, after 7 and 30 days. Half a session, whose code is still to come, ends after 5 minutes. The
 * cookie changes at each step that opens more; session_id stays, so that forms in other tabs do.
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
    SESSION_KEPT_S = 30 * 86400, /* how long browsers keep the cookie of one that is to be kept */
};

/* By value, and all zero when nobody is signed in; ids in their text form, as statements take them.
 */
struct member_session {
    char session_id[UUID_TEXT_BYTES];
    char member_id[UUID_TEXT_BYTES];
    char account_id[UUID_TEXT_BYTES];
    char email[MEMBER_EMAIL_BYTES];
    char name[MEMBER_NAME_BYTES]; /* of the account */
    bool is_half;                 /* the password was right, the code is still to come */
    bool is_kept;                 /* "keep me signed in" */
    bool is_suspended;            /* the account: may read and export, not buy, run, make tokens */
    bool has_two_factor;
    int64_t confirmed_ms; /* how long ago password (and code) were given; -1: never */
};

/* Whose session is it? *session stays all zero when there is none (any more). Errors: the
 * database's. */
bool session_find(struct sql *sql, const uint8_t cookie[static COOKIE_BYTES],
                  struct member_session *session, struct err *err) must_check;

/*
 * A new one, of a member who gave the right password. Fills cookie, and *is_half: the code is still
 * to come. Errors: also ERR_NOT_FOUND when the password has changed since it was looked at.
 */
struct session_opening {
    const char *member_id;
    const char *password; /* the hash that the password was compared with */
    bool is_kept;
    const char *network;
    const char *agent;
};
bool session_open(struct sql *sql, const struct session_opening *opening,
                  uint8_t cookie[static COOKIE_BYTES], bool *is_half, struct err *err) must_check;

/* Give it a new cookie and make it whole: the second step was right, or the password has changed.
 * Counts as confirmed. Errors: also ERR_NOT_FOUND when it has ended meanwhile. */
bool session_renew(struct sql *sql, const char *session_id, uint8_t cookie[static COOKIE_BYTES],
                   struct err *err) must_check;

/* Was the password (and code) given within 30 minutes? */
bool session_is_fresh(const struct member_session *session);

/* Password (and code) were right just now. */
bool session_confirm(struct sql *sql, const char *session_id, struct err *err) must_check;

/* End sessions of a member, and their playground tokens: one (only), or all but one (but); NULL:
 * all. */
bool session_end(struct sql *sql, const char *member_id, const char *only, const char *but,
                 struct err *err) must_check;

/* A digest as statements take it: "\x" and 64 hex digits of the SHA-256. */
enum { DIGEST_TEXT_BYTES = 2 + 64 + 1 };
void cookie_digest(const uint8_t cookie[static COOKIE_BYTES],
                   char digest[static DIGEST_TEXT_BYTES]);
