/* svc-utils/jwt-decode/keys.c - parses public keys and secrets. */
#include "keys.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/table.h"
#include "base/text.h"
#include "jwt-decode/token/pem.h"
#include "jwt-decode/token/ssh.h"
#include "jwt-decode/token/token.h"
#include "text/json.h"
#include "text/passwords/secret.h"

enum { JWK_DEPTH = 16 };

void keys_free(struct keys *keys)
{
    for (size_t i = 0; i < keys->count; i++) {
        EVP_PKEY_free(keys->item[i].public);
        secret_buf_free(&keys->item[i].secret);
    }
    keys->count = 0;
}

static bool add_public(struct keys *keys, EVP_PKEY *public)
{
    if (!public)
        return false;
    keys->item[keys->count++] = (struct key){ .public = public };
    return true;
}

static bool add_secret(struct keys *keys, struct buf secret)
{
    keys->item[keys->count++] = (struct key){ .secret = secret };
    return true;
}

/* ---- PEM ---- */

static bool read_pem(struct text text, struct keys *keys, struct err *err)
{
    bool is_private;
    if (add_public(keys, pem_public_key(text, &is_private)))
        return true;
    return err_set(err, ERR_INVALID_VALUE,
                   is_private ? "key is a private key: send its public key or certificate, and "
                                "treat the private key as exposed"
                              : "key is PEM, but not a public key or certificate");
}

/* ---- JWK ---- */

/* Append a member's base64url bytes. */
static bool decode_member(const cJSON *jwk, const char *name, struct buf *out)
{
    struct text text = json_text_of(json_get(jwk, name));
    bool is_canonical = true;
    return text.size > 0 && token_decode(text, out, &is_canonical);
}

static void param_build_free(OSSL_PARAM_BLD **build)
{
    OSSL_PARAM_BLD_free(*build);
    *build = NULL;
}

static EVP_PKEY *key_of(const char *type, OSSL_PARAM_BLD *build)
{
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY *key = NULL;
    if (params && context && EVP_PKEY_fromdata_init(context) > 0 &&
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    return key;
}

static void number_free(BIGNUM **number)
{
    BN_free(*number);
    *number = NULL;
}

static BIGNUM *number_of(const cJSON *jwk, const char *name)
{
    scoped(buf_free) struct buf bytes = BUF(OPENSSL_RSA_MAX_MODULUS_BITS / 8 + 1);
    if (!decode_member(jwk, name, &bytes))
        return NULL;
    return BN_bin2bn((const unsigned char *)bytes.bytes, (int)bytes.size, NULL);
}

static EVP_PKEY *read_rsa(const cJSON *jwk)
{
    scoped(number_free) BIGNUM *n = number_of(jwk, "n");
    scoped(number_free) BIGNUM *e = number_of(jwk, "e");
    scoped(param_build_free) OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    if (!n || !e || !build || !OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, n) ||
        !OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, e))
        return NULL;
    return key_of("RSA", build);
}

static const struct curve {
    const char *name; /* crv */
    const char *group;
    const char *algorithm;
    size_t bytes; /* of a coordinate */
} curves[] = {
    { "P-256", "prime256v1", "ES256", 32 },
    { "P-384", "secp384r1", "ES384", 48 },
    { "P-521", "secp521r1", "ES512", 66 },
    { "secp256k1", "secp256k1", "ES256K", 32 },
};

static EVP_PKEY *read_ec(const cJSON *jwk)
{
    const char *crv = json_text(jwk, "/crv");
    const struct curve *curve = crv ? TABLE_FIND(curves, crv) : NULL;
    scoped(buf_free) struct buf point = BUF(1 + 2 * 66);
    scoped(param_build_free) OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();

    buf_add_byte(&point, 4); /* uncompressed point (SEC 1 section 2.3.3) */
    if (!curve || !build || !decode_member(jwk, "x", &point) || point.size != 1 + curve->bytes ||
        !decode_member(jwk, "y", &point) || point.size != 1 + 2 * curve->bytes ||
        !OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, curve->group, 0) ||
        !OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point.bytes, point.size))
        return NULL;
    return key_of("EC", build);
}

static EVP_PKEY *read_okp(const cJSON *jwk)
{
    scoped(buf_free) struct buf x = BUF(64);
    const char *crv = json_text(jwk, "/crv");
    if (!crv || (strcmp(crv, "Ed25519") != 0 && strcmp(crv, "Ed448") != 0) ||
        !decode_member(jwk, "x", &x))
        return NULL;
    return EVP_PKEY_new_raw_public_key_ex(NULL, crv, NULL, (const unsigned char *)x.bytes, x.size);
}

static const struct key_type {
    const char *name; /* kty */
    EVP_PKEY *(*read)(const cJSON *jwk);
} key_types[] = {
    { "RSA", read_rsa },
    { "EC", read_ec },
    { "OKP", read_okp },
};

