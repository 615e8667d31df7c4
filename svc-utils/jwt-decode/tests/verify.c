/*
 * svc-utils/jwt-decode/tests/verify.c - which keys and payloads jwt-decode accepts to verify a
 * signature.
 */
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/codec/base64.h"
#include "tool.h"
#include "tools.h"

static const struct signed_token {
    const char *name;
    const char *token;
    const char *pem; /* or secret */
    const char *jwk; /* or a set */
} signed_tokens[] = {
#define KEY(name, token, pem, jwk) { name, token, pem, jwk },
#include "jwt-keys.def"
#undef KEY
};

static const struct signed_token *signed_by(const char *name)
{
    for (size_t i = 0; i < countof(signed_tokens); i++)
        if (strcmp(signed_tokens[i].name, name) == 0)
            return &signed_tokens[i];
    fail_msg("no token is signed by %s", name);
    return NULL;
}

static void decode(const cJSON *request, cJSON *result)
{
    scoped(buf_free) struct buf body = BUF(1 << 17);
    struct err err = { 0 };
    json_print(request, &body);
    if (!run_tool(jwt_decode, "jwt-decode", buf_str(&body), result, NULL, &err))
        fail_msg("%s", err.message);
}

static const cJSON *warning(const cJSON *result, const char *code)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(result, "warnings"))
        if (strcmp(json_text(item, "/code"), code) == 0)
            return item;
    return NULL;
}

static void expect(const cJSON *result, const char *pointer, const char *want)
{
    scoped(buf_free) struct buf got = BUF(1 << 14);
    scoped(buf_free) struct buf quoted = BUF(1 << 14);
    const cJSON *node = json_at(result, pointer);
    add_quoted(&quoted, want);
    assert_non_null(node);
    json_print(node, &got);
    assert_string_equal(buf_str(&got), buf_str(&quoted));
}

/* ---- the declared use of a JWK ---- */

static const struct purpose_row {
    const char *name;
    const char *signer;  /* of jwt-keys.def */
    const char *members; /* added to its JWK */
    bool verifies;
} purposes[] = {
    { "its own alg", "RS256", "'alg':'RS256',", true },
    { "use sig", "RS256", "'use':'sig',", true },
    { "key_ops verify", "RS256", "'key_ops':['verify'],", true },
    { "key_ops sign and verify", "ES256", "'key_ops':['sign','verify'],", true },
    { "key_ops sign of a secret", "HS256", "'key_ops':['sign'],", true },
    { "key_ops sign of a private key", "ES256", "'key_ops':['sign'],'d':'AA',", true },
    { "key_ops sign of a public key", "ES256", "'key_ops':['sign'],", false },
    { "EdDSA by the name of its curve", "EdDSA", "'alg':'Ed25519',", true },
    { "PSS for PKCS #1", "RS256", "'alg':'PS512',", false },
    { "PKCS #1 for PSS", "PS256", "'alg':'RS256',", false },
    { "another digest", "PS256", "'alg':'PS384',", false },
    { "another digest of a secret", "HS256", "'alg':'HS512',", false },
    { "a key of encryption by alg", "RS256", "'alg':'RSA-OAEP',", false },
    { "a secret of encryption by alg", "HS256", "'alg':'A256GCM',", false },
    { "an invalid alg", "ES256", "'alg':'ES521',", false },
    { "alg in another case", "ES256", "'alg':'es256',", false },
    { "alg no text", "ES256", "'alg':1,", false },
    { "use enc", "RS256", "'use':'enc',", false },
    { "use enc of a secret", "HS256", "'use':'enc',", false },
    { "invalid use", "ES256", "'use':'any',", false },
    { "key_ops encrypt", "RS256", "'key_ops':['encrypt'],", false },
    { "key_ops of nothing", "EdDSA", "'key_ops':[],", false },
    { "key_ops no list", "EdDSA", "'key_ops':'verify',", false },
};

