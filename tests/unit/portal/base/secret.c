/* tests/unit/portal/base/secret.c - the file of the secret, and what its keys make, verify and
 * open. */
#include "portal/base/secret.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows.h"

#define A "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define B "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeffe0e1e2e3e4e5e6e7e8e9eaebecedeeef"

enum { NOBODY = 65534 };

static struct conf *conf;
static char path[] = "/tmp/secret-XXXXXX";

static void write_lines(const char *lines, mode_t mode)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(lines, file) >= 0 && fclose(file) == 0);
    assert_int_equal(chmod(path, mode), 0);
}

static struct secrets *secrets_of(const char *lines)
{
    struct secrets *secrets = NULL;
    struct err err = { 0 };
    write_lines(lines, 0600);
    if (!secrets_load(conf, &secrets, &err))
        fail_msg("%s", err.message);
    return secrets;
}

/* ---- the file ---- */

static const struct file_row {
    const char *name;
    const char *lines;
    mode_t mode;
    const char *says; /* part of the error; NULL: accepted */
} file_rows[] = {
    { "one line", A "\n", 0600, NULL },
    { "without its end", A, 0400, NULL },
    { "four lines", A "\n" B "\n" A "\n" B "\n", 0600, NULL },
    { "five", A "\n" B "\n" A "\n" B "\n" A "\n", 0600, "more than 4 lines" },
    { "nothing", "", 0600, "portal.secret_file" },
    { "63 digits", "00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n", 0600,
      "line 1 is not 64 hex digits" },
    { "no hex in the second",
      A "\n"
        "g" A "\n",
      0600, "line 2 is not 64 hex digits" },
    { "everybody may read it", A "\n", 0644, "other users can read it" },
    { "the group may", A "\n", 0640, "other users can read it" },
};

static void is_taken(void **state)
{
    const struct file_row *row = *state;
    scoped(secrets_free) struct secrets *secrets = NULL;
    struct err err = { 0 };
    write_lines(row->lines, row->mode);
    assert_int_equal(secrets_load(conf, &secrets, &err), row->says == NULL);
    if (row->says && !strstr(err.message, row->says))
        assert_string_equal(err.message, row->says);
}

/* A file of root that our group may read: a cluster's way to mount a secret. */
static void roots_file_is_for_the_group_too(void **state)
{
    (void)state;
    struct err err = { 0 };
    if (geteuid() != 0)
        skip();
    for (size_t i = 0; i < 2; i++) {
        scoped(secrets_free) struct secrets *secrets = NULL;
        write_lines(A "\n", i == 0 ? 0440 : 0444);
        assert_int_equal(chown(path, 0, NOBODY), 0);
        assert_int_equal(setegid(NOBODY) | seteuid(NOBODY), 0);
        bool is_taken = secrets_load(conf, &secrets, &err);
        assert_int_equal(seteuid(0) | setegid(0), 0);
        assert_int_equal(is_taken, i == 0);
    }
}

/* ---- sealing ---- */

static const struct seal_row {
    const char *name;
    const char *made;   /* lines of the file when it was sealed, */
    const char *opened; /* and when it is opened */
    enum secret_use use;
    int changed; /* which byte of it is changed; -1: none */
    bool want;
} seal_rows[] = {
    { "as it was made", A, A, SECRET_TOTP, -1, true },
    { "the secret has become an older one", A, B "\n" A, SECRET_TOTP, -1, true },
    { "it is gone", A, B, SECRET_TOTP, -1, false },
    { "it was the older one then, too", B "\n" A, A, SECRET_TOTP, -1, false },
    { "for another use", A, A, SECRET_LINK, -1, false },
    { "another nonce", A, A, SECRET_TOTP, 0, false },
    { "another MAC", A, A, SECRET_TOTP, 24, false },
    { "another text", A, A, SECRET_TOTP, 40, false },
};

