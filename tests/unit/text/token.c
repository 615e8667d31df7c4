/* tests/unit/text/token.c - bearer tokens, made and read. */
#include "text/token.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"

/* The CRC-32 of "tg_live_" and 32 zeros, 0x8a93da41 by Python's zlib, in base62. */
#define TOKEN      "tg_live_00000000000000000000000000000000" CHECK
#define CHECK      "2XLEWX"
#define OVER_CHECK "4MyMkc"

static const struct row {
    const char *name;
    const char *header;
    enum err_kind want;
} rows[] = {
    { "a token", "Bearer " TOKEN, ERR_NONE },
    { "scheme in lower case", "bearer " TOKEN, ERR_NONE },
    { "scheme in upper case", "BEARER " TOKEN, ERR_NONE },
    { "more blanks", "Bearer    " TOKEN, ERR_NONE },
    { "no header", NULL, ERR_AUTH_MISSING },
    { "empty header", "", ERR_AUTH_MISSING },
    { "another scheme", "Basic dXNlcjpwYXNz", ERR_AUTH_MALFORMED },
    { "scheme alone", "Bearer", ERR_AUTH_MALFORMED },
    { "scheme and blank", "Bearer ", ERR_AUTH_MALFORMED },
    { "token alone", TOKEN, ERR_AUTH_MALFORMED },
    { "tab instead of blank", "Bearer\t" TOKEN, ERR_AUTH_MALFORMED },
    { "blank behind", "Bearer " TOKEN " ", ERR_AUTH_MALFORMED },
    { "two tokens", "Bearer " TOKEN " " TOKEN, ERR_AUTH_MALFORMED },
    { "another prefix", "Bearer tg_test_00000000000000000000000000000000" CHECK,
      ERR_AUTH_MALFORMED },
    { "one character changed", "Bearer tg_live_00000000000000000000000000000001" CHECK,
      ERR_AUTH_MALFORMED },
    { "two characters swapped", "Bearer tg_live_00000000000000000000000000000000X2LEWX",
      ERR_AUTH_MALFORMED },
    { "one character less", "Bearer tg_live_0000000000000000000000000000000" CHECK,
      ERR_AUTH_MALFORMED },
    { "one character more", "Bearer tg_live_000000000000000000000000000000000" CHECK,
      ERR_AUTH_MALFORMED },
    { "a dash inside", "Bearer tg_live_0000000000000000-000000000000000" CHECK,
      ERR_AUTH_MALFORMED },
    { "not ASCII", "Bearer tg_live_000000000000000000000000000000\xc3\xa9" CHECK,
      ERR_AUTH_MALFORMED },
};

static void check(void **state)
{
    const struct row *row = *state;
    uint8_t digest[TOKEN_DIGEST_BYTES] = { 0 };
    bool is_management;
    uint8_t want[TOKEN_DIGEST_BYTES];
    struct err err = { 0 };

    assert_int_equal(token_of_bearer(row->header, digest, &is_management, &err),
                     row->want == ERR_NONE);
    assert_int_equal(err.kind, row->want);
    token_digest(TOKEN, want);
    if (row->want == ERR_NONE)
        assert_memory_equal(digest, want, sizeof(digest));
    else
        assert_null(strstr(err.message, "0000")); /* a token is never repeated */
}

static void management_tokens_have_their_own_form(void **state)
{
    (void)state;
    char token[TOKEN_BYTES], header[TOKEN_BYTES + 10];
    uint8_t digest[TOKEN_DIGEST_BYTES], want[TOKEN_DIGEST_BYTES];
    struct uuid account;
    struct err err = { 0 };
    bool is_management = false;
    token_new_management(token);
    snprintf(header, sizeof(header), "Bearer %s", token);
    assert_true(token_of_bearer(header, digest, &is_management, NULL));
    assert_true(is_management);
    token_digest(token, want);
    assert_memory_equal(digest, want, sizeof(digest));
    assert_false(token_of_bearer_app(header, &account, digest, &err));
    assert_int_equal(err.kind, ERR_AUTH_INVALID);
    assert_true(token_of_bearer("Bearer " TOKEN, digest, &is_management, NULL));
    assert_false(is_management);
    memcpy(header + strlen("Bearer "), "tg_live_", 8); /* the check covers the prefix */
    assert_false(token_of_bearer(header, digest, &is_management, &err));
}

static void new_tokens_are_read_and_differ(void **state)
{
    (void)state;
    char tokens[50][TOKEN_BYTES];
    for (size_t i = 0; i < countof(tokens); i++) {
        uint8_t digest[TOKEN_DIGEST_BYTES];
        bool is_management;
        token_new(tokens[i]);
        scoped(mem_free) char *header = str_format("Bearer %s", tokens[i]);
        assert_int_equal(strlen(tokens[i]), TOKEN_BYTES - 1);
        assert_true(token_of_bearer(header, digest, &is_management, NULL));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(tokens[i], tokens[k]);
    }
}

