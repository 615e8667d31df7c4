/* tests/unit/no-core.c - svc-ai leaves no core dump, however it dies: it holds the providers' keys.
 * Linked with the worker's main.c it replaces the skeleton. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rows.h"
#include "svc/svc.h"

static void it_leaves_none(void **state)
{
    struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
    int status = 0;
    (void)state;
    assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &all);
        raise(SIGQUIT); /* dumps core by default, signal(7) */
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFSIGNALED(status) && WCOREDUMP(status));
}

int svc_main_outside(int argc, char **argv, const char *group, const struct tool *tools,
                     size_t count, const struct outside *outside)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(it_leaves_none) };
    (void)argc, (void)argv, (void)group, (void)tools, (void)count, (void)outside;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
