/* portal/second-factor/second-factor.c - see second-factor.h. */
#include "portal/second-factor/second-factor.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"

enum { SEALED_MAX_BYTES = 256, BYTEA_TEXT_BYTES = 2 + 2 * SEALED_MAX_BYTES + 1 };

/* As a bytea parameter. */
static void write_bytea(char text[static BYTEA_TEXT_BYTES], const void *bytes, size_t size)
{
    text[0] = '\\';
    text[1] = 'x';
    hex_encode(text + 2, bytes, size);
}

/* ---- the app ---- */

static void wipe(struct buf *buf)
{
    if (buf->bytes)
        sodium_memzero(buf->bytes, buf->capacity);
    buf_free(buf);
}

/* Decrypt the row's secret. False: no secret is stored, or no key opens it. */
static bool open_secret(const cJSON *row, struct secrets *secrets,
                        uint8_t secret[static TOTP_SECRET_BYTES])
{
    scoped(buf_free) struct buf sealed = BUF(SEALED_MAX_BYTES);
    scoped(wipe) struct buf opened = BUF(SEALED_MAX_BYTES);
    const char *hex = json_text(row, "/totp_secret");
    if (!hex || !hex_decode(&sealed, text_of(hex)) ||
        !secret_open(secrets, SECRET_TOTP, buf_text(&sealed), &opened) ||
        opened.size != TOTP_SECRET_BYTES)
        return false;
    memcpy(secret, opened.bytes, TOTP_SECRET_BYTES);
    return true;
}

/* If two requests use the same code, only one gets the step. */
static bool use_step(struct sql *sql, const char *member_id, int64_t step, bool *is_right,
                     struct err *err)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRId64, step);
    return sql_bool(sql, "select totp_use($1, $2)", SQL_PARAMS(member_id, text), is_right, err);
}

static bool check_app(struct sql *sql, struct secrets *secrets, const char *member_id,
                      const char *code, bool *is_right, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    uint8_t secret[TOTP_SECRET_BYTES];
    int64_t step;

    if (!sql_row(sql,
                 "select totp_secret, totp_step, ledger_now_ms() as now_ms from member"
                 " where member_id = $1",
                 SQL_PARAMS(member_id), row, err))
        return false;
    if (!open_secret(row, secrets, secret))
        return true;
    bool fits = totp_fits(secret, code, (int64_t)json_get(row, "now_ms")->valuedouble,
                          (int64_t)json_get(row, "totp_step")->valuedouble, &step);
    sodium_memzero(secret, sizeof(secret));
    return !fits || use_step(sql, member_id, step, is_right, err);
}

/* ---- recovery codes ---- */

/* The message of a code's MAC includes the member, so that a row cannot be moved to another member.
 */
static char *message_of(const char *member_id, const char *code)
{
    return str_format("%s %s", member_id, code);
}

static bool is_mac_of(struct secrets *secrets, const char *hex, const char *message)
{
    scoped(buf_free) struct buf mac = BUF(SECRET_MAC_BYTES);
    return hex_decode(&mac, text_of(hex)) && mac.size == SECRET_MAC_BYTES &&
           secret_mac_fits(secrets, SECRET_RECOVERY, text_of(message), (uint8_t *)mac.bytes);
}

static bool check_recovery_code(struct sql *sql, struct secrets *secrets, const char *member_id,
                                const char *code, bool *is_right, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    scoped(mem_free) char *message = message_of(member_id, code);
    const cJSON *row;
    if (!sql_rows(sql,
                  "select r.code from recovery_code r join member m using (member_id)"
                  " where r.member_id = $1 and r.used_at is null and m.totp_secret is not null",
                  SQL_PARAMS(member_id), rows, err))
        return false;
    cJSON_ArrayForEach(row, rows)
        if (is_mac_of(secrets, json_text(row, "/code"), message))
            return sql_bool(sql, "select recovery_use($1, decode($2, 'hex'))",
                            SQL_PARAMS(member_id, json_text(row, "/code")), is_right, err);
    return true;
}

bool second_factor_take(struct sql *sql, struct secrets *secrets, const char *member_id,
                        const char *code, bool *is_right, struct err *err)
{
    char paper[RECOVERY_TEXT_BYTES];
    *is_right = false;
    if (!recovery_read(code, paper))
        return check_app(sql, secrets, member_id, code, is_right, err);
    bool ok = check_recovery_code(sql, secrets, member_id, paper, is_right, err);
    sodium_memzero(paper, sizeof(paper));
    return ok;
}

/* ---- turning it on and off ---- */

bool second_factor_on(struct sql *sql, struct secrets *secrets, const char *session_id,
                      const uint8_t secret[static TOTP_SECRET_BYTES], int64_t step,
                      const char *undo_id, bool *is_done, struct err *err)
{
    scoped(buf_free) struct buf sealed = BUF(SEALED_MAX_BYTES);
    char bytea[BYTEA_TEXT_BYTES], text[24];

    secret_seal(secrets, SECRET_TOTP, (struct text){ (const char *)secret, TOTP_SECRET_BYTES },
                &sealed);
    write_bytea(bytea, sealed.bytes, sealed.size);
    snprintf(text, sizeof(text), "%" PRId64, step);
    return sql_bool(sql, "select two_factor_on($1, $2, $3, $4) = 'done'",
                    SQL_PARAMS(session_id, bytea, text, undo_id), is_done, err);
}

/* The MAC of a code, as an item of an array of bytea. */
static void add_code(struct secrets *secrets, const char *member_id, const char *code,
                     struct buf *macs)
{
    scoped(mem_free) char *message = message_of(member_id, code);
    uint8_t mac[SECRET_MAC_BYTES];
    char bytea[BYTEA_TEXT_BYTES];

    secret_mac(secrets, SECRET_RECOVERY, text_of(message), mac);
    sodium_memzero(message, strlen(message));
    write_bytea(bytea, mac, sizeof(mac));
    buf_format(macs, "%s\"\\%s\"", macs->size > 1 ? "," : "", bytea);
}

bool second_factor_codes(struct sql *sql, struct secrets *secrets,
                         const struct member_session *session,
                         char code[static RECOVERY_CODES][RECOVERY_TEXT_BYTES], bool *is_done,
                         struct err *err)
{
    scoped(buf_free) struct buf macs = BUF(RECOVERY_CODES * BYTEA_TEXT_BYTES);
    buf_add_byte(&macs, '{');
    for (size_t i = 0; i < RECOVERY_CODES; i++) {
        recovery_new(code[i]);
        add_code(secrets, session->member_id, code[i], &macs);
    }
    buf_add_byte(&macs, '}');
    return sql_bool(sql, "select recovery_set($1, $2::bytea[])",
                    SQL_PARAMS(session->session_id, buf_str(&macs)), is_done, err);
}