static bool list_contains(const cJSON *list, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        if (text_is(json_text_of(item), name))
            return true;
    return false;
}

/* A key that may sign can also verify, if it is complete. */
static bool may_check(const cJSON *jwk)
{
    const cJSON *use = json_get(jwk, "use");
    const cJSON *operations = json_get(jwk, "key_ops");
    bool is_whole = json_get(jwk, "d") || json_get(jwk, "k");
    return (!use || text_is(json_text_of(use), "sig")) &&
           (!operations || list_contains(operations, "verify") ||
            (is_whole && list_contains(operations, "sign")));
}

static struct purpose purpose_of(const cJSON *jwk)
{
    const struct algorithm *algorithm = algorithm_find(json_text(jwk, "/alg"));
    bool is_named = algorithm && text_is(json_text_of(json_get(jwk, "alg")), algorithm->name);
    return (struct purpose){
        .algorithm = is_named ? algorithm->name : NULL,
        .is_other = json_get(jwk, "alg") && !is_named,
        .is_no_signature = !may_check(jwk),
    };
}

static bool read_material(const cJSON *jwk, const char *kty, struct keys *keys)
{
    if (strcmp(kty, "oct") == 0) {
        struct buf secret = secret_buf(json_text_of(json_get(jwk, "k")).size);
        if (decode_member(jwk, "k", &secret))
            return add_secret(keys, secret);
        secret_buf_free(&secret);
        return false;
    }
    const struct key_type *type = TABLE_FIND(key_types, kty);
    bool ok = type && add_public(keys, type->read(jwk));
    ERR_clear_error();
    return ok;
}

static void read_jwk(const cJSON *jwk, struct keys *keys)
{
    const char *kty = json_text(jwk, "/kty");
    if (kty && read_material(jwk, kty, keys))
        keys->item[keys->count - 1].purpose = purpose_of(jwk);
}

static bool has_kid(const cJSON *jwk, const char *kid)
{
    const char *own = json_text(jwk, "/kid");
    return kid && own && strcmp(own, kid) == 0;
}

/*
 * Of a set, the keys with the kid of the token. Without such a key only those count that have no
 * kid at all: the others belong to other tokens.
 */
static void read_set(const cJSON *set, const char *kid, struct keys *keys)
{
    const cJSON *jwk;
    bool is_named = false;
    size_t others = 0;
    cJSON_ArrayForEach(jwk, set)
        is_named |= has_kid(jwk, kid);
    cJSON_ArrayForEach(jwk, set) {
        bool is_other = kid && (is_named ? !has_kid(jwk, kid) : json_get(jwk, "kid") != NULL);
        others += is_other;
        if (!is_other && keys->count < KEYS_MAX)
            read_jwk(jwk, keys);
    }
    keys->lacks_kid = keys->count == 0 && others > 0;
}

/* Certificates by kid, as Google publishes them: {"kid": "-----BEGIN CERTIFICATE-----..."} */
static void read_certificates(const cJSON *document, const char *kid, struct keys *keys)
{
    const cJSON *item;
    size_t others = 0;
    cJSON_ArrayForEach(item, document) {
        bool is_private;
        if (!text_begins(json_text_of(item), "-----BEGIN "))
            continue;
        if (kid && strcmp(item->string, kid) != 0)
            others++;
        else if (keys->count < KEYS_MAX)
            add_public(keys, pem_public_key(json_text_of(item), &is_private));
    }
    keys->lacks_kid = keys->count == 0 && others > 0;
}

static bool read_json_keys(struct text text, const char *kid, struct keys *keys, struct err *err)
{
    struct err why;
    scoped(json_free) cJSON *document = NULL;
    if (json_parse(text, JWK_DEPTH, &document, &why)) {
        const cJSON *set = json_is(document, cJSON_Array) ? document : json_get(document, "keys");
        if (set)
            read_set(set, kid, keys);
        else if (json_get(document, "kty"))
            read_jwk(document, keys);
        else
            read_certificates(document, kid, keys);
    }
    return keys->count > 0 || keys->lacks_kid ||
           err_set(err, ERR_INVALID_VALUE,
                   "key is neither a JWK nor a JWK set with RSA, EC, OKP or oct keys");
}

/* ---- a public key of OpenSSH ---- */

/* Also false for a point that is not on its curve: then the text may be something else. */
static bool read_ssh(struct text text, struct keys *keys)
{
    scoped(json_free) cJSON *jwk = ssh_public_jwk(text);
    if (jwk)
        read_jwk(jwk, keys);
    return keys->count > 0;
}

/* ---- any of these ---- */

/* The bytes of a secret in the given encoding; false if it is not valid. */
static bool decode_secret(struct text text, const char *encoding, struct buf *out)
{
    bool is_canonical = true;
    if (strcmp(encoding, "utf8") == 0)
        return buf_add(out, text.bytes, text.size);
    text = text_trim(text);
    if (strcmp(encoding, "hex") == 0)
        return hex_decode(out, text);
    return text.size > 0 && token_decode(text, out, &is_canonical);
}

