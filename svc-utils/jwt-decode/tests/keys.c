/*
 * svc-utils/jwt-decode/tests/keys.c - the same key in the forms in which people have it, and keys
 * that cannot verify a token at all.
 */
#include <openssl/hmac.h>

#include "base/ascii.h"
#include "base/codec/base64.h"
#include "base/codec/hex.h"
#include "tool.h"
#include "tools.h"

enum { KEY_BYTES = 1 << 15 };

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

/* The result for a token and a key; encoding may be NULL. */
static cJSON *decoded(const char *token, const char *key, const char *encoding)
{
    scoped(json_free) cJSON *request = json_object();
    scoped(buf_free) struct buf body = BUF(1 << 17);
    cJSON *result = json_object();
    struct err err = { 0 };
    json_str(request, "token", token);
    json_str(request, "key", key);
    if (encoding)
        json_str(request, "key_encoding", encoding);
    json_print(request, &body);
    if (!run_tool(jwt_decode, "jwt-decode", buf_str(&body), result, NULL, &err))
        fail_msg("%s", err.message);
    return result;
}

static const char *message_of(const cJSON *result, const char *code)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(result, "warnings")) {
        if (strcmp(json_text(item, "/code"), code) == 0)
            return json_text(item, "/message");
    }
    return NULL;
}

/* Expects "true", "false" or "null" as signature_verified. */
static void verified(const char *token, const char *key, const char *encoding, const char *want)
{
    scoped(json_free) cJSON *result = decoded(token, key, encoding);
    scoped(buf_free) struct buf got = BUF(64);
    json_print(json_get(result, "signature_verified"), &got);
    assert_string_equal(buf_str(&got), want);
    assert_int_equal(message_of(result, "signature_invalid") != NULL, strcmp(want, "false") == 0);
}

static bool is_secret(const struct signed_token *row)
{
    return strncmp(row->name, "HS", 2) == 0;
}

static void check_signed(void **state)
{
    const struct signed_token *row = *state;
    scoped(mem_free) char *forged = str_dup(row->token);
    char *payload = strchr(forged, '.') + 1;

    verified(row->token, row->pem, NULL, "true");
    verified(row->token, row->jwk, NULL, "true");
    *payload = *payload == 'e' ? 'f' : 'e';
    verified(forged, row->pem, NULL, "false");
    verified(forged, row->jwk, NULL, "false");
    verified(row->token, "another secret", NULL, is_secret(row) ? "false" : "null");
}

/* ---- forms of PEM ---- */

/* Each writes the PEM of a key in another form. */
static void without_begin(const char *pem, struct buf *out)
{
    const char *body = strchr(pem, '\n') + 1;
    const char *end = strstr(body, "-----END");
    buf_add(out, body, (size_t)(end - body));
}

static void as_base64(const char *pem, struct buf *out)
{
    scoped(buf_free) struct buf body = BUF(KEY_BYTES);
    without_begin(pem, &body);
    for (size_t i = 0; i < body.size; i++)
        if (body.bytes[i] != '\n')
            buf_add_byte(out, body.bytes[i]);
}

static void as_base64url(const char *pem, struct buf *out)
{
    as_base64(pem, out);
    for (size_t i = 0; i < out->size; i++)
        out->bytes[i] = out->bytes[i] == '+' ? '-' : out->bytes[i] == '/' ? '_' : out->bytes[i];
}

/* Replace each line feed. */
static void with_ends(const char *pem, const char *end, struct buf *out)
{
    for (; *pem; pem++)
        if (*pem == '\n')
            buf_add_str(out, end);
        else
            buf_add_byte(out, *pem);
}

static void escaped(const char *pem, struct buf *out)
{
    with_ends(pem, "\\n", out);
}

static void escaped_twice(const char *pem, struct buf *out)
{
    with_ends(pem, "\\\\n", out);
}

static void in_quotes(const char *pem, struct buf *out)
{
    buf_add_byte(out, '"');
    with_ends(pem, "\\n", out);
    buf_add_byte(out, '"');
}

static void on_one_line(const char *pem, struct buf *out)
{
    with_ends(pem, " ", out);
}

static void without_line_feeds(const char *pem, struct buf *out)
{
    with_ends(pem, "", out);
}