static void check_purpose(void **state)
{
    const struct purpose_row *row = *state;
    const struct signed_token *signer = signed_by(row->signer);
    scoped(json_free) cJSON *request = json_object();
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf key = BUF(1 << 14);
    const char *brace = strrchr(signer->jwk, '{'); /* of the JWK in a set */

    buf_add(&key, signer->jwk, (size_t)(brace + 1 - signer->jwk));
    add_quoted(&key, row->members);
    buf_add_str(&key, brace + 1);
    json_str(request, "token", signer->token);
    json_str(request, "key", buf_str(&key));
    decode(request, result);
    expect(result, "/signature_verified", row->verifies ? "true" : "false");
    assert_int_equal(warning(result, "key_unsuitable") == NULL, row->verifies);
}

/* ---- keys of another type ---- */

static const struct kind_row {
    const char *name;
    const char *token; /* signer */
    const char *key;   /* another signer, or plain text */
    const char *message;
} kinds[] = {
    { "plain text for RSA", "RS256", "plain text",
      "RS256 requires a public key (PEM, a certificate or a JWK), but the key given is plain "
      "text" },
    { "plain text for Edwards curves", "EdDSA", "plain text",
      "EdDSA requires a public key (PEM, a certificate or a JWK), but the key given is plain "
      "text" },
    { "a public key for an HMAC", "HS256", "RS256",
      "HS256 requires a shared secret, but the key given is a public key" },
    { "RSA for ECDSA", "ES256", "RS256",
      "ES256 requires a public key of another type or on another curve than the key given" },
    { "another curve", "ES256", "ES384",
      "ES256 requires a public key of another type or on another curve than the key given" },
};

static void check_kind(void **state)
{
    const struct kind_row *row = *state;
    bool is_text = strcmp(row->key, "plain text") == 0;
    scoped(json_free) cJSON *request = json_object();
    scoped(json_free) cJSON *result = json_object();

    json_str(request, "token", signed_by(row->token)->token);
    json_str(request, "key", is_text ? row->key : signed_by(row->key)->pem);
    decode(request, result);
    expect(result, "/signature_verified", "null");
    assert_null(warning(result, "signature_invalid"));
    assert_non_null(warning(result, "key_unsuitable"));
    assert_string_equal(json_text(warning(result, "key_unsuitable"), "/message"), row->message);
    assert_null(warning(result, "confusion_attack"));
}

/* ---- whole requests ---- */

#define HS              "eyJhbGciOiJIUzI1NiJ9" /* {"alg":"HS256"} */
#define PLAIN           "eyJhbGciOiJIUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19" /* b64 is false */
#define EXP             "eyJhbGciOiJIUzI1NiIsImNyaXQiOlsiZXhwIl0sImV4cCI6MX0" /* crit is ["exp"] */
#define ONE             "sCxbtzoJyWTQdqpWnlrvwNriK5NbMyb0nuy8mZMnpx4"         /* of HS.e30 by k1 */
#define TWO             "Hi0xSY3xqhFYz5fWGEi1Geo5_tzx-h2fp8M_GR63DE0"         /* by k2 */
#define Q               "\\u0022"
#define JWS(...)        "'{" Q "payload" Q ":" Q "e30" Q "," Q "signatures" Q ":[" __VA_ARGS__ "]}'"
#define SIG(bytes)      "{" Q "protected" Q ":" Q HS Q "," Q "signature" Q ":" Q bytes Q "}"
#define DETACHED(bytes) "'token':'" HS ".." bytes "'"
#define OF_CLAIMS       DETACHED("_GlPNaG8W8f1-jYYEkVXHKaQhJ1sNloMWLdKKybtlWE") /* {"exp":1} by k */
#define OF_BYTE         DETACHED("53HHwxpHAy00izO-_9KCcar6xHCQp8w2-g8mehuYO68") /* 0xff by k */
#define EMPTY           DETACHED("vElTJG0ieZX-2h0NmaqYj3YGgRQGoIpWL2moaaUdHHs") /* "" by k */
#define PRICE           "'token':'" PLAIN "..GmM-cQUIeTHlBXeyJ5FqvpE7sH0f6b9a3OLMvuGV63Y'" /* $.02 */
#define BLANKS          "'token':'" PLAIN ". a b .vXc5IFKCDmchDD2ZW7i8kNNexoKy5nlyTdcxeZVIotU'"

