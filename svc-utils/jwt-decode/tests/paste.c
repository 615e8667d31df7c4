/* svc-utils/jwt-decode/tests/paste.c - tokens as people paste them. */
#include "tool.h"
#include "tools.h"

#define T "eyJhbGciOiJIUzI1NiJ9.e30.AA"   /* {"alg":"HS256"}.{} */
#define U "eyJhbGciOiJIUzM4NCJ9.e30.AAAA" /* {"alg":"HS384"}.{} */

static const struct row {
    const char *name; /* the pasted text */
    const char *want; /* algorithm|form|name|others */
} rows[] = {
    { T, "HS256|||" },
    { "  " T "\n", "HS256|||" },
    { "Bearer " T, "HS256|||" },
    { "DPoP " T, "HS256|||" },
    { "JWT " T, "HS256|||" },
    { "Token " T, "HS256|||" },
    { "\"" T "\"", "HS256|quotes||0" },
    { "'" T "'", "HS256|quotes||0" },
    { "`" T "`", "HS256|quotes||0" },
    { "<" T ">", "HS256|quotes||0" },
    { "\u201c" T "\u201d", "HS256|quotes||0" },
    { "'Bearer " T "'", "HS256|quotes||0" },
    { "Bearer \"" T "\"", "HS256|quotes||0" },
    { "Authorization: Bearer " T, "HS256|header|Authorization|0" },
    { "authorization:Bearer " T, "HS256|header|authorization|0" },
    { "Authorization: DPoP " T, "HS256|header|Authorization|0" },
    { "\"Authorization: Bearer " T "\"", "HS256|header|Authorization|0" },
    { "DPoP: " T, "HS256|header|DPoP|0" },
    { "X-Amzn-Oidc-Data: " T, "HS256|header|X-Amzn-Oidc-Data|0" },
    { "Cf-Access-Jwt-Assertion: " T, "HS256|header|Cf-Access-Jwt-Assertion|0" },
    { "access_token=" T, "HS256|parameter|access_token|0" },
    { "id_token=" T "&state=x", "HS256|parameter|id_token|0" },
    { "id_token=" U "&access_token=" T "&token_type=Bearer", "HS256|parameter|access_token|1" },
    { "https://app.example.com/callback#id_token=" T "&state=1", "HS256|parameter|id_token|0" },
    { "https://app.example.com/cb?token=" T, "HS256|parameter|token|0" },
    { "Set-Cookie: session=" T "; Path=/; HttpOnly", "HS256|parameter|session|0" },
    { "{\"access_token\":\"" T "\",\"token_type\":\"Bearer\",\"expires_in\":3600}",
      "HS256|json|access_token|0" },
    { "{\"id_token\":\"" U "\",\"access_token\":\"" T "\"}", "HS256|json|access_token|1" },
    { "{ \"access_token\": \"opaque\", \"id_token\": \"" T "\" }", "HS256|json|id_token|0" },
    { "curl -H \"Authorization: Bearer " T "\" https://example.com", "HS256|text||0" },
    { "headers = {'Authorization': 'Bearer " T "'}", "HS256|text||0" },
    { "const token = '" T "';", "HS256|parameter|token|0" },
    { "Bearer%20" T, "HS256|text||0" },
    { "token: \"" T "\"", "HS256|header|token|0" },
    { "2026-11-26 10:00 token " T " rejected", "HS256|text||0" },
    { "eyJhbGciOiJIUzI1NiJ9.\n e30.\n AA", "HS256|||" },
};

static bool decode(const char *text, cJSON *result, struct err *err)
{
    scoped(json_free) cJSON *request = json_object();
    scoped(buf_free) struct buf body = BUF(1 << 17);
    scoped(buf_free) struct buf escaped = BUF(1 << 17);
    json_str(request, "token", text);
    json_print(request, &body);
    for (size_t i = 0; i < body.size; i++) /* run_tool() makes single quotes double */
        if (body.bytes[i] == '\'')
            buf_add_str(&escaped, "\\u0027");
        else
            buf_add_byte(&escaped, body.bytes[i]);
    return run_tool(jwt_decode, "jwt-decode", buf_str(&escaped), result, NULL, err);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf got = BUF(256);
    struct err err = { 0 };
    bool ok = decode(row->name, result, &err);
    const char *name = json_text(result, "/pasted/name");
    assert_string_equal(err.message, "");
    assert_true(ok);
    buf_format(&got, "%s|", json_text(result, "/algorithm"));
    if (json_at(result, "/pasted"))
        buf_format(&got, "%s|%s|%d", json_text(result, "/pasted/form"), name ? name : "",
                   (int)json_integer(json_at(result, "/pasted"), "others"));
    else
        buf_add_str(&got, "||");
    assert_string_equal(buf_str(&got), row->want);
}

static const struct refusal {
    const char *name;
    const char *want; /* a part of the message */
} refusals[] = {
    { "{\"access_token\":\"gho_16C7e42F292c6912E7710c838347Ae178B4a\"}",
      "as JSON it must have signatures, signature, recipients or ciphertext, or contain a token" },
    { "Bearer gho_16C7e42F292c6912E7710c838347Ae178B4a", "it has 1" },
    { "access_token=abc.def", "it has 2" },
    { "Authorization: Basic dXNlcjpwYXNz", "it has 1" },
    { "https://example.com/callback", "it has 2" },
    { "{\"access_token\":", "not a JSON object" },
};

static void check_refusal(void **state)
{
    const struct refusal *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    assert_false(decode(row->name, result, &err));
    assert_string_equal(err_code(err.kind), "invalid_token");
    if (!strstr(err.message, row->want))
        assert_string_equal(err.message, row->want);
}

/* A text of beginnings of tokens takes a bounded number of tries. */
static void many_beginnings(void **state)
{
    (void)state;
    scoped(buf_free) struct buf text = BUF(1 << 15);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    buf_add_byte(&text, '!');
    while (text.size < 32000)
        buf_add_str(&text, "eyJ.");
    assert_false(decode(buf_str(&text), result, &err));
    assert_string_equal(err_code(err.kind), "invalid_token");
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(many_beginnings) };
    return RUN_ROWS(rows, check) + RUN_ROWS(refusals, check_refusal) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
