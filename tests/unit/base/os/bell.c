/* tests/unit/base/os/bell.c - what wakes a thread, how often, and that nothing is lost. */
#include "base/os/bell.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#include "rows.h"

enum { RINGERS = 4, THINGS_EACH = 2000, PATIENCE_MS = 10000 };

static bool rings(int bell)
{
    return poll(&(struct pollfd){ bell, POLLIN, 0 }, 1, 0) == 1;
}

static const struct row {
    const char *name;
    eventfd_t counted; /* before the rings of this row */
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
    int bell = bell_new();
    if (row->counted > 0)
        assert_int_equal(eventfd_write(bell, row->counted), 0);
    for (int i = 0; i < row->count; i++)
        bell_ring(bell);
    assert_int_equal(rings(bell), row->is_heard);
    assert_int_equal(bell_hear(bell), row->is_heard);
    assert_false(rings(bell));
    assert_false(bell_hear(bell)); /* and does not wait */
    bell_free(&bell);
    assert_int_equal(bell, -1);
    bell_free(&bell);
}

static void no_program_inherits_it(void **state)
{
    (void)state;
    int bell = bell_new();
    assert_int_equal(fcntl(bell, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    bell_free(&bell);
}

static struct {
    int bell;
    atomic_int things; /* put down, not yet taken */
} place;

static void *put_things(void *unused)
{
    (void)unused;
    for (int i = 0; i < THINGS_EACH; i++) {
        atomic_fetch_add(&place.things, 1);
        bell_ring(place.bell);
    }
    return NULL;
}

/* Hear, then look: the thread sleeps only when nothing is there. */
static void nothing_is_left_lying(void **state)
{
    (void)state;
    pthread_t ringers[RINGERS];
    int taken = 0;
    place.bell = bell_new();
    for (int i = 0; i < RINGERS; i++)
        assert_int_equal(pthread_create(&ringers[i], NULL, put_things, NULL), 0);
    while (taken < RINGERS * THINGS_EACH) {
        assert_int_equal(poll(&(struct pollfd){ place.bell, POLLIN, 0 }, 1, PATIENCE_MS), 1);
        assert_true(bell_hear(place.bell));
        taken += atomic_exchange(&place.things, 0);
    }
    for (int i = 0; i < RINGERS; i++)
        pthread_join(ringers[i], NULL);
    assert_int_equal(taken, RINGERS * THINGS_EACH);
    bell_free(&place.bell);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_program_inherits_it),
        cmocka_unit_test(nothing_is_left_lying),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