static const struct whole {
    const char *name;
    const char *request; /* without braces */
    const char *pointer;
    const char *want; /* as JSON; "!code": no such warning, "+code": there is one */
} wholes[] = {
    { "the second of two fits", "'token':" JWS(SIG(ONE) "," SIG(TWO)) ",'key':'k2'",
      "/signature_verified", "true" },
    { "which of them", "'token':" JWS(SIG(ONE) "," SIG(TWO)) ",'key':'k2'",
      "/signatures/1/signature_verified", "true" },
    { "and which not", "'token':" JWS(SIG(ONE) "," SIG(TWO)) ",'key':'k2'",
      "/signatures/0/signature_verified", "false" },
    { "another than shown", "'token':" JWS(SIG(ONE) "," SIG(TWO)) ",'key':'k2'", NULL,
      "+other_signature" },
    { "the first as shown", "'token':" JWS(SIG(ONE) "," SIG(TWO)) ",'key':'k1'", NULL,
      "!other_signature" },
    { "none of two fits", "'token':" JWS(SIG(ONE) "," SIG(TWO)) ",'key':'k3'",
      "/signature_verified", "false" },
    { "headers of each", "'token':" JWS(SIG(ONE) "," SIG(TWO)), "/signatures/1",
      "{'header':{'alg':'HS256'},'signature_bytes':32,'signature_verified':null}" },
    { "a broken one next to one that fits", "'token':" JWS(SIG(ONE) ",{}") ",'key':'k1'",
      "/signature_verified", "true" },
    { "a signature that is not an object", "'token':" JWS(SIG(ONE) ",1") ",'key':'k1'",
      "/signatures/1", "{'header':{},'signature_bytes':0,'signature_verified':false}" },

    { "blanks of an unencoded payload stay", BLANKS, "/payload_text", "' a b '" },
    { "and are signed", BLANKS ",'key':'k'", "/signature_verified", "true" },
    { "and are no finding", BLANKS, NULL, "!whitespace" },
    { "blanks of its header go",
      "'token':'" PLAIN "\\n. a b .vXc5IFKCDmchDD2ZW7i8kNNexoKy5nlyTdcxeZVIotU','key':'k'",
      "/signature_verified", "true" },
    { "b64 counts only where it is signed",
      "'token':'{" Q "payload" Q ":" Q "e30" Q "," Q "protected" Q ":" Q HS Q "," Q "header" Q
      ":{" Q "b64" Q ":false," Q "crit" Q ":[" Q "b64" Q "]}," Q "signature" Q ":" Q "AA" Q "}'",
      "/payload", "{}" },

    { "an empty payload is signed, too", EMPTY ",'key':'k'", "/signature_verified", "true" },
    { "and is not detached", EMPTY ",'key':'k'", "/payload_text", "''" },
    { "an absent payload without a key", EMPTY, "/payload_detached", "true" },
    { "an absent payload is not judged", EMPTY ",'key':'other'", "/signature_verified", "null" },
    { "and not verified", EMPTY ",'key':'other'", NULL, "+not_verified" },

    { "a detached payload that is given", OF_CLAIMS ",'key':'k','payload':'{\\u0022exp\\u0022:1}'",
      "/signature_verified", "true" },
    { "is read", OF_CLAIMS ",'payload':'{\\u0022exp\\u0022:1}'", "/payload", "{'exp':1}" },
    { "is judged", OF_CLAIMS ",'payload':'{\\u0022exp\\u0022:1}'", NULL, "+expired" },
    { "is not in the token", OF_CLAIMS ",'payload':'{\\u0022exp\\u0022:1}'", "/segments/payload",
      "''" },
    { "is called detached", OF_CLAIMS ",'payload':'{\\u0022exp\\u0022:1}'", "/payload_detached",
      "true" },
    { "another payload", OF_CLAIMS ",'key':'k','payload':'{\\u0022exp\\u0022:2}'",
      "/signature_verified", "false" },
    { "a payload of bytes", OF_BYTE ",'key':'k','payload':'_w==','payload_encoding':'base64'",
      "/signature_verified", "true" },
    { "bytes of it", OF_BYTE ",'payload':'/w','payload_encoding':'base64'", "/payload_base64",
      "'/w=='" },
    { "an empty payload given", EMPTY ",'key':'k','payload':''", "/signature_verified", "true" },
    { "an unencoded payload with dots", PRICE ",'key':'k','payload':'$.02'", "/signature_verified",
      "true" },
    { "an unencoded payload without them", PRICE ",'key':'k','payload':'$02'",
      "/signature_verified", "false" },

    { "crit of unknown extensions",
      "'token':'" EXP ".e30.tk-GTGs16rnJBRlM7igBLIZgko6L4der2j5kP_sHCvM','key':'k'",
      "/signature_verified", "false" },
    { "a short secret", "'token':'" HS ".e30." ONE "','key':'k1'", NULL, "+secret_short" },
    { "a secret as long as the digest",
      "'token':'" HS ".e30.OdR0VWd_clOYWqbzy_nVFqAFYIGXpcmvflMpwWlek8I','key':"
      "'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk'",
      NULL, "!secret_short" },
    { "an RSA key that anybody signs with",
      "'token':'eyJhbGciOiJSUzI1NiJ9.e30.AA','key':'{" Q "kty" Q ":" Q "RSA" Q "," Q "n" Q ":" Q
      "rJBIp6T1YK-RtPyvYqFFlcucqewSAA_IReSFchE8qyiQrbARqRlXWkB2DR8j_pJQnIpYELbQWZC5Cd0PTGAU8rMbar2A"
      "W6zpmBbi7aQf17lUBdt8XI9M9rq7FPVQ1dDdUXm1SVH_9qqWhvMPR422SbfHBEzCAtzK0ANDRo6qz78" Q "," Q
      "e" Q ":" Q "AQ" Q "}'",
      NULL, "+key_unsuitable" },
};

