/* tests/unit/portal/oauth/clients/assertion.c - which assertions prove who a client is. */
#include "portal/oauth/clients/assertion.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>
#include <sodium.h>
#include <string.h>

#include "base/codec/base64.h"
#include "portal/base/url-text.h"
#include "rows.h"
#include "text/json.h"

#define ID     "https://app.example.net/client.json"
#define ISSUER "https://api.example.com"
#define NOW_S  1800000000LL

/* ---- keys and signatures, as a client makes them ---- */

static EVP_PKEY *rsa, *small_rsa, *ec, *other_ec;

enum signer { RS256, ES256, HS256, UNSIGNED, OTHER, SMALL, SWAPPED, PADDED };

static void add_part(struct buf *out, const void *bytes, size_t size)
{
    char text[URL_TEXT_BYTES(4096)];
    assert_true(size <= 4096);
    url_text_write(bytes, size, text, sizeof(text));
    buf_add_str(out, text);
}

static void add_number(cJSON *jwk, const char *name, EVP_PKEY *key, const char *param, int size)
{
    unsigned char bytes[512];
    char text[URL_TEXT_BYTES(512)];
    BIGNUM *number = NULL;
    assert_true(EVP_PKEY_get_bn_param(key, param, &number));
    size = size ? size : BN_num_bytes(number);
    assert_int_equal(BN_bn2binpad(number, bytes, size), size);
    url_text_write(bytes, (size_t)size, text, sizeof(text));
    json_str(jwk, name, text);
    BN_free(number);
}

static cJSON *add_rsa(cJSON *list, const char *kid, EVP_PKEY *key)
{
    cJSON *jwk = json_item(list);
    json_str(jwk, "kty", "RSA");
    json_str(jwk, "kid", kid);
    add_number(jwk, "n", key, OSSL_PKEY_PARAM_RSA_N, 0);
    add_number(jwk, "e", key, OSSL_PKEY_PARAM_RSA_E, 0);
    return jwk;
}

static cJSON *add_ec(cJSON *list, const char *kid, EVP_PKEY *key)
{
    cJSON *jwk = json_item(list);
    json_str(jwk, "kty", "EC");
    json_str(jwk, "crv", "P-256");
    json_str(jwk, "kid", kid);
    add_number(jwk, "x", key, OSSL_PKEY_PARAM_EC_PUB_X, 32);
    add_number(jwk, "y", key, OSSL_PKEY_PARAM_EC_PUB_Y, 32);
    return jwk;
}

/* kid r, e: good. The others must verify nothing. */
static cJSON *key_set(void)
{
    cJSON *set = json_object();
    cJSON *list = json_list(set, "keys");
    add_rsa(list, "r", rsa);
    add_ec(list, "e", ec);
    add_rsa(list, "small", small_rsa);
    json_str(add_rsa(list, "encrypts", rsa), "use", "enc");
    json_str(add_rsa(list, "other-alg", rsa), "alg", "PS256");
    json_item_str(json_list(add_rsa(list, "signs", rsa), "key_ops"), "sign");
    json_str(add_rsa(list, "private", rsa), "d", "AAAA");
    cJSON *one = add_rsa(list, "e=1", rsa);
    json_free(&(cJSON *){ json_take(one, "e") });
    json_str(one, "e", "AQ");
    cJSON *off = add_ec(list, "off-curve", ec);
    json_free(&(cJSON *){ json_take(off, "y") });
    json_str(off, "y", json_text(off, "/x"));
    cJSON *curve = add_ec(list, "other-curve", ec);
    json_free(&(cJSON *){ json_take(curve, "crv") });
    json_str(curve, "crv", "P-384");
    cJSON *secret = json_item(list);
    json_str(secret, "kty", "oct");
    json_str(secret, "kid", "secret");
    json_str(secret, "k", "AAAA");
    for (int i = 0; i < 3; i++)
        add_rsa(list, "thrice", i < 2 ? small_rsa : rsa);
    return set;
}

