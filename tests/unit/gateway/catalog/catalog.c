/* tests/unit/gateway/catalog/catalog.c - the tools on sale, found by name. */
#include "gateway/catalog/catalog.h"

#include <string.h>

#include "rows.h"

static struct catalog *load(const struct limits *limits)
{
    struct catalog *catalog = NULL;
    struct err err = { 0 };
    if (!catalog_load(SOURCE_ROOT, limits, &catalog, &err))
        fail_msg("%s", err.message);
    return catalog;
}

static struct limits *shipped_limits(void)
{
    struct limits *limits = NULL;
    assert_true(limits_load(SOURCE_ROOT "/gateway/limits.yaml", &limits, NULL));
    return limits;
}

static void every_tool_is_found_and_nothing_else(void **state)
{
    (void)state;
    scoped(limits_free) struct limits *limits = shipped_limits();
    scoped(catalog_free) struct catalog *catalog = load(limits);

    assert_true(catalog->count > 0);
    for (size_t i = 0; i < catalog->count; i++) {
        const struct offer *offer = &catalog->offers[i];
        scoped(mem_free) char *longer = str_format("%sx", offer->name);
        size_t length = strlen(offer->name);
        assert_ptr_equal(catalog_find(catalog, text_of(offer->name)), offer);
        assert_ptr_not_equal(catalog_find(catalog, text_of(longer)), offer);
        assert_ptr_not_equal(catalog_find(catalog, (struct text){ offer->name, length - 1 }),
                             offer);
        assert_ptr_equal(catalog_find(catalog, (struct text){ longer, length }), offer);
        assert_string_equal(offer->name, offer->contract->tool);
        assert_true(i == 0 || strcmp(catalog->offers[i - 1].name, offer->name) < 0);
    }
}

static const struct row {
    const char *name;
    struct text wanted;
} absent[] = {
    { "nothing", { "", 0 } },
    { "before all", { "!", 1 } },
    { "behind all", { "~~~", 3 } },
    { "a path", { "hash-generate/", 14 } },
    { "another case", { "Hash-Generate", 13 } },
    { "a NUL behind", { "hash-generate\0", 14 } },
    { "the account's own question", { "account-credits", 15 } },
};

static void check_absent(void **state)
{
    const struct row *row = *state;
    scoped(limits_free) struct limits *limits = shipped_limits();
    scoped(catalog_free) struct catalog *catalog = load(limits);
    assert_non_null(catalog_find(catalog, TEXT("hash-generate")));
    assert_null(catalog_find(catalog, row->wanted));
}

static void groups_are_listed_once(void **state)
{
    (void)state;
    scoped(limits_free) struct limits *limits = shipped_limits();
    scoped(catalog_free) struct catalog *catalog = load(limits);
    for (size_t i = 0; i < catalog->count; i++) {
        size_t found = 0;
        for (size_t k = 0; k < catalog->group_count; k++)
            found += strcmp(catalog->groups[k], catalog->offers[i].group) == 0;
        assert_int_equal(found, 1);
    }
}

static void a_class_without_limits_is_an_error(void **state)
{
    (void)state;
    scoped(limits_free) struct limits *limits = shipped_limits();
    struct catalog *catalog = NULL;
    struct err err = { 0 };
    size_t class_count = limits->class_count;
    limits->class_count = 0;
    assert_false(catalog_load(SOURCE_ROOT, limits, &catalog, &err));
    limits->class_count = class_count;
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_null(catalog);
}

static void no_contracts_are_an_error(void **state)
{
    (void)state;
    scoped(limits_free) struct limits *limits = shipped_limits();
    struct catalog *catalog = NULL;
    assert_false(catalog_load(SOURCE_ROOT "/docs", limits, &catalog, NULL));
    assert_null(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tool_is_found_and_nothing_else),
        cmocka_unit_test(groups_are_listed_once),
        cmocka_unit_test(a_class_without_limits_is_an_error),
        cmocka_unit_test(no_contracts_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(absent, check_absent);
}
