/* tests/unit/base/os/memory-trim.c - every caller gets its trim, by a thread of another priority.
 */
#include "base/os/memory-trim.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rows.h"

enum { CALLERS = 8, TIMES = 20, NICENESS = 10 };

/* The id of this process's thread with this name; 0: none. */
static id_t find_thread(const char *name)
{
    id_t found = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task = readdir(tasks); task; task = readdir(tasks)) {
        char path[300];
        char comm[32] = "";
        snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        if (!file)
            continue; /* "." and "..", or it has just ended */
        if (fgets(comm, sizeof(comm), file) && strncmp(comm, name, strlen(name)) == 0)
            found = (id_t)strtoul(task->d_name, NULL, 10);
        fclose(file);
    }
    closedir(tasks);
    return found;
}

static void *call_often(void *trim)
{
    setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS);
    for (size_t i = 0; i < TIMES; i++)
        memory_trim_now(trim);
    return NULL;
}

static void every_caller_returns(void **state)
{
    (void)state;
    pthread_t caller[CALLERS];
    struct memory_trim *trim = memory_trim_start();
    for (size_t i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&caller[i], NULL, call_often, trim), 0);
    for (size_t i = 0; i < CALLERS; i++)
        pthread_join(caller[i], NULL);
    memory_trim_stop(&trim);
    assert_null(trim);
    memory_trim_stop(&trim);
}

static void *call_once(void *trim)
{
    setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS);
    memory_trim_now(trim);
    return NULL;
}

static void it_keeps_the_priority_of_its_start(void **state)
{
    (void)state;
    pthread_t caller;
    struct memory_trim *trim = memory_trim_start();
    assert_int_equal(pthread_create(&caller, NULL, call_once, trim), 0);
    pthread_join(caller, NULL);
    id_t thread = find_thread("memory-trim");
    assert_true(thread > 0);
    assert_int_equal(getpriority(PRIO_PROCESS, thread), getpriority(PRIO_PROCESS, 0));
    memory_trim_stop(&trim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_caller_returns),
        cmocka_unit_test(it_keeps_the_priority_of_its_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
