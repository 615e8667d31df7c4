/* portal/session/session.c - see session.h. */
#include "portal/session/session.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"

void cookie_digest(const uint8_t cookie[static COOKIE_BYTES], char digest[static DIGEST_TEXT_BYTES])
{
    uint8_t sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(sum, cookie, COOKIE_BYTES);
    digest[0] = '\\';
    digest[1] = 'x';
    hex_encode(digest + 2, sum, sizeof(sum));
}

enum { FRESH_MS = 30 * 60 * 1000 };

/* ---- finding ---- */

static const char find_statement[] = "select * from session_find($1)";

static void read_row(const cJSON *row, struct member_session *session)
{
    const cJSON *confirmed = json_get(row, "confirmed_ms");
    sql_copy(row, "session_id", session->session_id, sizeof(session->session_id));
    sql_copy(row, "member_id", session->member_id, sizeof(session->member_id));
    sql_copy(row, "account_id", session->account_id, sizeof(session->account_id));
    sql_copy(row, "email", session->email, sizeof(session->email));
    sql_copy(row, "name", session->name, sizeof(session->name));
    session->is_half = sql_is(row, "is_half");
    session->is_kept = sql_is(row, "is_kept");
    session->is_suspended = sql_is(row, "is_suspended");
    sql_copy(row, "delete_on", session->delete_on, sizeof(session->delete_on));
    session->has_two_factor = sql_is(row, "has_two_factor");
    session->confirmed_ms = json_is(confirmed, cJSON_Number) ? (int64_t)confirmed->valuedouble : -1;
}

bool session_find(struct sql *sql, const uint8_t cookie[static COOKIE_BYTES],
                  struct member_session *session, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    char digest[DIGEST_TEXT_BYTES];
    cookie_digest(cookie, digest);
    if (!sql_row(sql, find_statement, SQL_PARAMS(digest), row, err))
        return false;
    if (json_size(row) > 0)
        read_row(row, session);
    return true;
}

/* ---- creating and ending ---- */

bool session_open(struct sql *sql, const struct session_opening *opening,
                  uint8_t cookie[static COOKIE_BYTES], bool *is_half, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    struct uuid id = uuid_new();
    char session_id[UUID_TEXT_BYTES];
    char digest[DIGEST_TEXT_BYTES];
    uuid_format(session_id, &id);
    cookie_new(cookie);
    cookie_digest(cookie, digest);
    if (!sql_row(sql, "select session_open($1, $2, $3, $4, $5::boolean, $6, $7) as is_half",
                 SQL_PARAMS(session_id, digest, opening->member_id, opening->password,
                            opening->is_kept ? "true" : "false", opening->network, opening->agent),
                 row, err))
        return false;
    *is_half = sql_is(row, "is_half");
    return *is_half || json_is(json_get(row, "is_half"), cJSON_False) ||
           err_set(err, ERR_NOT_FOUND, "the password has changed");
}

bool session_renew(struct sql *sql, const char *session_id, uint8_t cookie[static COOKIE_BYTES],
                   struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    char digest[DIGEST_TEXT_BYTES];
    cookie_new(cookie);
    cookie_digest(cookie, digest);
    if (!sql_row(sql, "select session_renew($1, $2) as is_done", SQL_PARAMS(session_id, digest),
                 row, err))
        return false;
    return sql_is(row, "is_done") || err_set(err, ERR_NOT_FOUND, "the session has ended");
}

bool session_is_fresh(const struct member_session *session)
{
    return session->confirmed_ms >= 0 && session->confirmed_ms < FRESH_MS;
}

bool session_confirm(struct sql *sql, const char *session_id, struct err *err)
{
    return sql_run(sql, "select session_confirm($1)", SQL_PARAMS(session_id), err);
}

bool session_end(struct sql *sql, const char *member_id, const char *only, const char *but,
                 struct err *err)
{
    return sql_run(sql, "select session_end($1, $2, $3)", SQL_PARAMS(member_id, only, but), err);
}
