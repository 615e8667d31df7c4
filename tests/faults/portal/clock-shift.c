/* tests/faults/portal/clock-shift.c - preloaded into a process: its wall clock is off by
 * CLOCK_SHIFT_S seconds. */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

typedef int read_clock(clockid_t clock, struct timespec *now);

int clock_gettime(clockid_t clock, struct timespec *now)
{
    read_clock *real = (read_clock *)dlsym(RTLD_NEXT, "clock_gettime");
    const char *shift = getenv("CLOCK_SHIFT_S");
    int result = real(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME && shift)
        now->tv_sec += strtol(shift, NULL, 10);
    return result;
}
