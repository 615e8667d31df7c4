/*
 * tests/unit/rows.h - run a table of rows as cmocka tests: one row, one named test.
 *
 * Each row begins with `const char *name`; check() is called with *state pointing to the row.
 *
 *     int main(void) { return RUN_ROWS(rows, check); }
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/scoped.h"

/* Several tables in one file: run one after the other and return the sum of the failures. */
#define RUN_ROWS(rows, check) RUN_ROWS_ON(rows, check, NULL, NULL)

/* The same, with open() before each row and close() after it, also when it failed. What they open
 * is the file's: *state is the row. */
#define RUN_ROWS_ON(rows, check, open, close) \
    run_rows((rows), countof(rows), sizeof((rows)[0]), (check), (open), (close))

static inline int run_rows(const void *rows, size_t count, size_t row_bytes,
                           CMUnitTestFunction check, CMFixtureFunction open,
                           CMFixtureFunction close)
{
    struct CMUnitTest *tests = mem_array(count, sizeof(*tests));
    for (size_t i = 0; i < count; i++) {
        const void *row = (const char *)rows + i * row_bytes;
        tests[i].name = *(const char *const *)row;
        tests[i].test_func = check;
        tests[i].setup_func = open;
        tests[i].teardown_func = close;
        tests[i].initial_state = (void *)(uintptr_t)row;
    }
    int failed = _cmocka_run_group_tests("rows", tests, count, NULL, NULL);
    mem_free(&tests);
    return failed;
}
