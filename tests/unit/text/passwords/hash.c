/* tests/unit/text/passwords/hash.c - the stored form of a password, and which passwords match
 * it. */
#include "text/passwords/hash.h"

#include <sodium.h>
#include <string.h>
#include <time.h>

#include "rows.h"

static const char PASSWORD[] = "correct horse battery";

/* "correct horse battery" by the reference program argon2 0~20171227 (Debian): -id -t 2 -m 12 -p 1
 * -l 32 -e, salt "saltsaltsaltsalt". */
#define FOREIGN                                             \
    "$argon2id$v=19$m=4096,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$" \
    "8ZXkNOKH0wBKE19abPPXL79vy9r4DWb5mZHSfcmgJxE"

static char own[PASSWORD_HASH_BYTES];

static const struct row {
    const char *name;
    const char *password;
    const char *hash; /* NULL: own */
    bool fits;
} rows[] = {
    { "the right one", "correct horse battery", NULL, true },
    { "another", "correct horse batterz", NULL, false },
    { "its beginning", "correct horse batter", NULL, false },
    { "with a blank", "correct horse battery ", NULL, false },
    { "in capitals", "CORRECT HORSE BATTERY", NULL, false },
    { "nothing", "", NULL, false },
    { "another program's hash", "correct horse battery", FOREIGN, true },
    { "another password's", "correct horse batterz", FOREIGN, false },
    { "no hash is opened by nothing", "", "", false },
    { "nor by anything", "correct horse battery", "", false },
    { "a foreign string", "x", "$2y$10$abcdefghijklmnopqrstuu", false },
};

static void check(void **state)
{
    const struct row *row = *state;
    assert_int_equal(password_fits(text_of(row->password), row->hash ? row->hash : own), row->fits);
}

static void each_hash_is_another(void **state)
{
    (void)state;
    char hash[PASSWORD_HASH_BYTES];
    struct err err = { 0 };
    assert_true(password_hash(text_of(PASSWORD), hash, &err));
    assert_int_equal(strncmp(hash, "$argon2id$v=19$m=65536,t=3,p=1$", 31), 0);
    assert_string_not_equal(hash, own);
    assert_true(password_fits(text_of(PASSWORD), hash));
}

static void those_of_other_parameters_are_old(void **state)
{
    (void)state;
    assert_false(password_hash_is_old(own));
    assert_true(password_hash_is_old(FOREIGN));
}

static double cpu_s(const char *hash)
{
    clock_t since = clock();
    assert_false(password_fits(TEXT("wrong"), hash));
    return (double)(clock() - since) / CLOCKS_PER_SEC;
}

/* In CPU time, which other programs do not affect: an unknown address looks like a member's.
 * Without a dummy it would be 1000 times less. */
static void an_unknown_account_takes_as_long(void **state)
{
    (void)state;
    double known = cpu_s(own), unknown = cpu_s(NULL);
    assert_true(unknown > known / 4);
}

int main(void)
{
    struct err err = { 0 };
    if (sodium_init() < 0 || !password_hash(text_of(PASSWORD), own, &err))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_hash_is_another),
        cmocka_unit_test(those_of_other_parameters_are_old),
        cmocka_unit_test(an_unknown_account_takes_as_long),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
