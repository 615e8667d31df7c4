/* portal/payments/stripe/signature.c - see signature.h. */
#include "portal/payments/stripe/signature.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/num.h"

#define SECRET_PREFIX "whsec_"

enum {
    SECRET_MAX_BYTES = 255,
    MAC_BYTES = 32,
    MAC_TEXT_BYTES = 2 * MAC_BYTES,
    TIME_MAX_BYTES = 12,
};

/* ---- the file ---- */

static bool is_secret(struct text line)
{
    for (size_t i = 0; i < line.size; i++)
        if (line.bytes[i] <= ' ' || line.bytes[i] > '~')
            return false;
    return text_begins(line, SECRET_PREFIX) && line.size > strlen(SECRET_PREFIX) &&
           line.size <= SECRET_MAX_BYTES;
}

bool signing_secrets_read(struct text lines, struct signing_secrets *secrets, struct err *err)
{
    struct signing_secrets read = { 0 };
    while (lines.size > 0) {
        struct text line = text_trim(text_cut(&lines, '\n'));
        if (read.count == SIGNING_SECRETS_MAX)
            return err_set(err, ERR_INVALID_VALUE, "there are more than %d lines",
                           SIGNING_SECRETS_MAX);
        if (!is_secret(line))
            return err_set(err, ERR_INVALID_VALUE,
                           "line %zu is not a secret that begins with " SECRET_PREFIX,
                           read.count + 1);
        read.secret[read.count++] = line;
    }
    if (read.count == 0)
        return err_set(err, ERR_INVALID_VALUE, "there is no secret");
    *secrets = read;
    return true;
}

/* ---- the header ---- */

struct header {
    struct text time; /* as received: it is part of the signed text */
    int64_t time_s;
    size_t count;
    struct text signature[SIGNATURES_MAX];
};

/* One name=value; false: the header is malformed. */
static bool read_item(struct text item, struct header *header)
{
    struct text value = item;
    struct text name = text_cut(&value, '=');
    if (text_is(name, "t")) {
        bool is_first = header->time.size == 0;
        header->time = value;
        return is_first && value.size <= TIME_MAX_BYTES &&
               num_parse(value, INT64_MAX, &header->time_s);
    }
    if (!text_is(name, "v1"))
        return true;
    if (header->count == SIGNATURES_MAX)
        return false;
    header->signature[header->count++] = value;
    return true;
}

static bool read_header(struct text line, struct header *header)
{
    if (line.size > SIGNATURE_HEADER_MAX_BYTES)
        return false;
    while (line.size > 0)
        if (!read_item(text_cut(&line, ','), header))
            return false;
    return header->time.size > 0 && header->count > 0;
}

/* ---- the signature ---- */

static void sign_body(struct text secret, struct text time, struct text body,
                      char out[static MAC_TEXT_BYTES + 1])
{
    uint8_t mac[MAC_BYTES];
    size_t size = sizeof(mac);
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
    char digest[] = "SHA256";
    OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("digest", digest, 0),
                            OSSL_PARAM_construct_end() };
    bool ok = EVP_MAC_init(context, (const uint8_t *)secret.bytes, secret.size, params) &&
              EVP_MAC_update(context, (const uint8_t *)time.bytes, time.size) &&
              EVP_MAC_update(context, (const uint8_t *)".", 1) &&
              EVP_MAC_update(context, (const uint8_t *)body.bytes, body.size) &&
              EVP_MAC_final(context, mac, &size, sizeof(mac));
    assert(ok && size == MAC_BYTES);
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(hmac);
    hex_encode(out, mac, sizeof(mac));
}

static bool has_signature(const struct header *header, const char *mac)
{
    bool is_found = false;
    for (size_t i = 0; i < header->count; i++)
        if (header->signature[i].size == MAC_TEXT_BYTES)
            is_found |= CRYPTO_memcmp(header->signature[i].bytes, mac, MAC_TEXT_BYTES) == 0;
    return is_found;
}

bool signature_check(const char *line, struct text body, const struct signing_secrets *secrets,
                     int64_t now_s, struct err *err)
{
    struct header header = { 0 };
    char mac[MAC_TEXT_BYTES + 1];
    bool is_signed = false;
    if (!line || !read_header(text_of(line), &header))
        return err_set(err, ERR_SIGNATURE_INVALID, "Stripe-Signature is missing or malformed");
    for (size_t i = 0; i < secrets->count; i++) {
        sign_body(secrets->secret[i], header.time, body, mac);
        is_signed |= has_signature(&header, mac);
    }
    if (!is_signed)
        return err_set(err, ERR_SIGNATURE_INVALID, "no signature matches the body");
    if (header.time_s < now_s - SIGNATURE_AGE_MAX_S || header.time_s > now_s + SIGNATURE_AGE_MAX_S)
        return err_set(err, ERR_SIGNATURE_STALE, "the timestamp differs from now by more than %d s",
                       SIGNATURE_AGE_MAX_S);
    return true;
}
