/* tests/unit/base/os/wakeup.c - what wakes a thread, how often, and that no signal is lost. */
#include "base/os/wakeup.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#include "rows.h"

enum { RINGERS = 4, THINGS_EACH = 2000, PATIENCE_MS = 10000 };

static bool rings(int wakeup)
{
    return poll(&(struct pollfd){ wakeup, POLLIN, 0 }, 1, 0) == 1;
}

static const struct row {
    const char *name;
    eventfd_t counted; /* before the signals of this row */
    int count;
    bool is_heard;
} rows[] = {
    { "silent", 0, 0, false },
    { "one ring", 0, 1, true },
    { "many rings are heard as one", 0, 1000, true },
    { "the last that the kernel counts", UINT64_MAX - 2, 1, true },
    { "more than the kernel counts", UINT64_MAX - 1, 2, true },
};

static void check(void **state)
{
    const struct row *row = *state;
    int wakeup = wakeup_new();
    if (row->counted > 0)
        assert_int_equal(eventfd_write(wakeup, row->counted), 0);
    for (int i = 0; i < row->count; i++)
        wakeup_signal(wakeup);
    assert_int_equal(rings(wakeup), row->is_heard);
    assert_int_equal(wakeup_clear(wakeup), row->is_heard);
    assert_false(rings(wakeup));
    assert_false(wakeup_clear(wakeup)); /* and does not wait */
    wakeup_free(&wakeup);
    assert_int_equal(wakeup, -1);
    wakeup_free(&wakeup);
}

static void no_program_inherits_it(void **state)
{
    (void)state;
    int wakeup = wakeup_new();
    assert_int_equal(fcntl(wakeup, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    wakeup_free(&wakeup);
}

static struct {
    int wakeup;
    atomic_int things; /* queued, not yet taken */
} place;

static void *put_things(void *unused)
{
    (void)unused;
    for (int i = 0; i < THINGS_EACH; i++) {
        atomic_fetch_add(&place.things, 1);
        wakeup_signal(place.wakeup);
    }
    return NULL;
}

/* Clear first, then check: the thread sleeps only if nothing is there. */
static void nothing_is_left(void **state)
{
    (void)state;
    pthread_t ringers[RINGERS];
    int taken = 0;
    place.wakeup = wakeup_new();
    for (int i = 0; i < RINGERS; i++)
        assert_int_equal(pthread_create(&ringers[i], NULL, put_things, NULL), 0);
    while (taken < RINGERS * THINGS_EACH) {
        assert_int_equal(poll(&(struct pollfd){ place.wakeup, POLLIN, 0 }, 1, PATIENCE_MS), 1);
        assert_true(wakeup_clear(place.wakeup));
        taken += atomic_exchange(&place.things, 0);
    }
    for (int i = 0; i < RINGERS; i++)
        pthread_join(ringers[i], NULL);
    assert_int_equal(taken, RINGERS * THINGS_EACH);
    wakeup_free(&place.wakeup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_program_inherits_it),
        cmocka_unit_test(nothing_is_left),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
