/* tests/unit/gateway/catalog/catalog.c - the tools on sale, found by name. */
#include "gateway/catalog/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
            found += strcmp(catalog->groups[k].name, catalog->offers[i].group) == 0;
        assert_int_equal(found, 1);
    }
}

/* As /openapi.json and docs/tools/ have them. */
static void groups_are_in_their_order(void **state)
{
    (void)state;
    scoped(limits_free) struct limits *limits = shipped_limits();
    scoped(catalog_free) struct catalog *catalog = load(limits);
    for (size_t i = 1; i < catalog->group_count; i++)
        assert_true(catalog->groups[i - 1].order < catalog->groups[i].order);
}

/* A folder with one contract, of a group with this group.yaml. */
static const char some_contract[] =
    "{ tool: some-tool, title: Some tool, summary: Does it, credits: 1, rate_class: utility,"
    "  budget_ms: 100, request: { type: object }, result: { type: object },"
    "  examples: [{ request: {} }] }";

static const struct group_row {
    const char *name;
    const char *yaml; /* of its group.yaml; NULL: there is none */
    const char *why;  /* the error; NULL: accepted */
} group_rows[] = {
    { "all that customers see", "title: Some tools\norder: 5\n", NULL },
    { "no group.yaml", NULL, "group.yaml" },
    { "no title", "order: 5\n", "title must be a text" },
    { "no order", "title: Some tools\n", "order a whole number" },
    { "an order between two others", "title: Some tools\norder: 1.5\n", "order a whole number" },
};

/* Write text to a new file of a folder; the caller frees the path. */
static char *write_file(const char *folder, const char *name, const char *text)
{
    char *path = str_format("%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void check_group(void **state)
{
    const struct group_row *row = *state;
    char directory[] = "/tmp/tollgate-catalog-XXXXXX";
    scoped(limits_free) struct limits *limits = shipped_limits();
    scoped(catalog_free) struct catalog *catalog = NULL;
    struct err err = { 0 };
    assert_non_null(mkdtemp(directory));
    scoped(mem_free) char *folder = str_format("%s/svc-some", directory);
    scoped(mem_free) char *tool = str_format("%s/some-tool", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(mkdir(tool, 0700), 0);
    scoped(mem_free) char *contract = write_file(tool, "some-tool.yaml", some_contract);
    scoped(mem_free) char *group = row->yaml ? write_file(folder, "group.yaml", row->yaml) : NULL;

    bool ok = catalog_load(directory, limits, &catalog, &err);
    unlink(contract);
    if (group)
        unlink(group);
    rmdir(tool);
    rmdir(folder);
    rmdir(directory);
    assert_int_equal(ok, row->why == NULL);
    if (!row->why)
        assert_string_equal(catalog->groups[0].title, "Some tools");
    else if (!strstr(err.message, row->why))
        fail_msg("%s", err.message);
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
        cmocka_unit_test(groups_are_in_their_order),
        cmocka_unit_test(a_class_without_limits_is_an_error),
        cmocka_unit_test(no_contracts_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(absent, check_absent) +
           RUN_ROWS(group_rows, check_group);
}
