/* tests/unit/base/os/parallel.c - every item once, with at most the given number at once. */
#include "base/os/parallel.h"

#include <stdatomic.h>
#include <unistd.h>

#include "rows.h"

static const struct row {
    const char *name;
    size_t count;
    size_t at_once;
} rows[] = {
    { "nothing", 0, 4 },
    { "one", 1, 4 },
    { "fewer than threads", 3, 8 },
    { "one after the other", 50, 1 },
    { "many", 500, 8 },
    { "zero threads are one", 5, 0 },
};

static atomic_int running;
static atomic_int most;

static void run(void *item)
{
    int now = ++running;
    int before = most;
    while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
        continue;
    ++*(int *)item;
    running--;
}

static void check(void **state)
{
    const struct row *row = *state;
    int done[500] = { 0 };
    most = 0;
    parallel(done, row->count, sizeof(done[0]), row->at_once, run);
    for (size_t i = 0; i < countof(done); i++)
        assert_int_equal(done[i], i < row->count);
    assert_in_range(most, row->count > 0, row->at_once ? row->at_once : 1);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
