/* tests/unit/portal/base/assets.c - the files of portal/static, under the names in pages. */
#include "portal/base/assets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"

/* A new folder with one file. */
static void make_folder(char folder[static 32], const char *name, const char *content)
{
    snprintf(folder, 32, "/tmp/assets-XXXXXX");
    assert_non_null(mkdtemp(folder));
    scoped(mem_free) char *path = str_format("%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void remove_folder(const char *folder, const char *name)
{
    scoped(mem_free) char *path = str_format("%s/%s", folder, name);
    unlink(path);
    rmdir(folder);
}

static void named_by_their_content(void **state)
{
    (void)state;
    scoped(assets_free) struct assets *assets = NULL;
    char folder[32];
    struct err err = { 0 };
    make_folder(folder, "a.b.css", "abc");
    assert_true(assets_load(folder, &assets, &err));
    remove_folder(folder, "a.b.css");
    const struct asset *asset = assets_find(assets, "a.b.css");
    assert_non_null(asset);
    assert_string_equal(asset->hashed,
                        "a.b.ba7816bf8f01cfea.css"); /* SHA-256: FIPS 180-4's "abc" */
    assert_string_equal(asset->type, "text/css; charset=utf-8");
    assert_true(text_is(asset->bytes, "abc"));
    assert_ptr_equal(assets_find_hashed(assets, asset->hashed), asset);
    assert_null(assets_find_hashed(assets, "a.b.css"));
    assert_null(assets_find_hashed(assets, "../a.b.css"));
}

static void of_an_unknown_type(void **state)
{
    (void)state;
    struct assets *assets = NULL;
    char folder[32];
    struct err err = { 0 };
    make_folder(folder, "a.exe", "x");
    assert_false(assets_load(folder, &assets, &err));
    remove_folder(folder, "a.exe");
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_false(assets_load("/nowhere", &assets, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(named_by_their_content),
                                        cmocka_unit_test(of_an_unknown_type) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
