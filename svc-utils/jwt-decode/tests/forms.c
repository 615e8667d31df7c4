/* svc-utils/jwt-decode/tests/forms.c - fields, forms, times, errors. */
#include "decoded.h"
/* ---- fields ---- */

static const struct field {
    const char *name;
    const char *request;
    const char *pointer;
    const char *want; /* as JSON with 'single quotes'; NULL: absent */
} fields[] = {
#define NONE "eyJhbGciOiJub25lIn0"  /* {"alg":"none"} */
#define HS   "eyJhbGciOiJIUzI1NiJ9" /* {"alg":"HS256"} */
    { "unsecured", "{'token':'" NONE ".e30.'}", "/type", "'unsecured'" },
    { "none with a signature is a JWS", "{'token':'" NONE ".e30.AA'}", "/type", "'JWS'" },
    { "JWS", "{'token':'" HS ".e30.AA'}", "/type", "'JWS'" },
    { "never verified without a key", "{'token':'" HS ".e30.AA'}", "/signature_verified", "null" },
    { "risk", "{'token':'" NONE ".e30.'}", "/risk", "'critical'" },
    { "Bearer goes", "{'token':'  bEARER\\t " NONE ".e30.\\n'}", "/header", "{'alg':'none'}" },
    { "blanks go", "{'token':'" NONE ".\\n e30 .'}", "/segments/payload", "'e30'" },
    { "padding goes", "{'token':'" NONE "=.e30=.'}", "/payload", "{}" },
    { "algorithm", "{'token':'" HS ".e30.AA'}", "/algorithm", "'HS256'" },
    { "described", "{'token':'" HS ".e30.AA'}", "/algorithm_description",
      "'HMAC with SHA-256, shared secret'" },
    { "signature", "{'token':'" HS ".e30.AAEC'}", "/signature", "'AAEC'" },
    { "bytes of it", "{'token':'" HS ".e30.AAEC'}", "/signature_bytes", "3" },
    { "64-bit ids keep their digits", "{'token':'" HS ".eyJhIjoxMjM0NTY3ODkwMTIzNDU2Nzg5MC4wMH0.'}",
      "/payload", "{'a':12345678901234567890.00}" },
    { "no claims", "{'token':'" HS ".e30.'}", "/expires_at", "null" },
    { "active without claims", "{'token':'" HS ".e30.'}", "/active", "true" },
    { "not expired without exp", "{'token':'" HS ".e30.'}", "/expired", "false" },
/* {"exp":1500.5,"iat":1000,"nbf":1200,"aud":"x","iss":"i","sub":"s","jti":"j"} */
#define TIMES                                                                                      \
    HS ".eyJleHAiOjE1MDAuNSwiaWF0IjoxMDAwLCJuYmYiOjEyMDAsImF1ZCI6IngiLCJpc3MiOiJpIiwic3ViIjoicyIs" \
       "Imp0aSI6ImoifQ."
    { "expires_at", "{'token':'" TIMES "','at':1}", "/expires_at", "'1970-01-01T00:25:00.500Z'" },
    { "issued_at", "{'token':'" TIMES "','at':1}", "/issued_at", "'1970-01-01T00:16:40.000Z'" },
    { "not_before", "{'token':'" TIMES "','at':1}", "/not_before", "'1970-01-01T00:20:00.000Z'" },
    { "expires in", "{'token':'" TIMES "','at':1400}", "/expires_in_seconds", "100.5" },
    { "age", "{'token':'" TIMES "','at':1400}", "/age_seconds", "400" },
    { "lifetime", "{'token':'" TIMES "','at':1400}", "/lifetime_seconds", "500.5" },
    { "active", "{'token':'" TIMES "','at':1200}", "/active", "true" },
    { "not yet", "{'token':'" TIMES "','at':1199}", "/active", "false" },
    { "just before the end", "{'token':'" TIMES "','at':1500}", "/expired", "false" },
    { "at the end", "{'token':'" TIMES "','at':'1970-01-01T00:25:00.5Z'}", "/expired", "true" },
    { "at with an offset", "{'token':'" TIMES "','at':'1970-01-01T01:25:00.5+01:00'}", "/expired",
      "true" },
    { "at with a negative one", "{'token':'" TIMES "','at':'1969-12-31T23:25:00-01:00'}",
      "/expired", "false" },
    { "issuer", "{'token':'" TIMES "'}", "/issuer", "'i'" },
    { "subject", "{'token':'" TIMES "'}", "/subject", "'s'" },
    { "audience is a list", "{'token':'" TIMES "'}", "/audience", "['x']" },
    { "id", "{'token':'" TIMES "'}", "/jwt_id", "'j'" },

    { "detached", "{'token':'" HS "..AA'}", "/payload_detached", "true" },
    { "detached has no payload", "{'token':'" HS "..AA'}", "/payload", "{}" },
    { "detached is neither active nor not", "{'token':'" HS "..AA'}", "/active", "null" },
    { "payload as text", "{'token':'" HS ".aGk.AA'}", "/payload_text", "'hi'" },
    { "payload as bytes", "{'token':'" HS "._w.AA'}", "/payload_base64", "'/w=='" },
    { "payload as list", "{'token':'" HS ".W10.AA'}", "/payload_text", "'[]'" },
/* {"alg":"HS256","b64":false,"crit":["b64"]} (RFC 7797) */
#define UNENCODED "eyJhbGciOiJIUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19"
    { "unencoded", "{'token':'" UNENCODED ".$10.AA'}", "/payload_text", "'$10'" },
    { "unencoded object", "{'token':'" UNENCODED ".{}.AA'}", "/payload", "{}" },
    { "nested", "{'token':'" HS ".ZXlKaGJHY2lPaUp1YjI1bEluMC5lMzAu.AA'}", "/nested",
      "{'header':{'alg':'none'},'payload':{}}" },
    { "not nested", "{'token':'" HS ".e30.AA'}", "/nested", NULL },
/* {"alg":"dir","enc":"A128GCM","zip":"DEF"} */
#define JWE "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIiwiemlwIjoiREVGIn0..AAAA.AAAAAAAA.AAAAAA"
    { "JWE", "{'token':'" JWE "'}", "/type", "'JWE'" },
    { "enc", "{'token':'" JWE "'}", "/enc", "'A128GCM'" },
    { "encrypted", "{'token':'" JWE "'}", "/encrypted", "true" },
    { "parts", "{'token':'" JWE "'}", "/encrypted_parts",
      "{'encrypted_key_bytes':0,'iv_bytes':3,'ciphertext_bytes':6,'tag_bytes':4}" },
    { "nothing of a JWE is active", "{'token':'" JWE "'}", "/active", "null" },
    { "a JWE with a key is not verified", "{'token':'" JWE "','key':'k'}", "/signature_verified",
      "null" },
    { "detached with a key is not verified", "{'token':'" HS "..AA','key':'k'}",
      "/signature_verified", "null" },
    { "unsecured with a key is invalid", "{'token':'" NONE ".e30.','key':'k'}",
      "/signature_verified", "false" },
    { "alg in another case is not verified",
      "{'token':'eyJhbGciOiJoczI1NiJ9.e30.HIHN9xCiKGUdUvKaC_zGiOk6XIzGKNQ6Jf0n9JM3PZw','key':'k'}",
      "/signature_verified", "null" },
    { "unencoded and verified",
      "{'token':'eyJhbGciOiJIUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19.$1."
      "dKvrWibrv2829YLRS2RxFdYC3t3tucklxOeJJM4nDbc','key':'k'}",
      "/signature_verified", "true" },
    { "JSON and verified",
      "{'token':'{\\u0022payload\\u0022:\\u0022e30\\u0022,\\u0022protected\\u0022:\\u0022" HS
      "\\u0022,\\u0022signature\\u0022:\\u0022CYG8qKSuUG1cj5ZM7YUE3kRjuUjOfiv14zgdYx-7pLo\\u0022}',"
      "'key':'k'}",
      "/signature_verified", "true" },
    { "a post-quantum one is not verified",
      "{'token':'eyJhbGciOiJNTC1EU0EtNDQifQ.e30.AA','key':'k'}", "/signature_verified", "null" },
#define FLAT                                                                                    \
    "{\\u0022payload\\u0022:\\u0022e30\\u0022,\\u0022protected\\u0022:\\u0022" HS               \
    "\\u0022,\\u0022header\\u0022:{\\u0022kid\\u0022:\\u00221\\u0022},\\u0022signature\\u0022:" \
    "\\u0022AA\\u0022}"
    { "flattened JSON", "{'token':'" FLAT "'}", "/header", "{'alg':'HS256','kid':'1'}" },
    { "one signature", "{'token':'" FLAT "'}", "/signature_count", "1" },
#define GENERAL                                                           \
    "{\\u0022payload\\u0022:\\u0022e30\\u0022,\\u0022signatures\\u0022:[" \
    "{\\u0022protected\\u0022:\\u0022" HS                                 \
    "\\u0022,\\u0022signature\\u0022:\\u0022AA\\u0022},{},{}]}"
    { "general JSON", "{'token':' " GENERAL "'}", "/signature_count", "3" },
    { "its payload", "{'token':'" GENERAL "'}", "/segments/payload", "'e30'" },
#define JWE_JSON                                                                                \
    "{\\u0022unprotected\\u0022:{\\u0022enc\\u0022:\\u0022x\\u0022},\\u0022recipients\\u0022:[" \
    "{\\u0022header\\u0022:{\\u0022alg\\u0022:\\u0022dir\\u0022}}],\\u0022ciphertext\\u0022:"   \
    "\\u0022AA\\u0022}"
    { "JWE as JSON", "{'token':'" JWE_JSON "'}", "/header", "{'enc':'x','alg':'dir'}" },
    { "bytes of it as JSON", "{'token':'" JWE_JSON "'}", "/encrypted_parts/ciphertext_bytes", "1" },
};