static bool add_decoded(struct keys *keys, struct text text, const char *encoding)
{
    struct buf secret = secret_buf(text.size);
    if (!decode_secret(text, encoding, &secret)) {
        secret_buf_free(&secret);
        return false;
    }
    add_secret(keys, secret);
    keys->item[keys->count - 1].is_text = true;
    keys->item[keys->count - 1].encoding = encoding;
    return true;
}

/* Without an encoding, the text itself and what it is as hexadecimal or Base64. */
static bool read_secret(struct text text, const char *encoding, struct keys *keys, struct err *err)
{
    if (!encoding) {
        add_decoded(keys, text, "utf8");
        add_decoded(keys, text, "hex");
        add_decoded(keys, text, "base64");
        for (size_t i = 1; i < keys->count; i++)
            keys->item[i].is_guess = true;
        return true;
    }
    return add_decoded(keys, text, encoding) ||
           err_set(err, ERR_INVALID_VALUE, "key is not valid %s, as key_encoding says", encoding);
}

bool keys_read(struct text text, const char *kid, const char *encoding, struct keys *keys,
               struct err *err)
{
    struct text start = text_trim(text);
    if (text_has(start, "-----BEGIN ") && !text_begins(start, "{"))
        return read_pem(start, keys, err);
    if (text_begins(start, "{") || text_begins(start, "[{"))
        return read_json_keys(start, kid, keys, err);
    if (read_ssh(start, keys) || add_public(keys, bare_public_key(start)))
        return true;
    return read_secret(text, encoding, keys, err);
}

/* ---- the use of a key ---- */

/* Since RFC 9864 the Edwards curves have their own algorithm names. */
static bool is_same(const char *one, const struct algorithm *other)
{
    const struct algorithm *algorithm = algorithm_find(one);
    return strcmp(one, other->name) == 0 ||
           (algorithm->family == FAMILY_EDDSA && other->family == FAMILY_EDDSA);
}

static bool is_on_curve_of(const EVP_PKEY *key, const char *algorithm)
{
    char group[32];
    if (!EVP_PKEY_is_a(key, "EC") || EVP_PKEY_get_group_name(key, group, sizeof(group), NULL) != 1)
        return false;
    for (size_t i = 0; i < countof(curves); i++)
        if (strcmp(curves[i].group, group) == 0)
            return strcmp(curves[i].algorithm, algorithm) == 0;
    return false;
}

static bool has_kind(const EVP_PKEY *key, const struct algorithm *algorithm)
{
    switch (algorithm->family) {
    case FAMILY_RSA:
    case FAMILY_RSA_PSS:
        return EVP_PKEY_is_a(key, "RSA") ||
               (algorithm->family == FAMILY_RSA_PSS && EVP_PKEY_is_a(key, "RSA-PSS"));
    case FAMILY_ECDSA:
        return is_on_curve_of(key, algorithm->name);
    case FAMILY_EDDSA:
        return strcmp(algorithm->name, "EdDSA") == 0
                   ? EVP_PKEY_is_a(key, "ED25519") || EVP_PKEY_is_a(key, "ED448")
                   : EVP_PKEY_is_a(key, algorithm->name) != 0;
    case FAMILY_NONE:
    case FAMILY_HMAC:
    case FAMILY_LATTICE:
    case FAMILY_KEY:
        break;
    }
    return false;
}

/* With the exponent 1 anyone can sign, and an even exponent is invalid. */
static bool has_hollow_exponent(const EVP_PKEY *key)
{
    BIGNUM *exponent = NULL;
    if (!EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent))
        return false;
    bool is_hollow = !BN_is_odd(exponent) || BN_is_one(exponent);
    BN_free(exponent);
    return is_hollow;
}

const char *key_mismatch(const struct key *key, const struct algorithm *algorithm)
{
    if (algorithm->family == FAMILY_HMAC && key->public)
        return "requires a shared secret, but the key given is a public key";
    if (algorithm->family != FAMILY_HMAC && key->is_text)
        return "requires a public key (PEM, a certificate or a JWK), but the key given is plain "
               "text";
    if (algorithm->family != FAMILY_HMAC && !key->public)
        return "requires a public key, but the key given is a secret (kty oct)";
    if (key->public && !has_kind(key->public, algorithm))
        return "requires a public key of another type or on another curve than the key given";
    return NULL;
}

const char *key_prohibition(const struct key *key, const struct algorithm *algorithm)
{
    if (key->public && has_hollow_exponent(key->public))
        return "requires an RSA key with an odd exponent above 1: with the exponent of the key "
               "given, anyone can sign";
    if (key->purpose.is_other ||
        (key->purpose.algorithm && !is_same(key->purpose.algorithm, algorithm)))
        return "is not the alg of the JWK given";
    if (key->purpose.is_no_signature)
        return "cannot use the JWK given: its use or key_ops do not allow signature verification";
    return NULL;
}
