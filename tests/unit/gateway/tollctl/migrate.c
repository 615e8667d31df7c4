/* tests/unit/gateway/tollctl/migrate.c - the migrations built into tollctl. */
#include "gateway/tollctl/migrate.h"

#include <string.h>

#include "rows.h"

static void the_built_in_ones_are_whole(void **state)
{
    (void)state;
    assert_true(migration_count >= 3);
    for (size_t i = 0; i < migration_count; i++) {
        assert_int_equal(strlen(migrations[i].sha256), 64);
        assert_int_equal(strncmp(migrations[i].sql, "-- gateway/sql/", 15), 0);
        assert_int_equal(migrations[i].sql[strlen(migrations[i].sql) - 1], '\n');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_built_in_ones_are_whole) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