static size_t sign_with(EVP_PKEY *key, struct text input, unsigned char *out, size_t room)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    assert_true(
        EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) > 0 &&
        EVP_DigestSign(context, out, &room, (const unsigned char *)input.bytes, input.size) > 0);
    EVP_MD_CTX_free(context);
    return room;
}

static size_t sign_raw(EVP_PKEY *key, struct text input, unsigned char out[64], bool is_swapped)
{
    unsigned char der[128];
    const unsigned char *at = der;
    size_t size = sign_with(key, input, der, sizeof(der));
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &at, (long)size);
    BN_bn2binpad(ECDSA_SIG_get0_r(signature), out + (is_swapped ? 32 : 0), 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(signature), out + (is_swapped ? 0 : 32), 32);
    ECDSA_SIG_free(signature);
    return 64;
}

/* What RSA signs (RFC 8017 section 9.2): with an exponent of 1 it is its own signature. */
static size_t pad(struct text input, unsigned char out[256])
{
    static const unsigned char sha256[] = { 0x00, 0x30, 0x31, 0x30, 0x0d, 0x06, 0x09,
                                            0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04,
                                            0x02, 0x01, 0x05, 0x00, 0x04, 0x20 };
    memset(out, 0xff, 256);
    out[0] = 0;
    out[1] = 1;
    memcpy(out + 256 - 32 - sizeof(sha256), sha256, sizeof(sha256));
    crypto_hash_sha256(out + 256 - 32, (const unsigned char *)input.bytes, input.size);
    return 256;
}

static size_t sign(enum signer signer, struct text input, unsigned char out[1024])
{
    unsigned char *der = NULL;
    unsigned size = 0;
    int key_bytes;
    switch (signer) {
    case RS256:
        return sign_with(rsa, input, out, 1024);
    case SMALL:
        return sign_with(small_rsa, input, out, 1024);
    case ES256:
        return sign_raw(ec, input, out, false);
    case SWAPPED:
        return sign_raw(ec, input, out, true);
    case PADDED:
        return pad(input, out);
    case OTHER:
        return sign_raw(other_ec, input, out, false);
    case HS256: /* with the published key as the secret */
        key_bytes = i2d_PublicKey(rsa, &der);
        HMAC(EVP_sha256(), der, key_bytes, (const unsigned char *)input.bytes, input.size, out,
             &size);
        OPENSSL_free(der);
        return size;
    case UNSIGNED:
        break;
    }
    return 0;
}

/* ---- the table ---- */

#define RSA_HEADER "{'alg':'RS256','kid':'r'}"
#define EC_HEADER  "{'alg':'ES256','kid':'e'}"
#define WHO        "'iss':'" ID "','sub':'" ID "'"
#define CLAIMS     "{" WHO ",'aud':'" ISSUER "','exp':1800000060,'jti':'1'}"
#define WITH(more) "{" WHO ",'aud':'" ISSUER "','exp':1800000060,'jti':'1'," more "}"
#define FOR(aud)   "{" WHO ",'aud':" aud ",'exp':1800000060,'jti':'1'}"
#define UNTIL(exp) "{" WHO ",'aud':'" ISSUER "','exp':" exp ",'jti':'1'}"
#define X64        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

#define FORGED     "a signature"

