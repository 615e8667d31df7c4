/* tests/unit/base/os/deadline.c - the time that is left, and the same for the system's waits. */
#include "base/os/deadline.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "base/os/clock.h"
#include "rows.h"

/* Replaces clock_ms() (--wrap): a clock that advances by a second at each call, since time may pass
 * between any two. */
int64_t __wrap_clock_ms(void);

static int64_t now_ms;

int64_t __wrap_clock_ms(void)
{
    int64_t seen_ms = now_ms;
    now_ms += 1000;
    return seen_ms;
}

static const struct row {
    const char *name;
    int64_t deadline_ms; /* now is 5000 */
    int64_t left_ms;
    int poll_ms;
} rows[] = {
    { "some time is left", 5700, 700, 700 },
    { "the last millisecond", 5001, 1, 1 },
    { "it is over just now", 5000, 0, 0 },
    { "it was over before", 4000, 0, 0 },
    { "the epoch of the clock", 0, 0, 0 },
    { "as long as poll() can wait", 5000 + (int64_t)INT_MAX, INT_MAX, INT_MAX },
    { "longer than that", 5001 + (int64_t)INT_MAX, 1 + (int64_t)INT_MAX, INT_MAX },
    { "for ever", INT64_MAX, INT64_MAX - 5000, INT_MAX },
};

static void check(void **state)
{
    const struct row *row = *state;
    now_ms = 5000;
    assert_int_equal(deadline_left_ms(row->deadline_ms), row->left_ms);
    now_ms = 5000;
    assert_int_equal(deadline_poll_ms(row->deadline_ms), row->poll_ms);
}

/* A second call would return a second more. */
static void the_sooner_of_two(void **state)
{
    (void)state;
    now_ms = 5000;
    assert_int_equal(deadline_within(9000, 700), 5700);
    now_ms = 5000;
    assert_int_equal(deadline_within(5300, 700), 5300);
    now_ms = 5000;
    assert_int_equal(deadline_within(5700, 700), 5700);
}

static const struct moment {
    const char *name;
    int64_t deadline_ms;
    struct timespec want;
} moments[] = {
    { "at 0", 0, { 0, 0 } },
    { "at a whole second", 3000, { 3, 0 } },
    { "at the last millisecond of a second", 3999, { 3, 999000000 } },
    { "beyond 32 bits of seconds", 5000000000001, { 5000000000, 1000000 } },
};

static void check_moment(void **state)
{
    const struct moment *row = *state;
    struct timespec until = deadline_at(row->deadline_ms);
    assert_int_equal(until.tv_sec, row->want.tv_sec);
    assert_int_equal(until.tv_nsec, row->want.tv_nsec);
}

static const struct wait {
    const char *name;
    int64_t wait_ms;
} waits[] = {
    { "no wait", 0 },
    { "a part of a second", 999 },
    { "a whole second", 1000 },
    { "seconds and a part", 7999 },
};

static int64_t ns_of(struct timespec time)
{
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* By the kernel's clock, whatever clock_ms() says. Many times, so that some carry a second. */
static void check_wait(void **state)
{
    const struct wait *row = *state;
    for (int i = 0; i < 20000; i++) {
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        struct timespec until = deadline_in(row->wait_ms);
        clock_gettime(CLOCK_MONOTONIC, &after);
        assert_in_range(until.tv_nsec, 0, 999999999);
        assert_in_range(ns_of(until) - row->wait_ms * 1000000, ns_of(before), ns_of(after));
    }
}

/* Each is on the clock of the waits that it is for. */
static void conditions_wait_until_then(void **state)
{
    (void)state;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    struct timespec until[] = { deadline_at(clock_us() / 1000 + 20), deadline_in(20) };

    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < countof(until); i++) {
        struct timespec now;
        int result = pthread_cond_clockwait(&never, &mutex, CLOCK_MONOTONIC, &until[i]);
        assert_int_equal(result, ETIMEDOUT);
        clock_gettime(CLOCK_MONOTONIC, &now);
        assert_true(ns_of(now) >= ns_of(until[i]));
    }
    pthread_mutex_unlock(&mutex);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(conditions_wait_until_then),
                                        cmocka_unit_test(the_sooner_of_two) };
    return RUN_ROWS(rows, check) + RUN_ROWS(moments, check_moment) + RUN_ROWS(waits, check_wait) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
