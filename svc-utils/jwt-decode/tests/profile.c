/*
 * svc-utils/jwt-decode/tests/profile.c - what each type of token needs, tokens of well-known
 * issuers, and disclosures of SD-JWTs.
 */
#include "parts.h"
#include "tool.h"
#include "tools.h"

#define CLAIMS "'iss':'https://a','sub':'s','aud':'x','jti':'1','iat':1000,'exp':2000"
#define NOW    1500

/* RFC 9449 section 4.2: a DPoP proof, signed with the key in its header. */
#define DPOP_HEAD                                                                                  \
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNo" \
    "UklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERW" \
    "clUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19"
#define DPOP_CLAIMS                                                                                \
    "eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUu" \
    "Y29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ"
#define DPOP_SIGNATURE \
    "2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"

/* RFC 9901 section 4.2.1: a disclosure, and its digest. */
#define DISCLOSURE "WyJfMjZiYzRMVC1hYzZxMktJNmNCVzVlcyIsICJmYW1pbHlfbmFtZSIsICJNw7ZiaXVzIl0"
#define DIGEST     "X9yH0Ajrdm1Oij4tWso9UzzKJvPoDxwmuEcO3XAdRC0"

static cJSON *decoded(const char *token)
{
    scoped(mem_free) char *body = str_format("{'token':'%s','at':%d}", token, NOW);
    cJSON *result = json_object();
    struct err err = { 0 };
    if (!run_tool(jwt_decode, "jwt-decode", body, result, NULL, &err))
        fail_msg("%s", err.message);
    return result;
}

/* "high exp_missing exp" for each warning, between commas. */
static void list_warnings(const cJSON *result, struct buf *out)
{
    const cJSON *item;
    buf_add_byte(out, ',');
    cJSON_ArrayForEach(item, json_get(result, "warnings")) {
        const char *claim = json_text(item, "/claim");
        buf_format(out, "%s%s%s,", json_text(item, "/code"), claim ? " " : "", claim ? claim : "");
    }
}

/* Expects a warning "code claim", or none if want begins with "!". */
static void expect_warning(const cJSON *result, const char *want)
{
    scoped(buf_free) struct buf codes = BUF(1 << 14);
    scoped(mem_free) char *wanted = str_format(",%s", want + (*want == '!'));
    list_warnings(result, &codes);
    if ((strstr(buf_str(&codes), wanted) == NULL) != (*want == '!'))
        assert_string_equal(buf_str(&codes), want);
}

