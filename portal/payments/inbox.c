/* portal/payments/inbox.c - see inbox.h. */
#include "portal/payments/inbox.h"

#include <assert.h>
#include <openssl/evp.h>
#include <stdio.h>

#include "base/codec/hex.h"

enum { DIGEST_BYTES = 32, NUMBER_BYTES = 24 };

static const char *or_null(const char *text)
{
    return text[0] ? text : NULL;
}

static void digest(struct text body, char out[static 2 * DIGEST_BYTES + 1])
{
    uint8_t sum[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    bool ok = EVP_Digest(body.bytes, body.size, sum, &size, EVP_sha256(), NULL) == 1;
    assert(ok && size == DIGEST_BYTES);
    hex_encode(out, sum, DIGEST_BYTES);
}

bool inbox_add(struct sql *sql, const char *provider, const struct event *event, struct text body,
               bool *is_new, struct err *err)
{
    char sha256[2 * DIGEST_BYTES + 1];
    char created[NUMBER_BYTES];
    char refunded[NUMBER_BYTES];
    digest(body, sha256);
    snprintf(created, sizeof(created), "%lld", (long long)event->created_s);
    snprintf(refunded, sizeof(refunded), "%lld", (long long)event->refunded);
    return sql_bool(sql,
                    "select payment_event_add($1, $2, $3, $4, $5::uuid, $6::boolean,"
                    "    to_timestamp($7::bigint), decode($8, 'hex'), $9::smallint, $10::bigint)",
                    SQL_PARAMS(provider, event->id, event->type, or_null(event->ref),
                               or_null(event->order_id), event->is_live ? "true" : "false", created,
                               sha256, event->is_ours ? "1" : "4",
                               event->refunded < 0 ? NULL : refunded),
                    is_new, err);
}
