/* tests/unit/base/os/signals.c - signals to a process, and those that must not stop it. */
#include "base/os/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "rows.h"

static int fd;

static const struct row {
    const char *name;
    int signal;
    enum signal_kind told;
} rows[] = {
    { "SIGTERM", SIGTERM, SIGNAL_STOP },
    { "SIGINT", SIGINT, SIGNAL_STOP },
    { "SIGHUP", SIGHUP, SIGNAL_RELOAD },
};

static void check(void **state)
{
    const struct row *row = *state;
    assert_int_equal(signals_wait(fd, 0), SIGNAL_NONE); /* and does not wait */
    kill(getpid(), row->signal);
    assert_int_equal(signals_wait(fd, -1), row->told);
    assert_int_equal(signals_wait(fd, 0), SIGNAL_NONE);
}

static void *read_mask(void *set)
{
    pthread_sigmask(SIG_BLOCK, NULL, set);
    return NULL;
}

static void threads_do_not_get_them(void **state)
{
    (void)state;
    sigset_t set;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_mask, &set), 0);
    pthread_join(thread, NULL);
    for (size_t i = 0; i < countof(rows); i++)
        assert_true(sigismember(&set, rows[i].signal));
}

static void a_peer_that_has_gone_is_an_error(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(write(ends[1], "x", 1), -1);
    assert_int_equal(errno, EPIPE);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_get_them),
        cmocka_unit_test(a_peer_that_has_gone_is_an_error),
    };
    fd = signals_open();
    if (fd < 0)
        return 1;
    int failed = RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
    close(fd);
    return failed;
}
