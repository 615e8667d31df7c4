/* common/base/os/bell.c - an eventfd that is rung and heard. */
#include "base/os/bell.h"

#include <assert.h>
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

int bell_new(void)
{
    int bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert(bell >= 0);
    return bell;
}

void bell_ring(int bell)
{
    bool rings = eventfd_write(bell, 1) == 0 || errno == EAGAIN;
    assert(rings);
}

bool bell_hear(int bell)
{
    eventfd_t count;
    return eventfd_read(bell, &count) == 0;
}

void bell_free(int *bell)
{
    if (*bell >= 0)
        close(*bell);
    *bell = -1;
}
