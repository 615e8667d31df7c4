/* common/base/os/wakeup.c - an eventfd that is signaled and cleared. */
#include "base/os/wakeup.h"

#include <assert.h>
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

int wakeup_new(void)
{
    int wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert(wakeup >= 0);
    return wakeup;
}

void wakeup_signal(int wakeup)
{
    bool rings = eventfd_write(wakeup, 1) == 0 || errno == EAGAIN;
    assert(rings);
}

bool wakeup_clear(int wakeup)
{
    eventfd_t count;
    return eventfd_read(wakeup, &count) == 0;
}

void wakeup_free(int *wakeup)
{
    if (*wakeup >= 0)
        close(*wakeup);
    *wakeup = -1;
}
