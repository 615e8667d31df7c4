/* tests/unit/net/egress.c - the files that a process reads once and shares. */
#include "net/egress.h"

#include <openssl/pem.h>

#include "net/http/fetch.h"
#include "world.h"

static void suffixes_are_those_of_the_file(void **state)
{
    (void)state;
    char path[] = "/tmp/egress-XXXXXX";
    int fd = mkstemp(path);
    dprintf(fd, "example.com\n");
    close(fd);
    setenv("TOLLGATE_DATA_PSL_FILE", path, 1);
    scoped(egress_close) struct egress *egress = egress_of("");
    unlink(path);
    assert_true(public_suffix_is(egress_suffixes(egress), "example.com"));
    assert_false(public_suffix_is(egress_suffixes(egress), "co.uk"));
}

static void suffixes_are_the_systems_without_one(void **state)
{
    (void)state;
    setenv("TOLLGATE_DATA_PSL_FILE", "", 1);
    scoped(egress_close) struct egress *egress = egress_of("");
    assert_false(public_suffix_is(egress_suffixes(egress), "example.com"));
    assert_true(public_suffix_is(egress_suffixes(egress), "co.uk"));
}

static void no_start_without_the_file_that_is_named(void **state)
{
    scoped(conf_free) struct conf *conf = NULL;
    struct egress *egress = NULL;
    struct err err = { 0 };
    (void)state;
    setenv("TOLLGATE_DATA_PSL_FILE", "/nowhere/list", 1);
    assert_true(conf_load(NULL, &conf, NULL));
    assert_false(egress_open(conf, &egress, &err));
    assert_null(egress);
    assert_string_equal(err.message, "/nowhere/list is not a public suffix list");
}

static bool is_trusted(X509_STORE *store, const X509_NAME *subject)
{
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    X509_OBJECT *found = X509_OBJECT_new();
    assert_int_equal(X509_STORE_CTX_init(context, store, NULL, NULL), 1);
    bool ok = X509_STORE_CTX_get_by_subject(context, X509_LU_X509, subject, found) == 1;
    X509_OBJECT_free(found);
    X509_STORE_CTX_free(context);
    return ok;
}

/* Though each is read on first use only. */
static void all_authorities_of_the_system_are_trusted(void **state)
{
    (void)state;
    setenv("TOLLGATE_DATA_PSL_FILE", "", 1);
    scoped(egress_close) struct egress *egress = egress_of("");
    FILE *file = fopen("/etc/ssl/certs/ca-certificates.crt", "r");
    X509 *authority;
    int count = 0;
    for (; (authority = PEM_read_X509(file, NULL, NULL, NULL)); count++) {
        assert_true(is_trusted(egress_trust(egress), X509_get_subject_name(authority)));
        X509_free(authority);
    }
    fclose(file);
    assert_true(count > 50);
    X509_NAME *outsider = X509_NAME_new();
    X509_NAME_add_entry_by_txt(outsider, "CN", MBSTRING_ASC, (const unsigned char *)"nobody", -1,
                               -1, 0);
    assert_false(is_trusted(egress_trust(egress), outsider));
    X509_NAME_free(outsider);
}

static bool go_out(struct egress *egress, struct text url, int64_t deadline_ms, struct fetch *page,
                   struct err *err)
{
    const struct fetch_options options = { .max_body_bytes = 1000 };
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(egress, deadline_ms);
    scoped(target_free) struct target target = { 0 };
    if (!target_parse_url(url, &target, err))
        return false;
    return fetch_guarded(session, &target, &options, page, err);
}

static void the_header_shows_it(void **state)
{
    (void)state;
    setenv("TOLLGATE_DATA_PSL_FILE", "", 1);
    scoped(egress_close) struct egress *egress = egress_of("");
    scoped(fetch_free) struct fetch page = { 0 };
    struct err err = { 0 };
    assert_false(go_out(egress, text_of("http://10.0.0.1/"), clock_ms() + 1000, &page, &err));
    assert_int_equal(err.kind, ERR_TARGET_NOT_ALLOWED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_shows_it),
        cmocka_unit_test(suffixes_are_those_of_the_file),
        cmocka_unit_test(suffixes_are_the_systems_without_one),
        cmocka_unit_test(no_start_without_the_file_that_is_named),
        cmocka_unit_test(all_authorities_of_the_system_are_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
