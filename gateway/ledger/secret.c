/* gateway/ledger/secret.c - the gateways of one database agree on their secret. */
#include "gateway/ledger/secret.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "db/sql.h"
#include "gateway/ledger/admission.h"

static void digest_secret(const char *secret, char hex[static 2 * DIGEST_BYTES + 1])
{
    static const char purpose[] = "tollgate ledger.secret";
    uint8_t digest[DIGEST_BYTES];
    HMAC(EVP_sha256(), secret, (int)strlen(secret), (const uint8_t *)purpose, strlen(purpose),
         digest, NULL);
    hex_encode(hex, digest, sizeof(digest));
}

bool secret_agree(const char *url, const char *password, const char *secret, int64_t timeout_ms,
                  struct err *err)
{
    scoped(sql_close) struct sql *sql = NULL;
    scoped(json_free) cJSON *row = json_object();
    char digest[2 * DIGEST_BYTES + 1];
    digest_secret(secret, digest);
    if (!sql_open(url, password, timeout_ms, &sql, err) ||
        !sql_row(sql, "select ledger_secret_agree(decode($1, 'hex')) as agrees",
                 (struct sql_params){ 1, { digest } }, row, err))
        return false;
    return json_is(json_get(row, "agrees"), cJSON_True) ||
           err_set(
               err, ERR_INVALID_VALUE,
               "ledger.secret_file differs from that of the other gateways of this database, so "
               "a repeated Idempotency-Key would be charged twice; use the same file, or run "
               "`tollctl ledger rotate-secret` to replace the secret");
}
