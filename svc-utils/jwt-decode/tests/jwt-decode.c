/* svc-utils/jwt-decode/tests/jwt-decode.c - the table of warnings, their order and number. */
#include "decoded.h"
#include "parts.h"
/* ---- making tokens ---- */

#define HEAD   "{'alg':'ES256','typ':'JWT','kid':'1'"
#define H      HEAD "}"
#define CLAIMS "'iss':'https://a','sub':'s','aud':'x','jti':'1','iat':1000,'exp':2000"
#define P      "{" CLAIMS "}"
#define NOW    1500

/* The whole request for a token whose signature has `signature` bytes of 0x55. */
static void make_request(struct buf *out, const char *header, const char *payload, size_t signature)
{
    scoped(mem_free) char *bytes = mem_new(signature + 1);
    memset(bytes, 0x55, signature);
    buf_add_str(out, "{'token':'");
    add_part(out, header);
    buf_add_byte(out, '.');
    add_part(out, payload);
    buf_add_byte(out, '.');
    add_part(out, bytes);
    buf_format(out, "','at':%d}", NOW);
}

/* ---- warnings ---- */

#define LONG_TEXT                                                            \
    "0123456789012345678901234567890123456789012345678901234567890123456789" \
    "0123456789012345678901234567890123456789012345678901234567890123456789" \
    "0123456789012345678901234567890123456789012345678901234567890123456789" \
    "0123456789012345678901234567890123456789012345"