static void check_whole(void **state)
{
    const struct whole *row = *state;
    scoped(mem_free) char *body = str_format("{%s}", row->request);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };

    if (!run_tool(jwt_decode, "jwt-decode", body, result, NULL, &err))
        fail_msg("%s", err.message);
    if (row->pointer)
        expect(result, row->pointer, row->want);
    else
        assert_int_equal(warning(result, row->want + 1) != NULL, row->want[0] == '+');
}

static const struct refused {
    const char *name;
    const char *request;
    enum err_kind kind;
} refused[] = {
    { "a payload for a token that has one", "'token':'" HS ".e30.AA','payload':'x'",
      ERR_CONFLICTING_FIELDS },
    { "a payload for an encrypted one", "'token':'" HS ".AA.AA.AA.AA','payload':'x'",
      ERR_CONFLICTING_FIELDS },
    { "a payload that is not base64",
      "'token':'" HS "..AA','payload':'!','payload_encoding':'base64'", ERR_INVALID_VALUE },
    { "an unknown encoding", "'token':'" HS "..AA','payload':'','payload_encoding':'hex'",
      ERR_INVALID_VALUE },
};

static void check_refused(void **state)
{
    const struct refused *row = *state;
    scoped(mem_free) char *body = str_format("{%s}", row->request);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    assert_false(run_tool(jwt_decode, "jwt-decode", body, result, NULL, &err));
    assert_int_equal(err.kind, row->kind);
}

/* ---- an HMAC with the public key as secret ---- */

static const struct confusion {
    const char *name;
    const char *secret_end; /* what follows the PEM, without its last line feed, in the secret */
    bool by_jwk;            /* the key is given as JWK */
} confusions[] = {
    { "the PEM as it is", "\n", false },
    { "the PEM without its last line feed", "", false },
    { "the PEM made of a JWK", "\n", true },
    { "the same without its last line feed", "", true },
};