static void check_field(void **state)
{
    const struct field *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf want = BUF(1 << 12);
    scoped(buf_free) struct buf got = BUF(1 << 12);
    struct err err = { 0 };

    assert_true(decode(row->request, result, &err));
    const cJSON *node = json_at(result, row->pointer);
    assert_int_equal(node != NULL, row->want != NULL);
    if (!node)
        return;
    add_quoted(&want, row->want);
    json_print(node, &got);
    assert_string_equal(buf_str(&got), buf_str(&want));
}

/* ---- warnings about the form, for whole requests ---- */

static const struct form {
    const char *name;
    const char *request;
    const char *code;
    bool is_absent;
} forms[] = {
    { "blanks within", "{'token':'" NONE ". e30.'}", "whitespace", false },
    { "blanks around", "{'token':' " NONE ".e30. '}", "whitespace", true },
    { "padding", "{'token':'" NONE ".e30=.'}", "non_canonical_base64", false },
    { "standard alphabet", "{'token':'" NONE ".+/8.'}", "non_canonical_base64", false },
    { "stray bits", "{'token':'" NONE ".e31.'}", "non_canonical_base64", false },
    { "stray bits in the last digit", "{'token':'" HS ".e30.AB'}", "non_canonical_base64", false },
    { "canonical", "{'token':'" HS ".e30.AA'}", "non_canonical_base64", true },
    { "encrypted", "{'token':'" JWE "'}", "encrypted", false },
    { "compressed", "{'token':'" JWE "'}", "jwe_compressed", false },
    { "a JWE is not verified", "{'token':'" JWE "'}", "not_verified", false },
    { "a JWE has no signature to miss", "{'token':'" JWE "'}", "signature_missing", true },
    { "a header named in both halves",
      "{'token':'{\\u0022payload\\u0022:\\u0022e30\\u0022,"
      "\\u0022protected\\u0022:\\u0022" HS "\\u0022,\\u0022header\\u0022:{\\u0022alg\\u0022:1},"
      "\\u0022signature\\u0022:\\u0022AA\\u0022}'}",
      "duplicate_claim", false },
    /* r is zero */
    { "a signature of zeros",
      "{'token':'eyJhbGciOiJFUzI1NiJ9.e30.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      "AAAAAAAAVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVQ'}",
      "ecdsa_zero", false },
    /* 30 06 02 01 01 02 01 01 */
    { "a signature in DER", "{'token':'eyJhbGciOiJFUzI1NiJ9.e30.MAYCAQECAQE'}", "ecdsa_der",
      false },
    { "a signature that begins like DER", "{'token':'eyJhbGciOiJFUzI1NiJ9.e30.MAcCAQECAQE'}",
      "ecdsa_der", true },
    /* HMAC-SHA-256 by "your-256-bit-secret" */
    { "a well-known secret",
      "{'token':'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkw"
      "IiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_"
      "adQssw5c'}",
      "weak_secret", false },
    { "the empty secret",
      "{'token':'eyJhbGciOiJIUzI1NiJ9.e30.4E_Bsx-pJi3kOW9wVXN8CgbATwP09D9V5gxh9-9zSZ0'}",
      "weak_secret", false },
    { "a secret that is not", "{'token':'" HS ".e30.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'}",
      "weak_secret", true },
    /* HMAC-SHA-256 of "eyJhbGciOiJIUzI1NiJ9.e30" by "your-256-bit-secret" and by another */
    { "a well-known secret as the key",
      "{'token':'eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG_HACGpVUMN_a9IV7pAx_Zmeo',"
      "'key':'your-256-bit-secret'}",
      "weak_secret", false },
    { "the same with zeros, which HMAC adds",
      "{'token':'eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG_HACGpVUMN_a9IV7pAx_Zmeo',"
      "'key':'eW91ci0yNTYtYml0LXNlY3JldAAA','key_encoding':'base64url'}",
      "weak_secret", false },
    { "a well-known secret, but another key",
      "{'token':'eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG_HACGpVUMN_a9IV7pAx_Zmeo','key':'k'}",
      "weak_secret", false },
    { "a key that is not well known",
      "{'token':'eyJhbGciOiJIUzI1NiJ9.e30.EuL21P2w82QeKrgjkoZEwYQrhyHKJdct9E3GE5iDMX8',"
      "'key':'one-secret-that-nobody-else-knows'}",
      "weak_secret", true },
    { "a signature that does not fit", "{'token':'" HS ".e30.AA','key':'k'}", "signature_invalid",
      false },
    { "a key was there", "{'token':'" HS ".e30.AA','key':'k'}", "not_verified", true },
};