static void indented(const char *pem, struct buf *out)
{
    buf_add_str(out, "    ");
    with_ends(pem, "\n    ", out);
}

static void with_crlf(const char *pem, struct buf *out)
{
    with_ends(pem, "\r\n", out);
}

static void as_setting(const char *pem, struct buf *out)
{
    buf_add_str(out, "JWT_PUBLIC_KEY=\"");
    with_ends(pem, "\\n", out);
    buf_add_str(out, "\"");
}

static void as_x5c(const char *pem, struct buf *out)
{
    buf_add_str(out, "[\"");
    as_base64(pem, out);
    buf_add_str(out, "\"]");
}

static void by_kid(const char *pem, struct buf *out)
{
    buf_add_str(out, "{\"other\":\"x\",\"r\":\"");
    with_ends(pem, "\\n", out);
    buf_add_str(out, "\"}");
}

static const struct form {
    const char *name;
    void (*write)(const char *pem, struct buf *out);
} forms[] = {
    { "without BEGIN", without_begin },
    { "as Base64 on one line", as_base64 },
    { "as base64url", as_base64url },
    { "with escaped line feeds", escaped },
    { "with line feeds escaped twice", escaped_twice },
    { "in quotes", in_quotes },
    { "on one line", on_one_line },
    { "without line feeds", without_line_feeds },
    { "indented", indented },
    { "with CRLF", with_crlf },
    { "as a setting", as_setting },
    { "as x5c", as_x5c },
};

static void check_form(void **state)
{
    const struct form *form = *state;
    for (size_t i = 0; i < countof(signed_tokens); i++) {
        const struct signed_token *row = &signed_tokens[i];
        scoped(buf_free) struct buf key = BUF(KEY_BYTES);
        scoped(mem_free) char *forged = str_dup(row->token);
        if (is_secret(row))
            continue;
        form->write(row->pem, &key);
        verified(row->token, buf_str(&key), NULL, "true");
        char *payload = strchr(forged, '.') + 1;
        *payload = *payload == 'e' ? 'f' : 'e';
        verified(forged, buf_str(&key), NULL, "false");
    }
}

static void certificates_by_kid(void **state)
{
    (void)state;
    scoped(buf_free) struct buf key = BUF(KEY_BYTES);
    by_kid(signed_tokens[0].pem, &key);
    verified(signed_tokens[0].token, buf_str(&key), NULL, "true");
}

/* ---- encodings of secrets ---- */

#define HS_HEAD "eyJhbGciOiJIUzI1NiJ9.e30" /* {"alg":"HS256"} */

static void sign(struct text secret, struct buf *token)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned size;
    assert_non_null(HMAC(EVP_sha256(), secret.bytes, (int)secret.size,
                         (const unsigned char *)HS_HEAD, strlen(HS_HEAD), sum, &size));
    buf_add_str(token, HS_HEAD ".");
    base64_encode(token, (struct text){ (const char *)sum, size });
}