static const struct row {
    const char *name;
    const char *header; /* with 'single quotes' for JSON's double ones */
    const char *claims;
    enum signer signer;
    const char *want; /* part of the reason; FORGED: only the signature is wrong; NULL: good */
} rows[] = {
    { "RS256", RSA_HEADER, CLAIMS, RS256, NULL },
    { "ES256", EC_HEADER, CLAIMS, ES256, NULL },
    { "with more", "{'alg':'RS256','kid':'r','typ':'JWT','x':[1]}", WITH("'x':1"), RS256, NULL },
    { "for the token endpoint", RSA_HEADER, FOR("'" ISSUER "/oauth/token'"), RS256, NULL },
    { "for a list with us", RSA_HEADER, FOR("['https://x.test','" ISSUER "']"), RS256, NULL },
    { "no jti", RSA_HEADER, "{" WHO ",'aud':'" ISSUER "','exp':1800000060}", RS256, NULL },
    { "expires in 5 minutes", RSA_HEADER, UNTIL("1800000300"), RS256, NULL },
    { "a fraction of a second", RSA_HEADER, UNTIL("1800000060.5"), RS256, NULL },
    { "a clock that is slow", RSA_HEADER, UNTIL("1799999941"), RS256, NULL },
    { "a clock that is fast", RSA_HEADER, UNTIL("1800000360"), RS256, NULL },
    { "made now", RSA_HEADER, WITH("'iat':1800000000,'nbf':1800000000"), RS256, NULL },
    { "the right one of several keys", "{'alg':'RS256','kid':'thrice'}", CLAIMS, RS256, NULL },

    { "none", "{'alg':'none','kid':'r'}", CLAIMS, UNSIGNED, "a JWT" },
    { "none with a signature", "{'alg':'none','kid':'r'}", CLAIMS, RS256, "RS256 or ES256" },
    { "none in another case", "{'alg':'nOnE','kid':'r'}", CLAIMS, RS256, "RS256 or ES256" },
    { "HS256 with the public key", "{'alg':'HS256','kid':'r'}", CLAIMS, HS256, "RS256 or ES256" },
    { "RS384", "{'alg':'RS384','kid':'r'}", CLAIMS, RS256, "RS256 or ES256" },
    { "PS256", "{'alg':'PS256','kid':'r'}", CLAIMS, RS256, "RS256 or ES256" },
    { "rs256", "{'alg':'rs256','kid':'r'}", CLAIMS, RS256, "RS256 or ES256" },
    { "no algorithm", "{'kid':'r'}", CLAIMS, RS256, "RS256 or ES256" },
    { "an algorithm that is a list", "{'alg':['RS256'],'kid':'r'}", CLAIMS, RS256,
      "RS256 or ES256" },
    { "no kid", "{'alg':'RS256'}", CLAIMS, RS256, "kid" },
    { "an empty kid", "{'alg':'RS256','kid':''}", CLAIMS, RS256, "kid" },
    { "a kid of 256 bytes", "{'alg':'RS256','kid':'" X64 X64 X64 X64 "'}", CLAIMS, RS256, "kid" },
    { "a kid with a NUL", "{'alg':'RS256','kid':'r\\u0000'}", CLAIMS, RS256, "kid" },
    { "crit", "{'alg':'RS256','kid':'r','crit':['exp']}", CLAIMS, RS256, "crit" },
    { "alg twice", "{'alg':'RS256','alg':'RS256','kid':'r'}", CLAIMS, RS256, "a JWT" },
    { "a header that is a list", "['RS256']", CLAIMS, RS256, "a JWT" },
    { "claims that are a text", RSA_HEADER, "'x'", RS256, "a JWT" },
    { "claims that are not JSON", RSA_HEADER, "x", RS256, "a JWT" },
    { "claims that are not UTF-8", RSA_HEADER, "{'x':'\xff'}", RS256, "a JWT" },
    { "no signature", RSA_HEADER, CLAIMS, UNSIGNED, "a JWT" },

    { "no sub", RSA_HEADER, "{'iss':'" ID "','aud':'" ISSUER "','exp':1800000060}", RS256, "sub" },
    { "another sub", RSA_HEADER,
      "{'iss':'" ID "','sub':'https://evil.test/c','aud':'" ISSUER "','exp':1800000060}", RS256,
      "iss and sub" },
    { "a sub with a NUL", RSA_HEADER,
      "{'iss':'" ID "','sub':'" ID "\\u0000','aud':'" ISSUER "','exp':1800000060}", RS256, "sub" },
    { "another iss", RSA_HEADER,
      "{'iss':'https://evil.test/c','sub':'" ID "','aud':'" ISSUER "','exp':1800000060}", RS256,
      "iss and sub" },
    { "no iss", RSA_HEADER, "{'sub':'" ID "','aud':'" ISSUER "','exp':1800000060}", RS256,
      "iss and sub" },
    { "no aud", RSA_HEADER, "{" WHO ",'exp':1800000060}", RS256, "aud" },
    { "for another server", RSA_HEADER, FOR("'https://evil.test'"), RS256, "aud" },
    { "for a longer name", RSA_HEADER, FOR("'" ISSUER ".evil.test'"), RS256, "aud" },
    { "with a slash", RSA_HEADER, FOR("'" ISSUER "/'"), RS256, "aud" },
    { "for the resource", RSA_HEADER, FOR("'" ISSUER "/mcp'"), RS256, "aud" },
    { "for an object", RSA_HEADER, FOR("{'x':'" ISSUER "'}"), RS256, "aud" },
    { "for nobody", RSA_HEADER, FOR("[]"), RS256, "aud" },
    { "no exp", RSA_HEADER, "{" WHO ",'aud':'" ISSUER "'}", RS256, "exp" },
    { "an exp that is a text", RSA_HEADER, UNTIL("'1800000060'"), RS256, "exp" },
    { "expired", RSA_HEADER, UNTIL("1799999940"), RS256, "expired" },
    { "expired in 1970", RSA_HEADER, UNTIL("0"), RS256, "expired" },
    { "a negative exp", RSA_HEADER, UNTIL("-1e300"), RS256, "expired" },
    { "too long", RSA_HEADER, UNTIL("1800000361"), RS256, "300 s" },
    { "for ever", RSA_HEADER, UNTIL("1e300"), RS256, "300 s" },
    { "an infinite exp", RSA_HEADER, UNTIL("1e999"), RS256, "300 s" },
    { "in milliseconds", RSA_HEADER, UNTIL("1800000060000"), RS256, "300 s" },
    { "not yet", RSA_HEADER, WITH("'nbf':1800000061"), RS256, "nbf" },
    { "made in the future", RSA_HEADER, WITH("'iat':1800000061"), RS256, "iat" },
    { "an iat that is a text", RSA_HEADER, WITH("'iat':'x'"), RS256, "iat" },
    { "a jti that is a number", RSA_HEADER, "{" WHO ",'aud':'" ISSUER "','exp':1800000060,'jti':1}",
      RS256, "jti" },
    { "an empty jti", RSA_HEADER, "{" WHO ",'aud':'" ISSUER "','exp':1800000060,'jti':''}", RS256,
      "jti" },

    { "an unknown kid", "{'alg':'RS256','kid':'x'}", CLAIMS, RS256, FORGED },
    { "another's key", EC_HEADER, CLAIMS, OTHER, FORGED },
    { "r and s swapped", EC_HEADER, CLAIMS, SWAPPED, FORGED },
    { "the kid of another kind", "{'alg':'RS256','kid':'e'}", CLAIMS, RS256, FORGED },
    { "the algorithm of another kind", "{'alg':'ES256','kid':'r'}", CLAIMS, ES256, FORGED },
    { "an RSA signature as ES256", EC_HEADER, CLAIMS, RS256, FORGED },
    { "1,024 bits", "{'alg':'RS256','kid':'small'}", CLAIMS, SMALL, FORGED },
    { "a key for encryption", "{'alg':'RS256','kid':'encrypts'}", CLAIMS, RS256, FORGED },
    { "a key of another algorithm", "{'alg':'RS256','kid':'other-alg'}", CLAIMS, RS256, FORGED },
    { "a key that only signs", "{'alg':'RS256','kid':'signs'}", CLAIMS, RS256, FORGED },
    { "a private key in public", "{'alg':'RS256','kid':'private'}", CLAIMS, RS256, FORGED },
    { "an exponent of 1", "{'alg':'RS256','kid':'e=1'}", CLAIMS, PADDED, FORGED },
    { "a point beside the curve", "{'alg':'ES256','kid':'off-curve'}", CLAIMS, ES256, FORGED },
    { "another curve", "{'alg':'ES256','kid':'other-curve'}", CLAIMS, ES256, FORGED },
    { "a secret", "{'alg':'RS256','kid':'secret'}", CLAIMS, RS256, FORGED },
};