static const struct row {
    const char *name;
    const char *header;
    const char *payload;
    const char *want; /* "code claim"; "!code": there is no such warning */
} rows[] = {
    { "an ordinary token needs exp", "{'alg':'ES256'}", "{}", "exp_missing exp" },
    { "a DPoP proof does not", "{'alg':'ES256','typ':'dpop+jwt'}", "{}", "!exp_missing" },
    { "nor iss", "{'alg':'ES256','typ':'dpop+jwt'}", "{}", "!iss_missing" },
    { "nor aud", "{'alg':'ES256','typ':'dpop+jwt'}", "{}", "!aud_missing" },
    { "nor is it old", "{'alg':'ES256','typ':'dpop+jwt'}", "{'iat':-99999999}", "!token_old" },
    { "its key is in it", "{'alg':'ES256','typ':'dpop+jwt','jwk':{}}", "{}", "!jwk_embedded" },
    { "but not a private one", "{'alg':'ES256','typ':'dpop+jwt','jwk':{'d':'x'}}", "{}",
      "private_key_exposed jwk" },
    { "it needs jti", "{'alg':'ES256','typ':'dpop+jwt'}", "{}", "type_claim_missing jti" },
    { "and htm", "{'alg':'ES256','typ':'dpop+jwt'}", "{}", "type_claim_missing htm" },
    { "and htu", "{'alg':'ES256','typ':'application/DPoP+jwt'}", "{}", "type_claim_missing htu" },
    { "and jwk", "{'alg':'ES256','typ':'dpop+jwt'}", "{}", "type_claim_missing jwk" },
    { "all are there", "{'alg':'ES256','typ':'dpop+jwt','jwk':{}}",
      "{'jti':'1','htm':'GET','htu':'https://a','iat':1000}", "!type_claim_missing" },
    { "another token with a key in it", "{'alg':'ES256','jwk':{}}", "{}", "jwk_embedded jwk" },
    { "a security event does not need exp", "{'alg':'ES256','typ':'secevent+jwt'}", "{}",
      "!exp_missing" },
    { "nor sub", "{'alg':'ES256','typ':'secevent+jwt'}", "{}", "!sub_missing" },
    { "it needs events", "{'alg':'ES256','typ':'secevent+jwt'}", "{}",
      "type_claim_missing events" },
    { "a logout token needs events", "{'alg':'ES256','typ':'logout+jwt'}", "{}",
      "type_claim_missing events" },
    { "and exp", "{'alg':'ES256','typ':'logout+jwt'}", "{}", "exp_missing exp" },
    { "a key binding does not need exp", "{'alg':'ES256','typ':'kb+jwt'}", "{}", "!exp_missing" },
    { "it needs sd_hash", "{'alg':'ES256','typ':'kb+jwt'}", "{}", "type_claim_missing sd_hash" },
    { "a credential needs vct", "{'alg':'ES256','typ':'dc+sd-jwt'}", "{}",
      "type_claim_missing vct" },
    { "its type is known", "{'alg':'ES256','typ':'dc+sd-jwt'}", "{}", "!typ_unexpected" },
    { "an unknown type", "{'alg':'ES256','typ':'other'}", "{}", "typ_unexpected typ" },

    { "kid a number", "{'alg':'ES256','kid':1}", "{}", "kid_not_string kid" },
    { "kid null", "{'alg':'ES256','kid':null}", "{}", "kid_not_string kid" },
    { "kid a text", "{'alg':'ES256','kid':'1'}", "{}", "!kid_not_string" },
    { "aud an empty list", "{'alg':'ES256'}", "{'aud':[]}", "aud_empty aud" },
    { "aud an empty text", "{'alg':'ES256'}", "{'aud':''}", "aud_empty aud" },
    { "aud of one", "{'alg':'ES256'}", "{'aud':['a']}", "!aud_empty" },

    { "exp in milliseconds", "{'alg':'ES256'}", "{'exp':1766000000000}", "exp_milliseconds exp" },
    { "is not far in the future", "{'alg':'ES256'}", "{'exp':1766000000000}", "!exp_far_future" },
    { "nor long", "{'alg':'ES256'}", "{'exp':1766000000000,'iat':1000}", "!lifetime_long" },
    { "nor out of range", "{'alg':'ES256'}", "{'exp':1766000000000000}", "claim_out_of_range exp" },
    { "iat in milliseconds", "{'alg':'ES256'}", "{'iat':1766000000000}", "exp_milliseconds iat" },
    { "is not in the future", "{'alg':'ES256'}", "{'iat':1766000000000}", "!iat_future" },
    { "one warning for both", "{'alg':'ES256'}", "{'exp':1766000000000,'iat':1766000000000}",
      "!exp_milliseconds iat" },
    { "nbf in milliseconds is not early", "{'alg':'ES256'}", "{'nbf':1766000000000}",
      "!not_yet_valid" },

    { "Cognito", "{'alg':'RS256'}",
      "{'iss':'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a'}", "issuer_note iss" },
    { "an access token of Cognito has no aud", "{'alg':'RS256'}",
      "{'token_use':'access','client_id':'c'}", "!aud_missing" },
    { "Auth0", "{'alg':'RS256'}", "{'iss':'https://a.eu.auth0.com/'}", "issuer_note iss" },
    { "Keycloak", "{'alg':'RS256'}", "{'iss':'https://id.example.com/realms/main'}",
      "issuer_note iss" },
    { "Entra", "{'alg':'RS256'}", "{'iss':'https://login.microsoftonline.com/x/v2.0'}",
      "issuer_note iss" },
    { "Entra, version 1", "{'alg':'RS256'}", "{'iss':'https://sts.windows.net/x/'}",
      "issuer_note iss" },
    { "Google", "{'alg':'RS256'}", "{'iss':'https://accounts.google.com'}", "issuer_note iss" },
    { "Google without https", "{'alg':'RS256'}", "{'iss':'accounts.google.com'}",
      "issuer_note iss" },
    { "another issuer", "{'alg':'RS256'}", "{'iss':'https://id.example.com/'}", "!issuer_note" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf token = BUF(1 << 14);
    add_part(&token, row->header);
    buf_add_byte(&token, '.');
    add_part(&token, row->payload);
    buf_add_str(&token, ".AAAA");
    scoped(json_free) cJSON *result = decoded(buf_str(&token));
    expect_warning(result, row->want);
}

static void dpop_checks_its_own_key(void **state)
{
    (void)state;
    scoped(json_free) cJSON *valid = decoded(DPOP_HEAD "." DPOP_CLAIMS "." DPOP_SIGNATURE);
    assert_true(json_is(json_get(valid, "signature_verified"), cJSON_True));
    expect_warning(valid, "own_key jwk");
    expect_warning(valid, "!not_verified");
    expect_warning(valid, "!type_claim_missing");

    scoped(json_free) cJSON *forged = decoded(DPOP_HEAD ".e30." DPOP_SIGNATURE);
    assert_true(json_is(json_get(forged, "signature_verified"), cJSON_False));
    expect_warning(forged, "signature_invalid");
}

/* ---- SD-JWT ---- */

static const struct sd_row {
    const char *name;
    const char *payload;
    const char *after;   /* the token's ~ */
    const char *want;    /* of the first disclosure */
    const char *warning; /* as in rows */
} sd_rows[] = {
    { "a claim", "{'_sd':['" DIGEST "']}", DISCLOSURE "~",
      "{'name':'family_name','value':'M\u00f6bius','digest':'" DIGEST "','signed':true}",
      "!disclosure_unsigned" },
    { "with its algorithm", "{'_sd_alg':'sha-256','a':{'_sd':['" DIGEST "']}}", DISCLOSURE "~",
      "{'name':'family_name','value':'M\u00f6bius','digest':'" DIGEST "','signed':true}",
      "!disclosure_unsigned" },
    { "an item of a list", "{'a':[{'...':'" DIGEST "'}]}", DISCLOSURE "~",
      "{'name':'family_name','value':'M\u00f6bius','digest':'" DIGEST "','signed':true}",
      "!disclosure_unsigned" },
    { "one that is not signed", "{'_sd':[]}", DISCLOSURE "~",
      "{'name':'family_name','value':'M\u00f6bius','digest':'" DIGEST "','signed':false}",
      "disclosure_unsigned" },
    { "one that cannot be read", "{}", "e30~",
      "{'name':null,'value':null,'digest':'8-zF5mt3cQBmfW7jUKC7aBQPxrIfdrJPBf9lmpF4NQc',"
      "'signed':false}",
      "disclosure_invalid" },
    { "none", "{}", "", NULL, "!disclosure" },
};

static void check_sd(void **state)
{
    const struct sd_row *row = *state;
    scoped(buf_free) struct buf token = BUF(1 << 14);
    scoped(buf_free) struct buf got = BUF(1 << 14);
    scoped(buf_free) struct buf want = BUF(1 << 14);
    add_part(&token, "{'alg':'ES256','typ':'dc+sd-jwt'}");
    buf_add_byte(&token, '.');
    add_part(&token, row->payload);
    buf_format(&token, ".AAAA~%s", row->after);
    scoped(json_free) cJSON *result = decoded(buf_str(&token));
    assert_true(json_is(json_get(result, "disclosures"), cJSON_Array));
    expect_warning(result, row->warning);
    if (!row->want) {
        assert_int_equal(json_size(json_get(result, "disclosures")), 0);
        return;
    }
    json_print(json_at(result, "/disclosures/0"), &got);
    add_quoted(&want, row->want);
    if (strstr(row->name, "read") == NULL)
        assert_string_equal(buf_str(&got), buf_str(&want));
    else
        assert_true(json_is(json_at(result, "/disclosures/0/value"), cJSON_NULL));
}

static void key_binding(void **state)
{
    (void)state;
    scoped(buf_free) struct buf token = BUF(1 << 14);
    add_part(&token, "{'alg':'ES256','typ':'dc+sd-jwt'}");
    buf_add_str(&token, ".e30.AAAA~" DISCLOSURE "~");
    add_part(&token, "{'alg':'ES256','typ':'kb+jwt'}");
    buf_add_byte(&token, '.');
    add_part(&token, "{'nonce':'n','sd_hash':'x'}");
    buf_add_str(&token, ".AAAA");
    scoped(json_free) cJSON *result = decoded(buf_str(&token));
    assert_string_equal(json_text(result, "/key_binding/payload/nonce"), "n");
    assert_true(json_is(json_at(result, "/key_binding/sd_hash_valid"), cJSON_False));
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(dpop_checks_its_own_key),
        cmocka_unit_test(key_binding),
    };
    return RUN_ROWS(rows, check) + RUN_ROWS(sd_rows, check_sd) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