/* A token of HS256 with this secret. */
static void add_hmac_token(struct buf *token, const char *secret)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned size;
    buf_add_str(token, HS ".e30");
    assert_non_null(HMAC(EVP_sha256(), secret, (int)strlen(secret),
                         (const unsigned char *)token->bytes, token->size, sum, &size));
    buf_add_byte(token, '.');
    base64_encode(token, (struct text){ (const char *)sum, size });
}

/* Is it reported as a confusion attack, or verified because the key given is itself a secret? */
static void expect_confusion(const char *secret, const char *key, bool is_attack)
{
    scoped(json_free) cJSON *request = json_object();
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf token = BUF(256);

    add_hmac_token(&token, secret);
    json_str(request, "token", buf_str(&token));
    json_str(request, "key", key);
    decode(request, result);
    expect(result, "/signature_verified", is_attack ? "false" : "true");
    assert_int_equal(warning(result, "confusion_attack") != NULL, is_attack);
    if (is_attack)
        expect(result, "/risk", "'critical'");
}

static void check_confusion(void **state)
{
    const struct confusion *row = *state;
    const struct signed_token *signer = signed_by("RS256");
    int pem_bytes = (int)strlen(signer->pem) - 1;
    scoped(mem_free) char *secret = str_format("%.*s%s", pem_bytes, signer->pem, row->secret_end);
    expect_confusion(secret, row->by_jwk ? signer->jwk : signer->pem, true);
}

/* ---- OpenSSH keys ---- */

#define SSH_RSA                                                                                    \
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDBgv+a3LrhInJaQoYaoTm0HVV6POtdeedF1ZSdEeApzxAPUzu1c4XO" \
    "X+f13VfO/EUaz/BbLs2AiWl6mnFm/LMuEaxTmLyzBoXQ/fxxmBh3COqCryDZzSpg03m02Vt3dNudkBIC/82UsPPUeZli" \
    "4coCHB5dwxldxAUlYt1XKg9jPQr+84PWQ8/ALVI7CzenmMYjJGOi9e2tQgss/pDlSV7vx7E9ZJGJTVJi/TFSoKpfgBoz" \
    "OhiFgZNp6dF1grl37wPCItQf33GVnkqM0INSuU6eIF6hKIU6HOVgEmxjeaO/xNSzAs/DnSrUMBiXU1PzIl2ZAY5Fcwd7" \
    "SqMCYZQOsx3D"
#define SSH_P256                                                                                   \
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBPgQxPp2Iu4dLPtnFOzE" \
    "CZ3zBV64UboroqffgaPwo5B7LeyXzPEK1s8D3TNozNZBO4qpvO48+eawULZJIu5uJUQ="
#define SSH_P384                                                                                   \
    "ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBMgJ77FsAltmFYpGEucw" \
    "MA0dyc/XtDh5+u3bsejCGLslCeUyGBg9ZMJdoXhR7oBzdwtLQY58B4uwu4aDW/WymclzlQsEsR1PI5kKExOtNsn6vMcZ" \
    "pJrLy+GmwQYUx4xg/Q=="
#define SSH_P521                                                                                   \
    "ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBABBAZ03ALMwy7EP2yJ/" \
    "YDld9740QWrfQZJ1uRa7LVNIneqpVZpmk4l144jU8BQDy4BUj18Tco34PukKqeKyZG8icgDSo5CgEZwfrbe9Xvdh0riv" \
    "uIUyjurxrOuNvIJdEkWHzv8Don16nzSfr5NUNPgtH8PDsVSJxwmeT59PsIH3vMMAyw=="
#define SSH_ED25519 \
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFwHlFeXTAPxc/lT9meIQTn4mAPUfpUUUl4DAHcRCDo6"