static void check_form(void **state)
{
    const struct form *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf got = BUF(1 << 16);
    scoped(mem_free) char *want = str_format(" %s", row->code);
    struct err err = { 0 };

    assert_true(decode(row->request, result, &err));
    list_warnings(result, &got);
    if ((strstr(buf_str(&got), want) == NULL) != row->is_absent)
        fail_msg("got %s", buf_str(&got));
}

/* ---- errors ---- */

static const struct refused {
    const char *name;
    const char *request;
    const char *code;
    const char *message; /* NULL: any */
} refused[] = {
    { "no token", "{}", "missing_field", NULL },
    { "empty", "{'token':''}", "too_short", NULL },
    { "blanks", "{'token':' '}", "invalid_token", NULL },
    { "one part", "{'token':'abc'}", "invalid_token",
      "token is invalid: it must have 3 parts (JWS) or 5 (JWE) between dots; it has 1" },
    { "four parts", "{'token':'a.b.c.d'}", "invalid_token", NULL },
    { "header no base64url", "{'token':'a!.e30.'}", "invalid_token",
      "token is invalid: the header is not base64url" },
    { "header of one digit", "{'token':'a.e30.'}", "invalid_token",
      "token is invalid: the header is not base64url" },
    { "header no JSON", "{'token':'AA.e30.'}", "invalid_token",
      "token is invalid: the header is not a JSON object" },
    { "header no object", "{'token':'W10.e30.'}", "invalid_token",
      "token is invalid: the header is not a JSON object" },
    { "empty header", "{'token':'.e30.'}", "invalid_token", NULL },
    { "payload no base64url", "{'token':'" HS ".a!.'}", "invalid_token",
      "token is invalid: the payload is not base64url" },
    { "signature no base64url", "{'token':'" HS ".e30.\u00e9'}", "invalid_token",
      "token is invalid: the signature is not base64url" },
    { "padding in the middle", "{'token':'" HS ".e3=0.'}", "invalid_token", NULL },
    { "three paddings", "{'token':'" HS ".e30===.'}", "invalid_token", NULL },
    { "JSON of nothing", "{'token':'{}'}", "invalid_token", NULL },
    { "broken JSON", "{'token':'{'}", "invalid_token", NULL },
    { "signatures of none", "{'token':'{\\u0022signatures\\u0022:[]}'}", "invalid_token", NULL },
    { "signatures no list", "{'token':'{\\u0022signatures\\u0022:1}'}", "invalid_token", NULL },
    { "recipients no list", "{'token':'{\\u0022recipients\\u0022:{}}'}", "invalid_token", NULL },
    { "NUL", "{'token':'a\\u0000'}", "invalid_value", NULL },
    { "at no time", "{'token':'" HS ".e30.','at':'tomorrow'}", "invalid_value", NULL },
    { "at no day", "{'token':'" HS ".e30.','at':'2026-02-29T00:00:00Z'}", "invalid_value", NULL },
    { "at without offset", "{'token':'" HS ".e30.','at':'2026-01-01T00:00:00'}", "invalid_value",
      NULL },
    { "at beyond years", "{'token':'" HS ".e30.','at':9007199254740991}", "invalid_value", NULL },
    { "at a fraction", "{'token':'" HS ".e30.','at':1.5}", "invalid_type", NULL },
    { "a broken PEM", "{'token':'" HS ".e30.','key':'-----BEGIN PUBLIC KEY-----\\nAAAA'}",
      "invalid_value", "key is PEM, but not a public key or certificate" },
    { "a broken JWK", "{'token':'" HS ".e30.','key':'{\\u0022kty\\u0022:\\u0022RSA\\u0022}'}",
      "invalid_value", NULL },
    { "an EC point off the curve",
      "{'token':'" HS
      ".e30.','key':'{\\u0022kty\\u0022:\\u0022EC\\u0022,\\u0022crv\\u0022:\\u0022P-256\\u0022,"
      "\\u0022x\\u0022:\\u0022AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\\u0022,"
      "\\u0022y\\u0022:\\u0022AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\\u0022}'}",
      "invalid_value", NULL },
    { "no keys in a set", "{'token':'" HS ".e30.','key':'{\\u0022keys\\u0022:[]}'}",
      "invalid_value", NULL },
};

static void check_refused(void **state)
{
    const struct refused *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };

    assert_false(decode(row->request, result, &err));
    assert_string_equal(err_code(err.kind), row->code);
    if (row->message)
        assert_string_equal(err.message, row->message);
}

/* ---- limits ---- */

static void large_token(void **state)
{
    (void)state;
    for (size_t digits = 8100; digits <= 8200; digits += 100) {
        scoped(buf_free) struct buf request = BUF(1 << 17);
        scoped(buf_free) struct buf got = BUF(1 << 16);
        scoped(json_free) cJSON *result = json_object();
        struct err err = { 0 };
        buf_add_str(&request, "{'token':'" HS ".e30.");
        for (size_t i = 0; i < digits; i++)
            buf_add_byte(&request, 'A');
        buf_add_str(&request, "'}");
        assert_true(decode(buf_str(&request), result, &err));
        list_warnings(result, &got);
        assert_int_equal(strstr(buf_str(&got), "token_large") != NULL, digits == 8200);
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(large_token) };
    return RUN_ROWS(fields, check_field) + RUN_ROWS(forms, check_form) +
           RUN_ROWS(refused, check_refused) + cmocka_run_group_tests(singles, NULL, NULL);
}
