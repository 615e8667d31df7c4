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

/* ---- finding ---- */

static const char find_statement[] =
    "select s.session_id, s.member_id, m.account_id, m.email, a.name, s.is_half, s.is_kept,"
    "       a.state <> 'active' as is_suspended, m.totp_secret is not null as has_two_factor,"
    "       s.seen_at < ledger_now() - interval '1 minute' as is_stale,"
    "       (extract(epoch from ledger_now() - s.confirmed_at) * 1000)::bigint as confirmed_ms"
    "  from session s join member m using (member_id) join account a using (account_id)"
    " where s.cookie = $1 and m.locked_at is null and a.state <> 'closed' and not "
    "session_is_over(s, ledger_now())";

static void copy(char *to, size_t bytes, const cJSON *row, const char *pointer)
{
    const char *text = json_text(row, pointer);
    snprintf(to, bytes, "%s", text ? text : "");
}

static bool is_true(const cJSON *row, const char *name)
{
    return json_is(json_get(row, name), cJSON_True);
}

static void read_row(const cJSON *row, struct member_session *session)
{
    const cJSON *confirmed = json_get(row, "confirmed_ms");
    copy(session->session_id, sizeof(session->session_id), row, "/session_id");
    copy(session->member_id, sizeof(session->member_id), row, "/member_id");
    copy(session->account_id, sizeof(session->account_id), row, "/account_id");
    copy(session->email, sizeof(session->email), row, "/email");
    copy(session->name, sizeof(session->name), row, "/name");
    session->is_half = is_true(row, "is_half");
    session->is_kept = is_true(row, "is_kept");
    session->is_suspended = is_true(row, "is_suspended");
    session->has_two_factor = is_true(row, "has_two_factor");
    session->confirmed_ms = json_is(confirmed, cJSON_Number) ? (int64_t)confirmed->valuedouble : -1;
}

bool session_find(struct sql *sql, const uint8_t cookie[static COOKIE_BYTES],
                  struct member_session *session, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    char digest[DIGEST_TEXT_BYTES];
    cookie_digest(cookie, digest);
    if (!sql_row(sql, find_statement, (struct sql_params){ 1, { digest } }, row, err))
        return false;
    if (json_size(row) == 0)
        return true;
    read_row(row, session);
    return !is_true(row, "is_stale") ||
           sql_run(sql, "update session set seen_at = ledger_now() where session_id = $1",
                   (struct sql_params){ 1, { session->session_id } }, err);
}

/* ---- beginning and end ---- */

/* When it ends at the latest, from its beginning on. */
#define LIFETIME "case when is_kept then interval '30 days' else interval '12 hours' end"

bool session_open(struct sql *sql, const struct session_opening *opening,
                  char session_id[static UUID_TEXT_BYTES], uint8_t cookie[static COOKIE_BYTES],
                  struct err *err)
{
    struct uuid id = uuid_new();
    char digest[DIGEST_TEXT_BYTES];
    uuid_format(session_id, &id);
    cookie_new(cookie);
    cookie_digest(cookie, digest);
    return sql_run(
        sql,
        "insert into session (session_id, cookie, member_id, is_half, is_kept, network, agent,"
        "                     created_at, seen_at, confirmed_at, expires_at)"
        " select $1, $2, $3, is_half, is_kept, $6, $7, now_at, now_at,"
        "        case when not is_half then now_at end,"
        "        now_at + case when is_half then interval '5 minutes' else " LIFETIME " end"
        "   from ledger_now() now_at, (values ($4::boolean, $5::boolean)) v (is_half, is_kept)",
        (struct sql_params){
            7,
            { session_id, digest, opening->member_id, opening->is_half ? "true" : "false",
              opening->is_kept ? "true" : "false", opening->network, opening->agent } },
        err);
}

bool session_renew(struct sql *sql, const char *session_id, uint8_t cookie[static COOKIE_BYTES],
                   struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    char digest[DIGEST_TEXT_BYTES];
    cookie_new(cookie);
    cookie_digest(cookie, digest);
    if (!sql_row(sql,
                 "update session set cookie = $2, is_half = false, confirmed_at = ledger_now(),"
                 "       expires_at = created_at + " LIFETIME
                 " where session_id = $1 returning session_id",
                 (struct sql_params){ 2, { session_id, digest } }, row, err))
        return false;
    return json_size(row) > 0 || err_set(err, ERR_NOT_FOUND, "the session has ended");
}

bool session_confirm(struct sql *sql, const char *session_id, struct err *err)
{
    return sql_run(sql, "update session set confirmed_at = ledger_now() where session_id = $1",
                   (struct sql_params){ 1, { session_id } }, err);
}

bool session_end(struct sql *sql, const char *member_id, const char *only, const char *but,
                 struct err *err)
{
    return sql_run(sql, "select session_end($1, $2, $3)",
                   (struct sql_params){ 3, { member_id, only, but } }, err);
}
