/* tests/unit/gateway/dispatch/permits.c - each group's share of a gateway's threads while all
 * others want more. */
#include "gateway/dispatch/permits.h"

#include "rows.h"

enum { GROUPS_MAX = 40 };

static const struct row {
    const char *name;
    size_t threads;
    size_t groups;
    size_t share;
    size_t common;
    size_t all; /* taken while all groups are saturated: the rest is for other requests */
} rows[] = {
    { "three groups", 1024, 3, 170, 256, 766 },       { "eight groups", 1024, 8, 64, 256, 768 },
    { "one group", 1024, 1, 512, 256, 768 },          { "few threads", 32, 8, 2, 8, 24 },
    { "more groups than threads", 32, 40, 1, 8, 48 },
};

/* Acquire until there is none; returns the number. */
static size_t saturate(struct permits *permits, size_t *taken)
{
    size_t count = 0;
    while (permits_acquire(permits, taken))
        count++;
    return count;
}

static void check(void **state)
{
    const struct row *row = *state;
    struct permits permits;
    size_t taken[GROUPS_MAX] = { 0 };
    size_t last = row->groups - 1;
    size_t all = 0;

    permits_init(&permits, row->threads, row->groups);
    assert_int_equal(saturate(&permits, &taken[0]), row->share + row->common);
    for (size_t i = 1; i < row->groups; i++) /* the last one, too */
        assert_int_equal(saturate(&permits, &taken[i]), row->share);
    for (size_t i = 0; i < row->groups; i++)
        all += taken[i];
    assert_int_equal(all, row->all);

    while (taken[0] > 0)
        permits_release(&permits, &taken[0]);
    assert_int_equal(saturate(&permits, &taken[last]),
                     last > 0 ? row->common : row->share + row->common);
    assert_int_equal(saturate(&permits, &taken[0]), last > 0 ? row->share : 0);
    permits_destroy(&permits);
}

/* No other group gets a share that is free again. */
static void what_is_returned_is_the_groups_own(void **state)
{
    struct permits permits;
    size_t a = 0;
    size_t b = 0;
    (void)state;
    permits_init(&permits, 32, 4); /* shares of 4, 8 in common */
    assert_int_equal(saturate(&permits, &a), 12);
    assert_int_equal(saturate(&permits, &b), 4);
    permits_release(&permits, &b);
    assert_false(permits_acquire(&permits, &a));
    assert_true(permits_acquire(&permits, &b));
    permits_release(&permits, &a); /* one of the common ones */
    assert_true(permits_acquire(&permits, &b));
    assert_false(permits_acquire(&permits, &a));
    permits_destroy(&permits);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_returned_is_the_groups_own) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
