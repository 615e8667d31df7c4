/* tests/unit/portal/oauth/tokens.c - codes and tokens are made from ids, and nobody else makes
 * them. */
#include "portal/oauth/tokens.h"

#include <sodium.h>

#include "../secrets.h"

static const struct oauth_name name = {
    { { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 } },
    { { 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36 } },
    0x01020304,
};

static void they_name_what_they_were_made_for(void **state)
{
    (void)state;
    scoped(secrets_free) struct secrets *secrets = secrets_of(OLD);
    char code[OAUTH_CODE_BYTES], refresh[OAUTH_REFRESH_BYTES];
    struct oauth_name read = { 0 };
    oauth_code_write(secrets, &name, code);
    assert_true(oauth_code_read(secrets, code, &read));
    assert_true(uuid_equal(&read.account, &name.account) && uuid_equal(&read.id, &name.id));
    oauth_refresh_write(secrets, &name, refresh);
    assert_true(oauth_refresh_read(secrets, refresh, &read));
    assert_int_equal(read.number, name.number);
    assert_false(oauth_code_read(secrets, refresh, &read));
    assert_false(oauth_refresh_read(secrets, code, &read));
}

static void each_character_counts(void **state)
{
    (void)state;
    scoped(secrets_free) struct secrets *secrets = secrets_of(OLD);
    char code[OAUTH_CODE_BYTES], refresh[OAUTH_REFRESH_BYTES];
    struct oauth_name read;
    oauth_code_write(secrets, &name, code);
    oauth_refresh_write(secrets, &name, refresh);
    for (size_t i = 0; i < strlen(code); i++) {
        code[i] ^= 1;
        assert_false(oauth_code_read(secrets, code, &read));
        code[i] ^= 1;
    }
    for (size_t i = 0; i < strlen(refresh); i++) {
        refresh[i] ^= 1;
        assert_false(oauth_refresh_read(secrets, refresh, &read));
        refresh[i] ^= 1;
    }
    scoped(mem_free) char *longer = str_format("%sA", code);
    assert_false(oauth_code_read(secrets, longer, &read));
    assert_false(oauth_code_read(secrets, "", &read));
    assert_false(oauth_refresh_read(secrets, OAUTH_REFRESH_PREFIX, &read));
}

static void older_lines_verify_and_make_access_tokens(void **state)
{
    (void)state;
    scoped(secrets_free) struct secrets *old = secrets_of(OLD);
    scoped(secrets_free) struct secrets *both = secrets_of(NEW OLD);
    scoped(secrets_free) struct secrets *gone = secrets_of(NEW);
    char refresh[OAUTH_REFRESH_BYTES], again[OAUTH_REFRESH_BYTES];
    char before[TOKEN_APP_BYTES], after[TOKEN_APP_BYTES];
    struct oauth_name read;
    oauth_refresh_write(old, &name, refresh);
    assert_true(oauth_refresh_read(both, refresh, &read));
    assert_false(oauth_refresh_read(gone, refresh, &read));
    oauth_refresh_write(both, &name, again);
    assert_string_not_equal(refresh, again);
    assert_true(oauth_access_write(old, 0, &name, before));
    assert_true(oauth_access_write(both, 1, &name, after));
    assert_string_equal(before, after);
    assert_true(oauth_access_write(both, 0, &name, after));
    assert_string_not_equal(before, after);
    assert_false(oauth_access_write(both, 2, &name, after));
}

static void each_number_has_its_token(void **state)
{
    (void)state;
    scoped(secrets_free) struct secrets *secrets = secrets_of(OLD);
    struct oauth_name next = name;
    char token[TOKEN_APP_BYTES], other[TOKEN_APP_BYTES];
    next.number++;
    assert_true(oauth_access_write(secrets, 0, &name, token));
    assert_true(oauth_access_write(secrets, 0, &next, other));
    assert_string_not_equal(token, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_name_what_they_were_made_for),
        cmocka_unit_test(each_character_counts),
        cmocka_unit_test(older_lines_verify_and_make_access_tokens),
        cmocka_unit_test(each_number_has_its_token),
    };
    if (sodium_init() < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
