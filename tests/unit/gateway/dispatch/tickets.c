/* tests/unit/gateway/dispatch/tickets.c - what each group gets of a gateway's threads while all the
 * others want more. */
#include "gateway/dispatch/tickets.h"

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

/* Take until there is none; returns how many that were. */
static size_t saturate(struct tickets *tickets, size_t *taken)
{
    size_t count = 0;
    while (tickets_take(tickets, taken))
        count++;
    return count;
}

static void check(void **state)
{
    const struct row *row = *state;
    struct tickets tickets;
    size_t taken[GROUPS_MAX] = { 0 };
    size_t last = row->groups - 1;
    size_t all = 0;

    tickets_open(&tickets, row->threads, row->groups);
    assert_int_equal(saturate(&tickets, &taken[0]), row->share + row->common);
    for (size_t i = 1; i < row->groups; i++) /* the last one, too */
        assert_int_equal(saturate(&tickets, &taken[i]), row->share);
    for (size_t i = 0; i < row->groups; i++)
        all += taken[i];
    assert_int_equal(all, row->all);

    while (taken[0] > 0)
        tickets_return(&tickets, &taken[0]);
    assert_int_equal(saturate(&tickets, &taken[last]),
                     last > 0 ? row->common : row->share + row->common);
    assert_int_equal(saturate(&tickets, &taken[0]), last > 0 ? row->share : 0);
    tickets_close(&tickets);
}

/* A share that is free again is nobody else's. */
static void what_is_returned_is_the_groups_own(void **state)
{
    struct tickets tickets;
    size_t a = 0;
    size_t b = 0;
    (void)state;
    tickets_open(&tickets, 32, 4); /* shares of 4, 8 in common */
    assert_int_equal(saturate(&tickets, &a), 12);
    assert_int_equal(saturate(&tickets, &b), 4);
    tickets_return(&tickets, &b);
    assert_false(tickets_take(&tickets, &a));
    assert_true(tickets_take(&tickets, &b));
    tickets_return(&tickets, &a); /* one of the common ones */
    assert_true(tickets_take(&tickets, &b));
    assert_false(tickets_take(&tickets, &a));
    tickets_close(&tickets);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_returned_is_the_groups_own) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
