/* tests/unit/text/suffix-list.c - who may register what, and which hosts are one site. */
#include "text/suffix-list.h"

#include "rows.h"

static struct suffix_list *list;

static const struct suffix {
    const char *name;
    bool is_suffix;
} suffixes[] = {
    { "com", true },       { "co.uk", true },        { "github.io", true },
    { "nosuchtld", true }, { "example.com", false }, { "www.example.co.uk", false },
    { "foo.ck", true },    { "www.ck", false },
};

static void check_suffix(void **state)
{
    const struct suffix *row = *state;
    assert_int_equal(suffix_list_has(list, row->name), row->is_suffix);
}

static const struct pair {
    const char *name;
    const char *a;
    const char *b;
    bool is_same;
} pairs[] = {
    { "the same", "example.com", "example.com", true },
    { "below it", "www.example.com", "example.com", true },
    { "beside each other", "a.example.com", "b.example.com", true },
    { "two domains", "example.com", "example.org", false },
    { "below a public suffix", "a.co.uk", "b.co.uk", false },
    { "below somebody's public suffix", "a.github.io", "b.github.io", false },
    { "a suffix itself", "co.uk", "co.uk", true },
    { "a suffix and what is below", "co.uk", "a.co.uk", false },
};

static void check_pair(void **state)
{
    const struct pair *row = *state;
    assert_int_equal(suffix_list_same_site(list, row->a, row->b), row->is_same);
    assert_int_equal(suffix_list_same_site(list, row->b, row->a), row->is_same);
}

static void a_file_that_is_not_there(void **state)
{
    struct suffix_list *none = NULL;
    struct err err = { 0 };
    (void)state;
    assert_false(suffix_list_load("/nowhere/list", &none, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_null(none);
}

int main(void)
{
    const struct CMUnitTest others[] = { cmocka_unit_test(a_file_that_is_not_there) };
    if (!suffix_list_load("", &list, NULL))
        return 1;
    int failed = RUN_ROWS(suffixes, check_suffix) + RUN_ROWS(pairs, check_pair) +
                 cmocka_run_group_tests(others, NULL, NULL);
    suffix_list_free(&list);
    return failed;
}
