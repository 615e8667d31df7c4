/* tests/unit/base/os/threads.c - the number of the kernel's futex hash buckets, and the CPUs that
 * are left to others. */
#include "base/os/threads.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>

#include "rows.h"

enum { FUTEX_HASH = 78, GET_SLOTS = 2 }; /* PR_FUTEX_HASH and its second operation */

static int lists(void)
{
    return prctl(FUTEX_HASH, GET_SLOTS, 0UL, 0UL, 0UL);
}

/* A kernel before 6.16 does not have it. */
static void there_are_a_thousand(void **state)
{
    (void)state;
    int before = lists();
    threads_spread();
    assert_int_equal(lists(), before < 0 ? before : 1024);
}

static cpu_set_t processors(void)
{
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
    return set;
}

static void the_first_are_left(void **state)
{
    (void)state;
    cpu_set_t all = processors();
    if (CPU_COUNT(&all) != get_nprocs())
        skip(); /* the test runs on a part of the CPUs */
    threads_leave_processors(0);
    cpu_set_t after = processors();
    assert_true(CPU_EQUAL(&after, &all));
    threads_leave_processors(1);
    after = processors();
    assert_int_equal(CPU_COUNT(&after), CPU_COUNT(&all) > 1 ? CPU_COUNT(&all) - 1 : 1);
    assert_true(CPU_COUNT(&all) == 1 || !CPU_ISSET(0, &after));
    sched_setaffinity(0, sizeof(all), &all);
}

static void one_is_kept(void **state)
{
    (void)state;
    cpu_set_t all = processors();
    if (CPU_COUNT(&all) != get_nprocs())
        skip(); /* the test runs on a part of the CPUs */
    threads_leave_processors(CPU_SETSIZE);
    cpu_set_t after = processors();
    assert_int_equal(CPU_COUNT(&after), 1);
    sched_setaffinity(0, sizeof(all), &all);
}

static void an_affinity_from_outside_is_kept(void **state)
{
    (void)state;
    cpu_set_t all = processors();
    cpu_set_t given = all;
    CPU_CLR(1, &given);
    sched_setaffinity(0, sizeof(given), &given);
    threads_leave_processors(1);
    cpu_set_t after = processors();
    assert_true(CPU_EQUAL(&after, &given));
    sched_setaffinity(0, sizeof(all), &all);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(there_are_a_thousand),
                                        cmocka_unit_test(the_first_are_left),
                                        cmocka_unit_test(one_is_kept),
                                        cmocka_unit_test(an_affinity_from_outside_is_kept) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
