/* portal/playground/token.c - see token.h. */
#include "portal/playground/token.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "portal/base/secret.h"
#include "text/json.h"

enum { MESSAGE_BYTES = 60, DIGEST_TEXT = 2 + 2 * TOKEN_DIGEST_BYTES + 1 };

/* Bits that differ for each session and each word. */
static void make_seed(const struct visit *visit, const char *word,
                      uint8_t seed[static SECRET_MAC_BYTES])
{
    char message[MESSAGE_BYTES];
    snprintf(message, sizeof(message), "%s %s", word, visit->session.session_id);
    secret_mac(visit->portal->secrets, SECRET_PLAYGROUND, text_of(message), seed);
}

/* RFC 9562, section 5.8: a UUID with our own bits. */
static void make_id(const struct visit *visit, char id[static UUID_TEXT_BYTES])
{
    uint8_t seed[SECRET_MAC_BYTES];
    struct uuid uuid;
    make_seed(visit, "id", seed);
    memcpy(uuid.bytes, seed, sizeof(uuid.bytes));
    uuid.bytes[6] = (uint8_t)((uuid.bytes[6] & 0x0F) | 0x80);
    uuid.bytes[8] = (uint8_t)((uuid.bytes[8] & 0x3F) | 0x80);
    uuid_format(id, &uuid);
}

static bool is_stored(struct sql *sql, const char *account, const char *id, bool *is_there,
                      struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, "select token_id from token where account_id = $1 and token_id = $2",
                 SQL_PARAMS(account, id), row, err))
        return false;
    *is_there = json_size(row) > 0;
    return true;
}

/* Another run of the session may have stored it at the same time. That is fine. */
static bool store_token(struct sql *sql, const struct visit *visit, const char *id,
                        const char *token, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    uint8_t digest[TOKEN_DIGEST_BYTES];
    char digest_text[DIGEST_TEXT] = "\\x";
    token_digest(token, digest);
    hex_encode(digest_text + 2, digest, sizeof(digest));
    if (!sql_row(
            sql, "select token_add_own($1, $2, $3, $4) as outcome",
            SQL_PARAMS(visit->session.session_id, id, digest_text, token + TOKEN_BYTES - 1 - 4),
            row, err))
        return false;
    const char *outcome = json_text(row, "/outcome");
    return strcmp(outcome, "done") == 0 || strcmp(outcome, "again") == 0 ||
           err_set(err, ERR_ACCOUNT_SUSPENDED, "%s", outcome);
}

bool playground_token(struct visit *visit, char token[static TOKEN_BYTES], struct err *err)
{
    uint8_t seed[SECRET_MAC_BYTES];
    char id[UUID_TEXT_BYTES];
    scoped(pool_give) struct sql *sql = NULL;
    bool is_there = false;
    make_id(visit, id);
    make_seed(visit, "token", seed);
    token_of_seed(seed, token);
    explicit_bzero(seed, sizeof(seed));
    return pool_take(visit->portal->pool, &sql, err) &&
           is_stored(sql, visit->session.account_id, id, &is_there, err) &&
           (is_there || store_token(sql, visit, id, token, err));
}