static const struct ssh_row {
    const char *name;
    const char *signer; /* of jwt-keys.def; NULL: the line is read as a secret */
    const char *line;
} ssh_rows[] = {
    { "RSA", "RS256", SSH_RSA },
    { "RSA for PSS", "PS384", SSH_RSA },
    { "P-256", "ES256", SSH_P256 },
    { "P-384", "ES384", SSH_P384 },
    { "P-521", "ES512", SSH_P521 },
    { "Ed25519", "EdDSA", SSH_ED25519 },
    { "a comment behind it", "EdDSA", SSH_ED25519 " me@example.com" },
    { "blanks around it", "EdDSA", "  " SSH_ED25519 " \n" },
    { "a kind that signs no token", NULL,
      "ssh-dss AAAAC3NzaC1lZDI1NTE5AAAAIFwHlFeXTAPxc/lT9meIQTn4mAPUfpUUUl4DAHcRCDo6" },
    { "another kind within", NULL,
      "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIFwHlFeXTAPxc/lT9meIQTn4mAPUfpUUUl4DAHcRCDo6" },
    { "a key cut short", NULL, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFwHlFeXTAPxc/lT9meIQTn4mAPU" },
    { "a length cut short", NULL, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA" },
    { "bytes behind the key", NULL, SSH_ED25519 "AAAA" },
    { "no Base64", NULL, "ssh-ed25519 !" },
    { "its name alone", NULL, "ssh-ed25519" },
};

static void check_ssh(void **state)
{
    const struct ssh_row *row = *state;
    scoped(json_free) cJSON *request = json_object();
    scoped(json_free) cJSON *result = json_object();

    expect_confusion(row->line, row->line, row->signer != NULL);
    if (!row->signer)
        return;
    json_str(request, "token", signed_by(row->signer)->token);
    json_str(request, "key", row->line);
    decode(request, result);
    expect(result, "/signature_verified", "true");
}

/* Many signatures and deliberately slow keys cost at most a fixed time. */
static void cost_is_bounded(void **state)
{
    (void)state;
    scoped(json_free) cJSON *request = json_object();
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf token = BUF(1 << 15);
    scoped(buf_free) struct buf key = BUF(1 << 15);
    scoped(mem_free) char *digits = str_format("%0512d", 0);
    scoped(mem_free) char *signature = str_dup(digits);
    memset(digits, '_', 512); /* modulus and exponent of 3,072 bits */
    memset(signature, 'B', 512);
    scoped(mem_free) char *exponent = str_dup(digits);
    exponent[0] = 'f'; /* less than the modulus */

    add_quoted(&token, "{'payload':'e30','signatures':[");
    for (int i = 0; i < 40; i++) {
        add_quoted(&token, i > 0 ? ",{'protected':'eyJhbGciOiJSUzI1NiJ9','signature':'"
                                 : "{'protected':'eyJhbGciOiJSUzI1NiJ9','signature':'");
        buf_format(&token, "%s\"}", signature);
    }
    add_quoted(&token, "]}");
    add_quoted(&key, "{'keys':[");
    for (int i = 0; i < 16; i++) {
        add_quoted(&key, i > 0 ? ",{'kty':'RSA','n':'" : "{'kty':'RSA','n':'");
        buf_add_str(&key, digits);
        add_quoted(&key, "','e':'");
        buf_add_str(&key, exponent);
        add_quoted(&key, "'}");
    }
    add_quoted(&key, "]}");
    json_str(request, "token", buf_str(&token));
    json_str(request, "key", buf_str(&key));
    decode(request, result);
    expect(result, "/signature_count", "40");
    assert_int_equal(json_size(json_get(result, "signatures")), 16);
    expect(result, "/signatures/15/signature_verified", "null");
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(cost_is_bounded) };
    return RUN_ROWS(purposes, check_purpose) + RUN_ROWS(wholes, check_whole) +
           RUN_ROWS(refused, check_refused) + RUN_ROWS(confusions, check_confusion) +
           RUN_ROWS(kinds, check_kind) + RUN_ROWS(ssh_rows, check_ssh) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