/* The digits of a number to the base 62, the least first; each seed has its own token. */
static void a_seed_has_one_token(void **state)
{
    (void)state;
    uint8_t seed[TOKEN_SEED_BYTES] = { 0 };
    char token[TOKEN_BYTES];
    char other[TOKEN_BYTES];
    uint8_t digest[TOKEN_DIGEST_BYTES];
    bool is_management;
    seed[TOKEN_SEED_BYTES - 2] = 1; /* 256 = 4 * 62 + 8 */
    token_of_seed(seed, token);
    assert_memory_equal(token, "tg_live_84000000000000000000000000000000", 40);
    token_of_seed(seed, other);
    assert_string_equal(token, other);
    memset(seed, 0xFF, sizeof(seed));
    token_of_seed(seed, other);
    scoped(mem_free) char *header = str_format("Bearer %s", other);
    assert_true(token_of_bearer(header, digest, &is_management, NULL));
    seed[0] = 0xFE;
    token_of_seed(seed, token);
    assert_string_not_equal(token, other);
}

/* ---- tokens of apps ---- */

static const struct uuid account = { { 0x01, 0x98, 0xc0, 0xde, 0x7a, 0x3b, 0x7c, 0x11, 0x9f, 0x00,
                                       0x5d, 0x2e, 0x8a, 0x4b, 0x1c, 0x9d } };

/* "Bearer " and a token of an app, for the caller to free. */
static char *app_header(const struct uuid *of, uint8_t byte)
{
    uint8_t seed[TOKEN_SEED_BYTES];
    char token[TOKEN_APP_BYTES];
    memset(seed, byte, sizeof(seed));
    token_of_app(of, seed, token);
    assert_int_equal(strlen(token), 68);
    return str_format("Bearer %s", token);
}

static void a_token_of_an_app_names_its_account(void **state)
{
    (void)state;
    static const struct uuid zeros = { { 0 } };
    static const struct uuid ones = { { 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF } };
    const struct uuid *accounts[] = { &account, &zeros, &ones };
    for (size_t i = 0; i < countof(accounts); i++) {
        scoped(mem_free) char *header = app_header(accounts[i], 7);
        uint8_t digest[TOKEN_DIGEST_BYTES], want[TOKEN_DIGEST_BYTES];
        struct uuid found = { { 1 } };
        assert_true(token_of_bearer_app(header, &found, digest, NULL));
        assert_true(uuid_equal(&found, accounts[i]));
        token_digest(header + 7, want);
        assert_memory_equal(digest, want, sizeof(want));
    }
}

static void each_form_is_valid_in_one_place(void **state)
{
    (void)state;
    scoped(mem_free) char *header = app_header(&account, 7);
    uint8_t digest[TOKEN_DIGEST_BYTES];
    bool is_management;
    struct uuid found;
    struct err err = { 0 };
    assert_false(token_of_bearer(header, digest, &is_management, &err));
    assert_int_equal(err.kind, ERR_AUTH_INVALID);
    err = (struct err){ 0 };
    assert_false(token_of_bearer_app("Bearer " TOKEN, &found, digest, &err));
    assert_int_equal(err.kind, ERR_AUTH_INVALID);
}

/* Each change of one character, one less, one more, and a number that is not an account. */
static void other_forms_are_malformed(void **state)
{
    (void)state;
    scoped(mem_free) char *header = app_header(&account, 7);
    uint8_t digest[TOKEN_DIGEST_BYTES];
    struct uuid found;
    size_t size = strlen(header);
    for (size_t i = 7; i < size; i++) {
        struct err err = { 0 };
        char was = header[i];
        header[i] = was == '0' ? '1' : '0';
        assert_false(token_of_bearer_app(header, &found, digest, &err));
        assert_int_equal(err.kind, ERR_AUTH_MALFORMED);
        header[i] = was;
    }
    scoped(mem_free) char *longer = str_format("%s0", header);
    assert_false(token_of_bearer_app(longer, &found, digest, NULL));
    header[size - 1] = '\0';
    assert_false(token_of_bearer_app(header, &found, digest, NULL));
    assert_false(token_of_bearer_app(NULL, &found, digest, NULL));
    /* 62^22 - 1, which is above 2^128, with the check of Python's zlib */
    struct err err = { 0 };
    assert_false(token_of_bearer_app("Bearer tg_live_zzzzzzzzzzzzzzzzzzzzzz"
                                     "00000000000000000000000000000000" OVER_CHECK,
                                     &found, digest, &err));
    assert_int_equal(err.kind, ERR_AUTH_MALFORMED);
}

/* SHA-256 of "abc", FIPS 180-2 appendix B.1. */
static void the_digest_is_sha256(void **state)
{
    (void)state;
    static const uint8_t want[] = { 0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea };
    uint8_t digest[TOKEN_DIGEST_BYTES];
    token_digest("abc", digest);
    assert_memory_equal(digest, want, sizeof(want));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(management_tokens_have_their_own_form),
        cmocka_unit_test(new_tokens_are_read_and_differ),
        cmocka_unit_test(a_seed_has_one_token),
        cmocka_unit_test(a_token_of_an_app_names_its_account),
        cmocka_unit_test(each_form_is_valid_in_one_place),
        cmocka_unit_test(other_forms_are_malformed),
        cmocka_unit_test(the_digest_is_sha256),
    };
    if (sodium_init() < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
