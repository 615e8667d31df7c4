/* common/base/os/deadline.c - deadlines for poll(), conditions and semaphores. */
#include "base/os/deadline.h"

#include <limits.h>

#include "base/num.h"
#include "base/os/clock.h"

enum { NS_A_MS = 1000000, NS_A_SECOND = 1000000000 };

int64_t deadline_left_ms(int64_t deadline_ms)
{
    int64_t left_ms = deadline_ms - clock_ms(); /* one call: MAX() would make two */
    return MAX(left_ms, 0);
}

int64_t deadline_within(int64_t deadline_ms, int64_t limit_ms)
{
    int64_t limit_at_ms = clock_ms() + limit_ms; /* one call, as above */
    return MIN(deadline_ms, limit_at_ms);
}

int deadline_poll_ms(int64_t deadline_ms)
{
    int64_t left_ms = deadline_left_ms(deadline_ms);
    return (int)MIN(left_ms, INT_MAX);
}

struct timespec deadline_at(int64_t deadline_ms)
{
    return (struct timespec){ deadline_ms / 1000, deadline_ms % 1000 * NS_A_MS };
}

struct timespec deadline_in(int64_t wait_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += wait_ms / 1000;
    until.tv_nsec += wait_ms % 1000 * NS_A_MS;
    if (until.tv_nsec >= NS_A_SECOND) {
        until.tv_nsec -= NS_A_SECOND;
        until.tv_sec++;
    }
    return until;
}