static void add_json(struct buf *out, const char *quoted)
{
    scoped(mem_free) char *json = str_dup(quoted);
    for (char *at = json; *at; at++)
        if (*at == '\'')
            *at = '"';
    add_part(out, json, strlen(json));
}

static char *jwt_of(const char *header, const char *claims, enum signer signer)
{
    struct buf jwt = BUF(ASSERTION_MAX_BYTES);
    unsigned char signature[1024];
    add_json(&jwt, header);
    buf_add_byte(&jwt, '.');
    add_json(&jwt, claims);
    size_t size = sign(signer, buf_text(&jwt), signature);
    buf_add_byte(&jwt, '.');
    add_part(&jwt, signature, size);
    return buf_take(&jwt);
}

/* What is wrong with it; NULL: nothing. */
static const char *judge(const char *jwt)
{
    scoped(json_free) cJSON *keys = key_set();
    struct assertion assertion;
    const char *problem = assertion_read(text_of(jwt), &assertion);
    if (!problem)
        problem = assertion_check(&assertion, ID, ISSUER, NOW_S * 1000);
    if (!problem && !assertion_is_signed(&assertion, keys))
        problem = FORGED;
    assertion_free(&assertion);
    return problem;
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(mem_free) char *jwt = jwt_of(row->header, row->claims, row->signer);
    const char *problem = judge(jwt);
    if (!row->want)
        assert_null(problem);
    else if (!problem || !strstr(problem, row->want))
        fail_msg("%s", problem ? problem : "it is good");
}

