/* common/base/os/threads.c - see threads.h. */
#include "base/os/threads.h"

#include <errno.h>
#include <sys/prctl.h>

#include "base/os/log.h"

#ifndef PR_FUTEX_HASH /* as linux/prctl.h has them since 6.16 */
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