static const struct row {
    const char *name;
    const char *header;
    const char *payload;
    size_t signature; /* bytes */
    const char *want; /* "severity code claim"; "!code": there is no such warning */
} rows[] = {
    { "alg none", "{'alg':'none'}", P, 0, "critical alg_none alg" },
    { "alg None", "{'alg':'NoNe'}", P, 0, "critical alg_none alg" },
    { "alg none with a signature", "{'alg':'none'}", P, 4, "critical alg_none alg" },
    { "alg none asks for no signature", "{'alg':'none'}", P, 0, "!signature_missing" },
    { "no alg", "{}", P, 4, "critical alg_missing alg" },
    { "alg a number", "{'alg':1}", P, 4, "critical alg_missing alg" },
    { "no signature", H, P, 0, "critical signature_missing" },
    { "no signature, detached payload", H, "", 0, "!signature_missing" },
    { "alg in another case", "{'alg':'es256'}", P, 64, "medium alg_case alg" },
    { "alg as registered", H, P, 64, "!alg_case" },
    { "unknown alg", "{'alg':'XX256'}", P, 64, "medium alg_unknown alg" },
    { "ML-DSA is known", "{'alg':'ML-DSA-44'}", P, 64, "!alg_unknown" },
    { "HMAC", "{'alg':'HS256'}", P, 32, "low alg_symmetric alg" },
    { "a public key may be confused", H, P, 64, "info alg_confusion alg" },
    { "HMAC alone is not", "{'alg':'HS256','kid':'1'}", P, 32, "!alg_confusion" },
    { "HMAC with jwk", "{'alg':'HS256','jwk':{}}", P, 32, "high alg_confusion alg" },
    { "HMAC with x5t", "{'alg':'HS256','x5t':'a'}", P, 32, "high alg_confusion alg" },
    { "HMAC with a thumbprint as kid",
      "{'alg':'HS256','kid':'0123456789abcdef0123456789ABCDEF01234567'}", P, 32,
      "high alg_confusion alg" },
    { "RS1", "{'alg':'RS1'}", P, 256, "high alg_weak alg" },
    { "HS1", "{'alg':'HS1'}", P, 20, "high alg_weak alg" },
    { "RSA1_5", "{'alg':'RSA1_5'}", P, 256, "high alg_weak alg" },
    { "ES256K", "{'alg':'ES256K'}", P, 64, "info alg_weak alg" },
    { "RS256", "{'alg':'RS256'}", P, 256, "info alg_weak alg" },
    { "PS256 is not weak", "{'alg':'PS256'}", P, 256, "!alg_weak" },
    { "few rounds", "{'alg':'PBES2-HS256+A128KW','p2c':999}", P, 1, "high alg_weak p2c" },
    { "enough rounds", "{'alg':'PBES2-HS256+A128KW','p2c':1000}", P, 1, "!alg_weak" },
    { "too many rounds", "{'alg':'PBES2-HS256+A128KW','p2c':1000001}", P, 1,
      "high p2c_excessive p2c" },
    { "as many rounds as may be", "{'alg':'PBES2-HS256+A128KW','p2c':1000000}", P, 1,
      "!p2c_excessive" },
    { "rounds without PBES2", "{'alg':'ES256','p2c':1}", P, 64, "!alg_weak" },
    { "dir", "{'alg':'dir'}", P, 1, "info jwe_dir alg" },
    { "HS256 of 31 bytes", "{'alg':'HS256'}", P, 31, "medium signature_length" },
    { "HS384 of 48 bytes", "{'alg':'HS384'}", P, 48, "!signature_length" },
    { "HS512 of 32 bytes", "{'alg':'HS512'}", P, 32, "medium signature_length" },
    { "ES384 of 96 bytes", "{'alg':'ES384'}", P, 96, "!signature_length" },
    { "ES512 of 128 bytes", "{'alg':'ES512'}", P, 128, "medium signature_length" },
    { "EdDSA of 114 bytes", "{'alg':'EdDSA'}", P, 114, "!signature_length" },
    { "Ed25519 of 114 bytes", "{'alg':'Ed25519'}", P, 114, "medium signature_length" },
    { "RS256 of 257 bytes", "{'alg':'RS256'}", P, 257, "medium signature_length" },
    { "RS256 of 384 bytes", "{'alg':'RS256'}", P, 384, "!signature_length" },
    { "PS512 of 128 bytes", "{'alg':'PS512'}", P, 128, "high rsa_key_short" },
    { "PS512 of 256 bytes", "{'alg':'PS512'}", P, 256, "!rsa_key_short" },

    { "kid with a path", "{'alg':'ES256','kid':'a/../b'}", P, 64, "high kid_injection kid" },
    { "kid with a Windows path", "{'alg':'ES256','kid':'a..\\\\b'}", P, 64,
      "high kid_injection kid" },
    { "kid a path", "{'alg':'ES256','kid':'/dev/null'}", P, 64, "high kid_injection kid" },
    { "kid with a drive", "{'alg':'ES256','kid':'c:/x'}", P, 64, "high kid_injection kid" },
    { "kid with an escaped path", "{'alg':'ES256','kid':'a%2E%2e'}", P, 64,
      "high kid_injection kid" },
    { "kid with NUL", "{'alg':'ES256','kid':'a\\u0000'}", P, 64, "high kid_injection kid" },
    { "kid with a line feed", "{'alg':'ES256','kid':'a\\n'}", P, 64, "high kid_injection kid" },
    { "kid with a quote", "{'alg':'ES256','kid':'a\\u0027'}", P, 64, "high kid_injection kid" },
    { "kid with a semicolon", "{'alg':'ES256','kid':'a;b'}", P, 64, "high kid_injection kid" },
    { "kid with a comment", "{'alg':'ES256','kid':'a--'}", P, 64, "high kid_injection kid" },
    { "kid with a pipe", "{'alg':'ES256','kid':'a|b'}", P, 64, "high kid_injection kid" },
    { "kid with a command", "{'alg':'ES256','kid':'$(id)'}", P, 64, "high kid_injection kid" },
    { "kid with a backtick", "{'alg':'ES256','kid':'`id`'}", P, 64, "high kid_injection kid" },
    { "kid with UNION", "{'alg':'ES256','kid':'1 union select'}", P, 64, "high kid_injection kid" },
    { "kid a URL", "{'alg':'ES256','kid':'https://a/b'}", P, 64, "high kid_injection kid" },
    { "kid with a harmless word", "{'alg':'ES256','kid':'reunion/2-3_4'}", P, 64,
      "!kid_injection" },
    { "kid a thumbprint with dashes",
      "{'alg':'ES256','kid':'NzbLsXh8uDCcd--6MNwXF4W_7noWXFZAfHkxZsRGC9X'}", P, 64,
      "!kid_injection" },
    { "kid of 256", "{'alg':'ES256','kid':'" LONG_TEXT "'}", P, 64, "!kid_long" },
    { "kid of 257", "{'alg':'ES256','kid':'" LONG_TEXT "x'}", P, 64, "low kid_long kid" },
    { "jku", HEAD ",'jku':'https://keys.example.com/jwks'}", P, 64, "high jku_present jku" },
    { "jku over http", HEAD ",'jku':'http://keys.example.com/'}", P, 64,
      "critical jku_present jku" },
    { "jku at an address", HEAD ",'jku':'https://192.0.2.1/'}", P, 64, "critical jku_present jku" },
    { "jku at an address as number", HEAD ",'jku':'https://0x7f000001/'}", P, 64,
      "critical jku_present jku" },
    { "jku at IPv6", HEAD ",'jku':'https://[::1]:8/'}", P, 64, "critical jku_present jku" },
    { "jku at localhost", HEAD ",'jku':'https://localhost:8080/'}", P, 64,
      "critical jku_present jku" },
    { "jku at a private name", HEAD ",'jku':'https://keys.internal./'}", P, 64,
      "critical jku_present jku" },
    { "jku with a misleading user", HEAD ",'jku':'https://example.com@localhost/'}", P, 64,
      "critical jku_present jku" },
    { "jku no text", HEAD ",'jku':1}", P, 64, "critical jku_present jku" },
    { "x5u", HEAD ",'x5u':'https://a.example.com:443?x'}", P, 64, "high x5u_present x5u" },
    { "jwk", HEAD ",'jwk':{'kty':'EC','x':'','y':''}}", P, 64, "high jwk_embedded jwk" },
    { "public jwk", HEAD ",'jwk':{'kty':'EC'}}", P, 64, "!private_key_exposed" },
    { "private jwk", HEAD ",'jwk':{'kty':'EC','d':'x'}}", P, 64,
      "critical private_key_exposed jwk" },
    { "x5c", HEAD ",'x5c':['a']}", P, 64, "medium x5c_embedded x5c" },
    { "crit b64", HEAD ",'crit':['b64'],'b64':true}", P, 64, "!crit_unknown" },
    { "crit unknown", HEAD ",'crit':['x'],'x':1}", P, 64, "high crit_unknown crit" },
    { "crit empty", HEAD ",'crit':[]}", P, 64, "high crit_invalid crit" },
    { "crit no list", HEAD ",'crit':'exp'}", P, 64, "high crit_invalid crit" },
    { "crit of numbers", HEAD ",'crit':[1]}", P, 64, "high crit_invalid crit" },
    { "crit of a base parameter", HEAD ",'crit':['alg']}", P, 64, "high crit_invalid crit" },
    { "crit of an absent name", HEAD ",'crit':['exp']}", P, 64, "high crit_invalid crit" },
    { "crit fine", HEAD ",'crit':['exp'],'exp':1}", P, 64, "!crit_invalid" },
    { "b64 false", HEAD ",'b64':false}", P, 64, "medium b64_false b64" },
    { "no typ", "{'alg':'ES256'}", P, 64, "info typ_missing typ" },
    { "typ", H, P, 64, "!typ_missing" },
    { "another typ", "{'alg':'ES256','typ':'x'}", P, 64, "info typ_unexpected typ" },
    { "typ at+jwt", "{'alg':'ES256','typ':'application/AT+jwt'}", P, 64, "!typ_unexpected" },
    { "typ no text", "{'alg':'ES256','typ':1}", P, 64, "info typ_unexpected typ" },
    { "cty JWT", HEAD ",'cty':'jwt'}", P, 64, "info nested_token cty" },
    { "a token as payload", H, "eyJhbGciOiJub25lIn0.e30.", 64, "info nested_token cty" },
    { "a large header",
      HEAD ",'x':'" LONG_TEXT LONG_TEXT LONG_TEXT LONG_TEXT LONG_TEXT LONG_TEXT LONG_TEXT LONG_TEXT
           "'}",
      P, 64, "low header_large" },
    { "no large header", HEAD ",'x':'" LONG_TEXT LONG_TEXT "'}", P, 64, "!header_large" },

    { "no exp", H, "{'iat':1}", 64, "high exp_missing exp" },
    { "expired", H, "{'exp':1500}", 64, "high expired exp" },
    { "not expired", H, "{'exp':1500.001}", 64, "!expired" },
    { "exp a text", H, "{'exp':'2000'}", 64, "high exp_not_number exp" },
    { "exp as a text is not missing", H, "{'exp':'2000'}", 64, "!exp_missing" },
    { "nbf a text", H, "{'nbf':'1'}", 64, "high nbf_not_number nbf" },
    { "iat null", H, "{'iat':null}", 64, "high iat_not_number iat" },
    { "exp in milliseconds", H, "{'exp':1700000000000}", 64, "high exp_milliseconds exp" },
    { "exp before iat", H, "{'iat':1800,'exp':1700}", 64, "high exp_before_iat exp" },
    { "exp before nbf", H, "{'nbf':1800,'exp':1700}", 64, "high exp_before_nbf exp" },
    { "a lifetime of a day", H, "{'iat':1500,'exp':87900}", 64, "!lifetime_long" },
    { "a lifetime above a day", H, "{'iat':1500,'exp':87901}", 64, "low lifetime_long exp" },
    { "a lifetime above a week", H, "{'nbf':1500,'exp':606301}", 64, "medium lifetime_long exp" },
    { "a lifetime above a month", H, "{'exp':2593501}", 64, "high lifetime_long exp" },
    { "exp in eleven years", H, "{'exp':347000000}", 64, "high exp_far_future exp" },
    { "exp in nine years", H, "{'exp':284000000}", 64, "!exp_far_future" },
    { "not yet valid", H, "{'nbf':1501}", 64, "medium not_yet_valid nbf" },
    { "just valid", H, "{'nbf':1500}", 64, "!not_yet_valid" },
    { "issued in the future", H, "{'iat':1801}", 64, "medium iat_future iat" },
    { "clocks may differ", H, "{'iat':1800}", 64, "!iat_future" },
    { "no iat", H, "{'exp':2000}", 64, "low iat_missing iat" },
    { "an old token", H, "{'iat':-31560000}", 64, "high token_old iat" },
    { "an old token that expires", H, "{'iat':-31560000,'exp':1}", 64, "!token_old" },
    { "a time beyond years", H, "{'exp':1e300}", 64, "medium claim_out_of_range exp" },
    { "a time before years", H, "{'nbf':-1e300}", 64, "medium claim_out_of_range nbf" },
    { "a number beyond doubles", H, "{'nbf':1e999}", 64, "medium claim_out_of_range nbf" },
    { "an end beyond doubles", H, "{'exp':1e999}", 64, "medium claim_out_of_range exp" },
    { "a beginning beyond doubles", H, "{'iat':-1e999,'exp':1e999}", 64, "high lifetime_long exp" },

    { "no iss", H, "{}", 64, "low iss_missing iss" },
    { "no aud", H, "{}", 64, "medium aud_missing aud" },
    { "no sub", H, "{}", 64, "info sub_missing sub" },
    { "no jti", H, "{}", 64, "info jti_missing jti" },
    { "aud *", H, "{'aud':'*'}", 64, "high aud_wildcard aud" },
    { "aud with *", H, "{'aud':['a','*']}", 64, "high aud_wildcard aud" },
    { "aud a number", H, "{'aud':1}", 64, "medium aud_invalid aud" },
    { "aud with a number", H, "{'aud':['a',1]}", 64, "medium aud_invalid aud" },
    { "aud a list", H, "{'aud':['a']}", 64, "!aud_invalid" },
    { "iss over http", H, "{'iss':'http://a'}", 64, "low iss_insecure iss" },
    { "iss no text", H, "{'iss':1}", 64, "medium iss_not_string iss" },
    { "sub no text", H, "{'sub':1}", 64, "medium sub_not_string sub" },
    { "jti no text", H, "{'jti':{}}", 64, "medium jti_not_string jti" },

    { "a password", H, "{'user':{'Pass-Word_1':1}}", 64, "high sensitive_claim user.Pass-Word_1" },
    { "a key in camel case", H, "{'a':[{'myApiKey':''}]}", 64, "high sensitive_claim a.myApiKey" },
    { "a short word", H, "{'userPin':1}", 64, "high sensitive_claim userPin" },
    { "a short word in capitals", H, "{'SSN_last':1}", 64, "high sensitive_claim SSN_last" },
    { "a short word in a longer one", H, "{'shipping':1,'opinion':1,'spinner':2}", 64,
      "!sensitive_claim" },
    { "four levels", H, "{'a':{'b':{'c':{'pwd':1}}}}", 64, "high sensitive_claim a.b.c.pwd" },
    { "no fifth level", H, "{'a':{'b':{'c':{'d':{'pwd':1}}}}}", 64, "!sensitive_claim" },
    { "a private key", H, "{'a':'-----BEGIN RSA PRIVATE KEY-----'}", 64, "high sensitive_value a" },
    { "a public key", H, "{'a':'-----BEGIN PUBLIC KEY-----'}", 64, "!sensitive_value" },
    { "a card number", H, "{'a':'4111111111111111'}", 64, "high sensitive_value a" },
    { "no card number", H, "{'a':'4111111111111112'}", 64, "!sensitive_value" },
    { "too short for a card", H, "{'a':'411111111116'}", 64, "!sensitive_value" },
    { "a social security number", H, "{'a':'078-05-1120'}", 64, "high sensitive_value a" },
    { "an AWS key", H, "{'a':'AKIAIOSFODNN7EXAMPLE'}", 64, "high sensitive_value a" },
    { "a GitHub token", H, "{'a':['ghp_x']}", 64, "high sensitive_value a" },
    { "a Slack token", H, "{'a':'xoxb-1'}", 64, "high sensitive_value a" },
    { "a Stripe key", H, "{'a':'sk_live_1'}", 64, "high sensitive_value a" },
    { "a token as value", H, "{'a':'eyJhbGciOiJub25lIn0.e30.'}", 64, "medium embedded_token a" },
    { "three dots are no token", H, "{'a':'www.example.com'}", 64, "!embedded_token" },
    { "an e-mail address", H, "{'email':'a@b'}", 64, "info personal_data email" },
    { "a telephone number", H, "{'phone_number':'1'}", 64, "info personal_data phone_number" },
    { "a day of birth", H, "{'birthdate':'1'}", 64, "info personal_data birthdate" },
    { "an address", H, "{'address':{}}", 64, "info personal_data address" },
    { "a name", H, "{'name':'A'}", 64, "info personal_data name" },
    { "is_admin", H, "{'is_admin':true}", 64, "info privilege_claim is_admin" },
    { "access to a bank account", H, "{'bankAccount':1}", 64, "high sensitive_claim bankAccount" },
    { "a refresh token", H, "{'refresh_token':'a'}", 64, "high sensitive_claim refresh_token" },
    { "a seed of passwords", H, "{'otpSeed':'a'}", 64, "high sensitive_claim otpSeed" },
    { "another GitHub token", H, "{'a':'gho_x'}", 64, "high sensitive_value a" },
    { "a temporary AWS key", H, "{'a':'ASIAIOSFODNN7EXAMPLE'}", 64, "high sensitive_value a" },
    { "HMAC with jku", "{'alg':'HS256','jku':'https://a.example/'}", P, 32,
      "high alg_confusion alg" },
    { "HMAC with x5u", "{'alg':'HS256','x5u':'https://a.example/'}", P, 32,
      "high alg_confusion alg" },
    { "HMAC with x5c", "{'alg':'HS256','x5c':[]}", P, 32, "high alg_confusion alg" },
    { "admin", H, "{'admin':true}", 64, "info privilege_claim admin" },
    { "no admin", H, "{'admin':false}", 64, "!privilege_claim" },
    { "role", H, "{'role':'SuperUser'}", 64, "info privilege_claim role" },
    { "roles", H, "{'roles':['a','root']}", 64, "info privilege_claim roles" },
    { "scope", H, "{'scope':'read:*'}", 64, "info privilege_claim scope" },

    { "twice in the header", "{'alg':'none','alg':'ES256'}", P, 64, "critical duplicate_claim" },
    { "twice in the payload", H, "{'a':1,'a':2}", 64, "high duplicate_claim" },
    { "not twice", H, P, 64, "!duplicate_claim" },
    { "not UTF-8", H, "\xff", 64, "medium invalid_utf8" },
    { "no JSON", H, "\xff", 64, "medium payload_not_json" },
    { "no object", H, "[]", 64, "medium payload_not_json" },
    { "a token is not a broken payload", H, "eyJhbGciOiJub25lIn0.e30.", 64, "!payload_not_json" },
    { "no claims, no rules", H, "[]", 64, "!exp_missing" },
    { "nothing is verified", H, P, 64, "info not_verified" },
    { "nothing but what must be", H, P, 64, "!kid_injection" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf request = BUF(1 << 17);
    scoped(buf_free) struct buf got = BUF(1 << 16);
    struct err err = { 0 };
    bool is_absent = row->want[0] == '!';

    make_request(&request, row->header, row->payload, row->signature);
    assert_true(decode(buf_str(&request), result, &err));
    list_warnings(result, &got);
    scoped(mem_free) char *want =
        is_absent ? str_format(" %s", row->want + 1) : str_format(",%s,", row->want);
    if ((strstr(buf_str(&got), want) == NULL) != is_absent)
        fail_msg("wanted %s, got %s", row->want, buf_str(&got));
}

/* ---- limits ---- */

/* Warnings are sorted by severity, then code, and limited for each code. */
static void order_and_limit(void **state)
{
    (void)state;
    scoped(buf_free) struct buf payload = BUF(1 << 16);
    scoped(buf_free) struct buf request = BUF(1 << 17);
    scoped(json_free) cJSON *result = json_object();
    static const char *const severities[] = { "critical", "high", "medium", "low", "info" };
    struct err err = { 0 };
    size_t severity = 0;
    size_t count = 0;
    const char *code = "";
    const cJSON *item;

    buf_add_str(&payload, "{'a':0");
    for (int i = 0; i < 1000; i++)
        buf_format(&payload, ",'pwd%d':{'pin':1}", i);
    buf_add_byte(&payload, '}');
    make_request(&request, "{'alg':'x'}", buf_str(&payload), 3);
    assert_true(decode(buf_str(&request), result, &err));
    cJSON_ArrayForEach(item, json_get(result, "warnings")) {
        while (strcmp(severities[severity], json_text(item, "/severity")) != 0) {
            severity++;
            code = "";
            assert_true(severity < countof(severities));
        }
        assert_true(strcmp(code, json_text(item, "/code")) <= 0);
        code = json_text(item, "/code");
        count += strcmp(code, "sensitive_claim") == 0;
    }
    assert_int_equal(count, 20);
    assert_true(json_is(json_get(result, "truncated"), cJSON_True));
    assert_string_equal(json_text(result, "/risk"), "high");
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(order_and_limit) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