/* ---- whole assertions ---- */

static void each_character_counts(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        enum signer signer;
    } both[] = { { RSA_HEADER, RS256 }, { EC_HEADER, ES256 } };
    for (size_t which = 0; which < countof(both); which++) {
        scoped(mem_free) char *jwt = jwt_of(both[which].header, CLAIMS, both[which].signer);
        assert_null(judge(jwt));
        for (size_t i = 0; i < strlen(jwt); i += 7) {
            char kept = jwt[i];
            jwt[i] = kept == 'A' ? 'B' : 'A';
            assert_non_null(judge(jwt));
            jwt[i] = kept;
        }
    }
}

static void other_forms(void **state)
{
    (void)state;
    scoped(mem_free) char *jwt = jwt_of(RSA_HEADER, CLAIMS, RS256);
    static const char *const others[] = { "",         ".",          "..",  "...",       "a.b.c",
                                          "e30.e30.", "e30.e30.AA", "e30", "tg_live_x", "{}" };
    static const char *const ends[] = { "=", ".", ".AA", "\n", " ", "A" };
    for (size_t i = 0; i < countof(others); i++)
        assert_non_null(judge(others[i]));
    for (size_t i = 0; i < countof(ends); i++) {
        scoped(mem_free) char *longer = str_format("%s%s", jwt, ends[i]);
        assert_non_null(judge(longer));
    }
    scoped(mem_free) char *before = str_format(" %s", jwt);
    assert_non_null(judge(before));
    for (size_t size = 0; size < strlen(jwt); size += 5) {
        scoped(mem_free) char *cut = mem_dup(jwt, size);
        assert_non_null(judge(cut));
    }
}

static void an_assertion_has_at_most_8192_bytes(void **state)
{
    (void)state;
    struct assertion assertion;
    scoped(mem_free) char *jwt = str_format("%0*d.e30.AA", ASSERTION_MAX_BYTES, 0);
    assert_string_equal(assertion_read(text_of(jwt), &assertion), "must have at most 8,192 bytes");
    assertion_free(&assertion);
}

