/* svc-utils/jwt-decode/signature.c - verifies signatures with OpenSSL. */
#include "signature.h"

#include <openssl/core_names.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <string.h>

#include "base/codec/ecdsa.h"
#include "base/scoped.h"
#include "base/text.h"

enum {
    PUBLIC_KEY_BYTES = 16384, /* RSA with 16,384 bits, OpenSSL's maximum, takes 6 KB */
    CURVE_COST = 400,         /* the slowest is P-521 */
};

static const struct text secrets[] = {
#define SECRET(literal) { (literal), sizeof(literal) - 1 },
#include "secrets.def"
#undef SECRET
};

/* ---- HMAC ---- */

static void mac_free(EVP_MAC_CTX **context)
{
    EVP_MAC_CTX_free(*context);
    *context = NULL;
}

static EVP_MAC_CTX *mac_new(const struct algorithm *algorithm)
{
    char digest[16];
    snprintf(digest, sizeof(digest), "%s", algorithm->digest);
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac);
    if (context && !EVP_MAC_CTX_set_params(context, params))
        mac_free(&context);
    return context;
}

static bool mac_fits(EVP_MAC_CTX *mac, struct text secret, struct text input,
                     const struct buf *signature)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    size_t size;
    /* never NULL: that would keep the previous key */
    const unsigned char *key = (const unsigned char *)(secret.size > 0 ? secret.bytes : "");

    return EVP_MAC_init(mac, key, secret.size, NULL) &&
           EVP_MAC_update(mac, (const unsigned char *)input.bytes, input.size) &&
           EVP_MAC_final(mac, sum, &size, sizeof(sum)) && size == signature->size &&
           CRYPTO_memcmp(sum, signature->bytes, size) == 0;
}

bool signature_of_secret(const struct algorithm *algorithm, struct text secret, struct text input,
                         const struct buf *signature)
{
    scoped(mac_free) EVP_MAC_CTX *mac = mac_new(algorithm);
    return mac && mac_fits(mac, secret, input, signature);
}

size_t signature_known_secret(struct text secret)
{
    while (secret.size > 0 && secret.bytes[secret.size - 1] == '\0')
        secret.size--; /* HMAC fills keys up with zeros: RFC 2104 section 2 */
    for (size_t i = 0; i < countof(secrets); i++)
        if (text_equals(secrets[i], secret))
            return i + 1;
    return 0;
}

size_t signature_of_known_secret(const struct algorithm *algorithm, struct text input,
                                 const struct buf *signature)
{
    scoped(mac_free) EVP_MAC_CTX *mac = mac_new(algorithm);
    for (size_t i = 0; mac && i < countof(secrets); i++)
        if (mac_fits(mac, secrets[i], input, signature))
            return i + 1;
    return 0;
}

/* ---- public keys ---- */

static void md_context_free(EVP_MD_CTX **context)
{
    EVP_MD_CTX_free(*context);
    *context = NULL;
}

static bool set_padding(EVP_PKEY_CTX *context, const struct algorithm *algorithm)
{
    if (algorithm->family == FAMILY_RSA)
        return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) > 0;
    if (algorithm->family == FAMILY_RSA_PSS)
        return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0 &&
               EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) > 0;
    return true;
}

static bool hmac_fits(const struct algorithm *algorithm, EVP_PKEY *key, struct text input,
                      struct text signature)
{
    scoped(md_context_free) EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pkey; /* belongs to context */

    return context &&
           EVP_DigestVerifyInit_ex(context, &pkey, algorithm->digest, NULL, NULL, key, NULL) > 0 &&
           set_padding(pkey, algorithm) &&
           EVP_DigestVerify(context, (const unsigned char *)signature.bytes, signature.size,
                            (const unsigned char *)input.bytes, input.size) == 1;
}

bool signature_of_key(const struct algorithm *algorithm, EVP_PKEY *key, struct text input,
                      const struct buf *signature)
{
    scoped(buf_free) struct buf der = BUF(512);
    if (algorithm->family != FAMILY_ECDSA)
        return hmac_fits(algorithm, key, input, buf_text(signature));
    return signature->size == algorithm->signature_bytes &&
           ecdsa_to_der(buf_text(signature), &der) &&
           hmac_fits(algorithm, key, input, buf_text(&der));
}

/* ---- public keys as secrets ---- */

static bool add_pem(EVP_PKEY *key, struct buf *out)
{
    char *bytes = NULL; /* belongs to the BIO */
    BIO *bio = BIO_new(BIO_s_mem());
    long size = bio && PEM_write_bio_PUBKEY(bio, key) ? BIO_get_mem_data(bio, &bytes) : 0;
    bool ok = size > 0 && buf_add(out, bytes, (size_t)size);
    BIO_free(bio);
    return ok;
}

static bool add_der(EVP_PKEY *key, struct buf *out)
{
    int size = i2d_PUBKEY(key, NULL);
    unsigned char *room = size > 0 ? (unsigned char *)buf_reserve(out, (size_t)size) : NULL;
    if (!room)
        return false;
    out->size += (size_t)i2d_PUBKEY(key, &room);
    return true;
}

/* Try the text without blanks at its ends, and with one line feed at its end. */
static bool fits_text(EVP_MAC_CTX *mac, struct text text, struct text input,
                      const struct buf *signature)
{
    struct text bare = text_trim(text);
    scoped(buf_free) struct buf line = BUF(bare.size + 1);
    buf_add(&line, bare.bytes, bare.size);
    buf_add_byte(&line, '\n');
    return mac_fits(mac, text, input, signature) || mac_fits(mac, bare, input, signature) ||
           mac_fits(mac, buf_text(&line), input, signature);
}

bool signature_of_public_text(const struct algorithm *algorithm, EVP_PKEY *key, struct text given,
                              struct text input, const struct buf *signature)
{
    scoped(mac_free) EVP_MAC_CTX *mac = mac_new(algorithm);
    scoped(buf_free) struct buf pem = BUF(PUBLIC_KEY_BYTES);
    scoped(buf_free) struct buf der = BUF(PUBLIC_KEY_BYTES);
    if (!mac || !add_pem(key, &pem) || !add_der(key, &der))
        return false;
    return fits_text(mac, given, input, signature) ||
           fits_text(mac, buf_text(&pem), input, signature) ||
           mac_fits(mac, buf_text(&der), input, signature);
}

/* ---- cost ---- */

int64_t signature_cost(const EVP_PKEY *key, size_t input_bytes)
{
    int64_t hashed = 20 + (int64_t)input_bytes / 200;
    BIGNUM *exponent = NULL;
    if (!key)
        return hashed;
    if (!EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent))
        return hashed + CURVE_COST;
    int64_t kilobits = EVP_PKEY_get_bits(key) / 1024 + 1;
    int64_t bits = BN_num_bits(exponent);
    BN_free(exponent);
    return hashed + kilobits * kilobits * bits / 2;
}
