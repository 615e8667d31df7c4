/* tests/unit/base/os/threads.c - how many lists of waiting threads the kernel keeps. */
#include "base/os/threads.h"

#include <sys/prctl.h>

#include "rows.h"

enum { FUTEX_HASH = 78, GET_SLOTS = 2 }; /* PR_FUTEX_HASH and its second question */

static int lists(void)
{
    return prctl(FUTEX_HASH, GET_SLOTS, 0UL, 0UL, 0UL);
}

/* A kernel before 6.16 knows of none. */
static void there_are_a_thousand(void **state)
{
    (void)state;
    int before = lists();
    threads_spread();
    assert_int_equal(lists(), before < 0 ? before : 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(there_are_a_thousand) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