static void is_opened(void **state)
{
    const struct seal_row *row = *state;
    scoped(secrets_free) struct secrets *made = secrets_of(row->made);
    scoped(secrets_free) struct secrets *opened = secrets_of(row->opened);
    scoped(buf_free) struct buf sealed = BUF(200), message = BUF(200);

    secret_seal(made, SECRET_TOTP, TEXT("twenty bytes of them"), &sealed);
    assert_int_equal(sealed.size, 20 + SECRET_SEAL_BYTES);
    if (row->changed >= 0)
        sealed.bytes[row->changed] ^= 1;
    assert_int_equal(secret_open(opened, row->use, buf_text(&sealed), &message), row->want);
    assert_string_equal(buf_str(&message), row->want ? "twenty bytes of them" : "");
}

static void what_is_too_short_is_not_opened(void **state)
{
    (void)state;
    scoped(secrets_free) struct secrets *secrets = secrets_of(A);
    scoped(buf_free) struct buf sealed = BUF(200), message = BUF(200);
    secret_seal(secrets, SECRET_TOTP, TEXT("x"), &sealed);
    for (size_t size = 0; size < sealed.size; size++)
        assert_false(
            secret_open(secrets, SECRET_TOTP, (struct text){ sealed.bytes, size }, &message));
    assert_true(secret_open(secrets, SECRET_TOTP, buf_text(&sealed), &message));
}

/* ---- MACs ---- */

static void a_mac_is_of_one_use_and_of_any_key(void **state)
{
    (void)state;
    scoped(secrets_free) struct secrets *old = secrets_of(A);
    scoped(secrets_free) struct secrets *both = secrets_of(B "\n" A);
    uint8_t mac[SECRET_MAC_BYTES], newer[SECRET_MAC_BYTES];
    secret_mac(old, SECRET_CSRF, TEXT("message"), mac);
    secret_mac(both, SECRET_CSRF, TEXT("message"), newer);
    assert_memory_not_equal(mac, newer, sizeof(mac));
    assert_true(secret_mac_fits(both, SECRET_CSRF, TEXT("message"), mac));
    assert_false(secret_mac_fits(old, SECRET_CSRF, TEXT("message"), newer));
    assert_false(secret_mac_fits(old, SECRET_LINK, TEXT("message"), mac));
    assert_false(secret_mac_fits(old, SECRET_CSRF, TEXT("messages"), mac));
}

/* ---- reloading ---- */

static void a_broken_file_keeps_the_old(void **state)
{
    (void)state;
    scoped(secrets_free) struct secrets *secrets = secrets_of(A);
    uint8_t mac[SECRET_MAC_BYTES];
    struct err err = { 0 };
    secret_mac(secrets, SECRET_CSRF, TEXT("message"), mac);
    write_lines("no secret\n", 0600);
    assert_false(secrets_reload(secrets, conf, &err));
    assert_true(secret_mac_fits(secrets, SECRET_CSRF, TEXT("message"), mac));
    write_lines(B "\n", 0600);
    assert_true(secrets_reload(secrets, conf, &err));
    assert_false(secret_mac_fits(secrets, SECRET_CSRF, TEXT("message"), mac));
}

int main(void)
{
    struct err err = { 0 };
    int fd = mkstemp(path);
    if (sodium_init() < 0 || fd < 0 || close(fd) != 0 ||
        setenv("TOLLGATE_PORTAL_SECRET_FILE", path, 1) != 0 || !conf_load(NULL, &conf, &err))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_file_is_for_the_group_too),
        cmocka_unit_test(what_is_too_short_is_not_opened),
        cmocka_unit_test(a_mac_is_of_one_use_and_of_any_key),
        cmocka_unit_test(a_broken_file_keeps_the_old),
    };
    int failed = RUN_ROWS(file_rows, is_taken) + RUN_ROWS(seal_rows, is_opened) +
                 cmocka_run_group_tests(tests, NULL, NULL);
    conf_free(&conf);
    unlink(path);
    return failed;
}
