/* svc-utils/jwt-decode/verify.c - signatures (RFC 7518 section 3, RFC 8037). */
#include "verify.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>
#include <string.h>

#include "keys.h"
#include "text/json.h"
#include "text/passwords/secret.h"

static const struct text secrets[] = {
#define SECRET(literal) { (literal), sizeof(literal) - 1 },
#include "secrets.def"
#undef SECRET
};

/* ---- what was signed ---- */

/* Header and payload as they stand, with a dot between (RFC 7515 section 5.1). */
static struct buf signing_input(const struct token *token)
{
    struct buf input = secret_buf(token->segment[0].size + 1 + token->segment[1].size);
    buf_add(&input, token->segment[0].bytes, token->segment[0].size);
    buf_add_byte(&input, '.');
    buf_add(&input, token->segment[1].bytes, token->segment[1].size);
    return input;
}

static bool can_be_checked(const struct token *token, const struct algorithm *algorithm)
{
    return token->type == TOKEN_JWS && !token->is_detached && algorithm &&
           algorithm->family != FAMILY_LATTICE && algorithm->family != FAMILY_KEY &&
           algorithm->family != FAMILY_NONE;
}

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
    /* never NULL, which would keep the key from before */
    const unsigned char *key = (const unsigned char *)(secret.size > 0 ? secret.bytes : "");

    return EVP_MAC_init(mac, key, secret.size, NULL) &&
           EVP_MAC_update(mac, (const unsigned char *)input.bytes, input.size) &&
           EVP_MAC_final(mac, sum, &size, sizeof(sum)) && size == signature->size &&
           CRYPTO_memcmp(sum, signature->bytes, size) == 0;
}

static bool hmac_fits(const struct token *token, const struct algorithm *algorithm,
                      struct text secret, struct text input)
{
    scoped(mac_free) EVP_MAC_CTX *mac = mac_new(algorithm);
    return mac && mac_fits(mac, secret, input, &token->signature);
}

size_t verify_weak_secret(const struct token *token, const struct algorithm *algorithm)
{
    if (!can_be_checked(token, algorithm) || algorithm->family != FAMILY_HMAC ||
        token->signature.size != algorithm->signature_bytes)
        return 0;
    scoped(secret_buf_free) struct buf input = signing_input(token);
    scoped(mac_free) EVP_MAC_CTX *mac = mac_new(algorithm);
    for (size_t i = 0; mac && i < countof(secrets); i++)
        if (mac_fits(mac, secrets[i], buf_text(&input), &token->signature))
            return i + 1;
    return 0;
}

/* ---- public keys ---- */

static void md_context_free(EVP_MD_CTX **context)
{
    EVP_MD_CTX_free(*context);
    *context = NULL;
}

static void signature_free(ECDSA_SIG **signature)
{
    ECDSA_SIG_free(*signature);
    *signature = NULL;
}

/* r and s side by side become the DER that OpenSSL takes. */
static bool ecdsa_to_der(const struct buf *raw, struct buf *der)
{
    scoped(signature_free) ECDSA_SIG *signature = ECDSA_SIG_new();
    const unsigned char *bytes = (const unsigned char *)raw->bytes;
    int half = (int)raw->size / 2;
    BIGNUM *r = BN_bin2bn(bytes, half, NULL);
    BIGNUM *s = BN_bin2bn(bytes + half, half, NULL);

    if (!signature || !r || !s || !ECDSA_SIG_set0(signature, r, s)) {
        BN_free(r);
        BN_free(s);
        return false;
    }
    int size = i2d_ECDSA_SIG(signature, NULL);
    unsigned char *room = size > 0 ? (unsigned char *)buf_reserve(der, (size_t)size) : NULL;
    if (!room)
        return false;
    i2d_ECDSA_SIG(signature, &room);
    der->size += (size_t)size;
    return true;
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

static bool signature_fits(const struct algorithm *algorithm, EVP_PKEY *key, struct text input,
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

static bool public_key_fits(const struct token *token, const struct algorithm *algorithm,
                            EVP_PKEY *key, struct text input)
{
    scoped(buf_free) struct buf der = BUF(512);
    if (!key_suits(key, algorithm))
        return false;
    if (algorithm->family != FAMILY_ECDSA)
        return signature_fits(algorithm, key, input, buf_text(&token->signature));
    return token->signature.size == algorithm->signature_bytes &&
           ecdsa_to_der(&token->signature, &der) &&
           signature_fits(algorithm, key, input, buf_text(&der));
}

static bool key_fits(const struct token *token, const struct algorithm *algorithm,
                     const struct key *key, struct text input)
{
    if (algorithm->family == FAMILY_HMAC)
        return !key->public && hmac_fits(token, algorithm, buf_text(&key->secret), input);
    return key->public && public_key_fits(token, algorithm, key->public, input);
}

static bool any_key_fits(const struct token *token, const struct algorithm *algorithm,
                         const struct keys *keys)
{
    scoped(secret_buf_free) struct buf input = signing_input(token);
    for (size_t i = 0; i < keys->count; i++)
        if (key_fits(token, algorithm, &keys->item[i], buf_text(&input)))
            return true;
    return false;
}

/* Names of algorithms have a case: one that is spelled otherwise names none. */
static bool is_named_right(const struct token *token, const struct algorithm *algorithm)
{
    return algorithm && text_is(json_text_of(json_get(token->header, "alg")), algorithm->name);
}

bool verify(const struct token *token, const struct algorithm *algorithm, struct text key,
            enum verdict *verdict, struct err *err)
{
    scoped(keys_free) struct keys keys = { 0 };
    if (!keys_read(key, json_text(token->header, "/kid"), &keys, err))
        return false;
    if (token->type == TOKEN_UNSECURED)
        *verdict = VERDICT_INVALID;
    else if (!can_be_checked(token, algorithm) || !is_named_right(token, algorithm))
        *verdict = VERDICT_NONE;
    else
        *verdict = any_key_fits(token, algorithm, &keys) ? VERDICT_VALID : VERDICT_INVALID;
    return true;
}