static const struct encoding {
    const char *name;
    const char *key;
    const char *encoding; /* NULL: not given */
    const char *want;     /* for a token whose secret is the bytes 0xfb 0xff, then 30 of 0x00 */
    bool is_noted;
} encodings[] = {
    { "base64", "+/8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "base64", "true", false },
    { "base64 in the URL alphabet", "-_8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "base64url",
      "true", false },
    { "hex", "fbff000000000000000000000000000000000000000000000000000000000000", "hex", "true",
      false },
    { "hex in capitals", "FBFF000000000000000000000000000000000000000000000000000000000000", "hex",
      "true", false },
    { "base64, not said", "+/8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", NULL, "true", true },
    { "hex, not said", "fbff000000000000000000000000000000000000000000000000000000000000", NULL,
      "true", true },
    { "base64 called text", "+/8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "utf8", "false",
      false },
    { "another secret", "+/8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE=", NULL, "false", false },
};

static void check_encoding(void **state)
{
    const struct encoding *row = *state;
    const char secret[32] = { '\xfb', '\xff' };
    scoped(buf_free) struct buf token = BUF(256);
    sign((struct text){ secret, sizeof(secret) }, &token);
    verified(buf_str(&token), row->key, row->encoding, row->want);
    scoped(json_free) cJSON *result = decoded(buf_str(&token), row->key, row->encoding);
    assert_int_equal(message_of(result, "key_decoded") != NULL, row->is_noted);
}

/* ---- keys that do not fit ---- */

static const struct unfit {
    const char *name;
    const char *key;
    const char *why; /* begins the message */
} unfit[] = {
    /* of a token of RS256 with the kid "r" */
    { "a set without the kid",
      "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"x\",\"k\":\"AA\"},{\"kty\":\"EC\",\"kid\":\"y\"}]}",
      "The keys given do not include the kid of the token" },
    { "a list of keys without the kid", "[{\"kty\":\"oct\",\"kid\":\"x\",\"k\":\"AA\"}]",
      "The keys given do not include the kid of the token" },
    { "certificates without the kid", "{\"x\":\"-----BEGIN CERTIFICATE-----\\n\"}",
      "The keys given do not include the kid of the token" },
    { "a secret", "{\"kty\":\"oct\",\"k\":\"AA\"}",
      "RS256 requires a public key, but the key given is a secret" },
    { "a text", "secret", "RS256 requires a public key (PEM, a certificate or a JWK)" },
};

static void check_unfit(void **state)
{
    const struct unfit *row = *state;
    scoped(json_free) cJSON *result = decoded(signed_tokens[0].token, row->key, NULL);
    const char *message = message_of(result, "key_unsuitable");
    assert_true(json_is(json_get(result, "signature_verified"), cJSON_NULL));
    assert_null(message_of(result, "signature_invalid"));
    assert_non_null(message);
    if (strncmp(message, row->why, strlen(row->why)) != 0)
        assert_string_equal(message, row->why);
}

static const struct refusal {
    const char *name;
    const char *key;
    const char *encoding;
    const char *message;
} refusals[] = {
    { "hex that is not", "xyz", "hex", "key is not valid hex, as key_encoding says" },
    { "base64 that is not", "a b!", "base64", "key is not valid base64, as key_encoding says" },
    { "a private key", "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----", NULL,
      "key is a private key: send its public key or certificate, and treat the private key as "
      "exposed" },
    { "no key in PEM", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", NULL,
      "key is PEM, but not a public key or certificate" },
    { "JSON without keys", "{\"a\":1}", NULL,
      "key is neither a JWK nor a JWK set with RSA, EC, OKP or oct keys" },
};

static void check_refusal(void **state)
{
    const struct refusal *row = *state;
    scoped(json_free) cJSON *request = json_object();
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf body = BUF(1 << 16);
    struct err err = { 0 };
    json_str(request, "token", HS_HEAD ".AA");
    json_str(request, "key", row->key);
    if (row->encoding)
        json_str(request, "key_encoding", row->encoding);
    json_print(request, &body);
    assert_false(run_tool(jwt_decode, "jwt-decode", buf_str(&body), result, NULL, &err));
    assert_string_equal(err.message, row->message);
}

/* The attack behind alg_confusion: an HMAC with the public key's text as its secret is not
 * valid. */
static void public_key_is_no_secret(void **state)
{
    (void)state;
    scoped(buf_free) struct buf token = BUF(256);
    scoped(buf_free) struct buf bare = BUF(KEY_BYTES);
    const char *pem = signed_tokens[0].pem;
    sign(text_of(pem), &token);
    verified(buf_str(&token), pem, NULL, "false");
    verified(buf_str(&token), signed_tokens[0].jwk, NULL, "false");

    buf_clear(&token);
    as_base64(pem, &bare);
    sign(buf_text(&bare), &token);
    scoped(json_free) cJSON *result = decoded(buf_str(&token), buf_str(&bare), NULL);
    assert_false(json_is(json_get(result, "signature_verified"), cJSON_True));
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(certificates_by_kid),
        cmocka_unit_test(public_key_is_no_secret),
    };
    return RUN_ROWS(signed_tokens, check_signed) + RUN_ROWS(forms, check_form) +
           RUN_ROWS(encodings, check_encoding) + RUN_ROWS(unfit, check_unfit) +
           RUN_ROWS(refusals, check_refusal) + cmocka_run_group_tests(singles, NULL, NULL);
}
