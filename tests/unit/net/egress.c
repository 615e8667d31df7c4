/* tests/unit/net/egress.c - the files that a process reads once, and all of it uses. */
#include "net/egress.h"

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
    assert_string_equal(err.message, "/nowhere/list is no public suffix list");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suffixes_are_those_of_the_file),
        cmocka_unit_test(suffixes_are_the_systems_without_one),
        cmocka_unit_test(no_start_without_the_file_that_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
