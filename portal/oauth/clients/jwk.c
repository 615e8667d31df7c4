/* portal/oauth/clients/jwk.c - see jwk.h. */
#include "portal/oauth/clients/jwk.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include "base/buf.h"
#include "base/codec/base64.h"
#include "base/codec/ecdsa.h"
#include "text/json.h"

enum {
    RSA_MIN_BITS = 2048,
    RSA_MAX_BITS = 8192, /* bounds the time of a verification */
    EXPONENT_MAX_BITS = 32,
    COORDINATE_BYTES = 32,
    DER_MAX_BYTES = 80,
};

/* ---- freeing ---- */

static void free_number(BIGNUM **number)
{
    BN_free(*number);
    *number = NULL;
}

static void free_build(OSSL_PARAM_BLD **build)
{
    OSSL_PARAM_BLD_free(*build);
    *build = NULL;
}

static void free_context(EVP_PKEY_CTX **context)
{
    EVP_PKEY_CTX_free(*context);
    *context = NULL;
}

static void free_digest(EVP_MD_CTX **context)
{
    EVP_MD_CTX_free(*context);
    *context = NULL;
}

/* ---- which key ---- */

static bool has_text(const cJSON *list, const char *text)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        if (text_is(json_text_of(item), text))
            return true;
    return false;
}

/* A member that is present must have this value. */
static bool is_absent_or(const cJSON *jwk, const char *name, const char *value)
{
    const cJSON *member = json_get(jwk, name);
    return !member || text_is(json_text_of(member), value);
}

bool jwk_may_verify(const cJSON *jwk, enum jwk_kind kind, const char *algorithm)
{
    const cJSON *operations = json_get(jwk, "key_ops");
    bool is_private = json_get(jwk, "d") || json_get(jwk, "k");
    const char *type = kind == JWK_RSA ? "RSA" : "EC";
    return !is_private && text_is(json_text_of(json_get(jwk, "kty")), type) &&
           is_absent_or(jwk, "alg", algorithm) && is_absent_or(jwk, "use", "sig") &&
           (!operations || has_text(operations, "verify"));
}

/* ---- its material ---- */

/* base64url without padding (RFC 7515 section 2). */
static bool decode(const cJSON *jwk, const char *name, struct buf *out)
{
    struct text text = json_text_of(json_get(jwk, name));
    return text.size > 0 && !text_has(text, "=") && !text_has(text, "+") && !text_has(text, "/") &&
           base64_decode(out, text);
}

static EVP_PKEY *make_key(const char *type, OSSL_PARAM_BLD *build)
{
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    scoped(free_context) EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY *key = NULL;
    if (params && context && EVP_PKEY_fromdata_init(context) > 0 &&
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) <= 0)
        key = NULL;
    OSSL_PARAM_free(params);
    return key;
}

static BIGNUM *decode_number(const cJSON *jwk, const char *name)
{
    scoped(buf_free) struct buf bytes = BUF(RSA_MAX_BITS / 8 + 1);
    if (!decode(jwk, name, &bytes))
        return NULL;
    return BN_bin2bn((const unsigned char *)bytes.bytes, (int)bytes.size, NULL);
}

/* An exponent of 1 or an even one lets anybody sign. */
static bool is_strong(const BIGNUM *n, const BIGNUM *e)
{
    return BN_num_bits(n) >= RSA_MIN_BITS && BN_num_bits(n) <= RSA_MAX_BITS && BN_is_odd(n) &&
           BN_is_odd(e) && !BN_is_one(e) && BN_num_bits(e) <= EXPONENT_MAX_BITS;
}

static EVP_PKEY *read_rsa(const cJSON *jwk)
{
    scoped(free_number) BIGNUM *n = decode_number(jwk, "n");
    scoped(free_number) BIGNUM *e = decode_number(jwk, "e");
    scoped(free_build) OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    if (!n || !e || !build || !is_strong(n, e) ||
        !OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, n) ||
        !OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, e))
        return NULL;
    return make_key("RSA", build);
}

/* OpenSSL rejects a point that is not on the curve. */
static EVP_PKEY *read_p256(const cJSON *jwk)
{
    scoped(buf_free) struct buf point = BUF(1 + 2 * COORDINATE_BYTES);
    scoped(free_build) OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    buf_add_byte(&point, 4); /* uncompressed (SEC 1 section 2.3.3) */
    if (!build || !text_is(json_text_of(json_get(jwk, "crv")), "P-256") ||
        !decode(jwk, "x", &point) || point.size != 1 + COORDINATE_BYTES ||
        !decode(jwk, "y", &point) || point.size != 1 + 2 * COORDINATE_BYTES ||
        !OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) ||
        !OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point.bytes, point.size))
        return NULL;
    return make_key("EC", build);
}

EVP_PKEY *jwk_public_key(const cJSON *jwk, enum jwk_kind kind)
{
    EVP_PKEY *key = kind == JWK_RSA ? read_rsa(jwk) : read_p256(jwk);
    ERR_clear_error();
    return key;
}

/* ---- signatures ---- */

static bool verify(EVP_PKEY *key, enum jwk_kind kind, struct text input, struct text signature)
{
    scoped(free_digest) EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pkey; /* belongs to context */
    return context &&
           EVP_DigestVerifyInit_ex(context, &pkey, "SHA256", NULL, NULL, key, NULL) > 0 &&
           (kind != JWK_RSA || EVP_PKEY_CTX_set_rsa_padding(pkey, RSA_PKCS1_PADDING) > 0) &&
           EVP_DigestVerify(context, (const unsigned char *)signature.bytes, signature.size,
                            (const unsigned char *)input.bytes, input.size) == 1;
}

bool jwk_verifies(EVP_PKEY *key, enum jwk_kind kind, struct text input, struct text signature)
{
    scoped(buf_free) struct buf der = BUF(DER_MAX_BYTES);
    bool ok = kind == JWK_RSA
                  ? verify(key, kind, input, signature)
                  : signature.size == 2 * COORDINATE_BYTES && ecdsa_to_der(signature, &der) &&
                        verify(key, kind, input, buf_text(&der));
    ERR_clear_error();
    return ok;
}
