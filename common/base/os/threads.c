/* common/base/os/threads.c - see threads.h. */
#include "base/os/threads.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>

#include "base/num.h"
#include "base/os/log.h"

#ifndef PR_FUTEX_HASH /* as in linux/prctl.h since 6.16 */
#define PR_FUTEX_HASH           78
#define PR_FUTEX_HASH_SET_SLOTS 1
#endif

enum { LISTS = 1024 };

void threads_spread(void)
{
    if (prctl(PR_FUTEX_HASH, PR_FUTEX_HASH_SET_SLOTS, (unsigned long)LISTS, 0UL, 0UL) != 0 &&
        errno != EINVAL)
        log_line(LOG_WARN, "waking threads may be slow", log_int("errno", errno));
}

void threads_leave_processors(size_t count)
{
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof(all), &all) != 0 || CPU_COUNT(&all) != get_nprocs())
        return;
    size_t left = MIN(count, (size_t)CPU_COUNT(&all) - 1);
    for (size_t i = 0; left > 0; i++) {
        left -= CPU_ISSET(i, &all) ? 1 : 0;
        CPU_CLR(i, &all);
    }
    sched_setaffinity(0, sizeof(all), &all);
}