static void digest_of(const char *jwt, uint8_t digest[ASSERTION_DIGEST_BYTES])
{
    struct assertion assertion;
    assert_null(assertion_read(text_of(jwt), &assertion));
    assertion_digest(&assertion, digest);
    assertion_free(&assertion);
}

/* A jti names it. Without one, its content does, so that a new signature makes no difference. */
static void a_copy_has_the_same_digest(void **state)
{
    (void)state;
#define BARE "{" WHO ",'aud':'" ISSUER "','exp':1800000060}"
    static const struct {
        const char *one;
        const char *other;
        bool is_same;
    } pairs[] = {
        { CLAIMS, CLAIMS, true },
        { CLAIMS, WITH("'x':1"), true },
        { BARE, BARE, true },
        { BARE, "{" WHO ",'aud':'" ISSUER "','exp':1800000061}", false },
        { BARE, CLAIMS, false },
        { CLAIMS, "{" WHO ",'aud':'" ISSUER "','exp':1800000060,'jti':'2'}", false },
        { CLAIMS, "{'iss':'https://a.test/','sub':'https://a.test/','jti':'1'}", false },
    };
    for (size_t i = 0; i < countof(pairs); i++) {
        scoped(mem_free) char *one = jwt_of(EC_HEADER, pairs[i].one, ES256);
        scoped(mem_free) char *other = jwt_of(EC_HEADER, pairs[i].other, ES256);
        uint8_t digest[ASSERTION_DIGEST_BYTES], other_digest[ASSERTION_DIGEST_BYTES];
        digest_of(one, digest);
        digest_of(other, other_digest);
        assert_int_equal(memcmp(digest, other_digest, sizeof(digest)) == 0, pairs[i].is_same);
    }
}

static void other_key_sets(void **state)
{
    (void)state;
    static const char *const sets[] = { "{}",
                                        "[]",
                                        "{\"keys\":{}}",
                                        "{\"keys\":[]}",
                                        "{\"keys\":[1,null,[],{}]}",
                                        "{\"keys\":[{\"kid\":\"r\",\"kty\":\"RSA\"}]}",
                                        "{\"keys\":[{\"kid\":\"r\",\"kty\":\"RSA\",\"n\":1}]}",
                                        ("{\"keys\":[{\"kid\":\"r\",\"kty\":\"RSA\",\"n\":\"\","
                                         "\"e\":\"\"}]}") };
    scoped(mem_free) char *jwt = jwt_of(RSA_HEADER, CLAIMS, RS256);
    struct assertion assertion;
    assert_null(assertion_read(text_of(jwt), &assertion));
    for (size_t i = 0; i < countof(sets); i++) {
        scoped(json_free) cJSON *keys = NULL;
        struct err err = { 0 };
        assert_true(json_parse(text_of(sets[i]), 8, &keys, &err));
        assert_false(assertion_is_signed(&assertion, keys));
        assert_int_equal(assertion_finds_key(&assertion, keys), i > 4);
    }
    assertion_free(&assertion);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_character_counts),
        cmocka_unit_test(other_forms),
        cmocka_unit_test(an_assertion_has_at_most_8192_bytes),
        cmocka_unit_test(a_copy_has_the_same_digest),
        cmocka_unit_test(other_key_sets),
    };
    rsa = EVP_RSA_gen(2048);
    small_rsa = EVP_RSA_gen(1024);
    ec = EVP_EC_gen("P-256");
    other_ec = EVP_EC_gen("P-256");
    if (sodium_init() < 0 || !rsa || !small_rsa || !ec || !other_ec)
        return 1;
    int failures = cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
    EVP_PKEY_free(rsa);
    EVP_PKEY_free(small_rsa);
    EVP_PKEY_free(ec);
    EVP_PKEY_free(other_ec);
    return failures;
}
