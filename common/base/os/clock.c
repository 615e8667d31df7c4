/* common/base/os/clock.c - monotonic and wall time. */
#include "base/os/clock.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

/* The only mutable static variable: tests stop time for the whole process. */
static struct {
    atomic_bool stopped;
    _Atomic int64_t monotonic_ms;
    _Atomic int64_t wall_ms;
} frozen;

static int64_t read_us(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_us(void)
{
    return frozen.stopped ? frozen.monotonic_ms * 1000 : read_us(CLOCK_MONOTONIC);
}

int64_t clock_ms(void)
{
    return clock_us() / 1000;
}

int64_t clock_wall_ms(void)
{
    return frozen.stopped ? frozen.wall_ms : read_us(CLOCK_REALTIME) / 1000;
}

void clock_stop(int64_t monotonic_ms, int64_t wall_ms)
{
    frozen.monotonic_ms = monotonic_ms;
    frozen.wall_ms = wall_ms;
    frozen.stopped = true;
}

void clock_run(void)
{
    frozen.stopped = false;
}

bool clock_has_text(int64_t wall_ms)
{
    const int64_t first_ms = -62167219200000; /* 0000-01-01T00:00:00.000Z */
    const int64_t last_ms = 253402300799999;  /* 9999-12-31T23:59:59.999Z */
    return wall_ms >= first_ms && wall_ms <= last_ms;
}

void clock_format(char out[static CLOCK_TEXT_BYTES], int64_t wall_ms)
{
    assert(clock_has_text(wall_ms));
    int64_t ms = wall_ms % 1000;
    time_t seconds = (time_t)(wall_ms / 1000);
    if (ms < 0) {
        ms += 1000;
        seconds--;
    }
    struct tm tm;
    gmtime_r(&seconds, &tm);
    char text[64];
    snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900,
             tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)ms);
    snprintf(out, CLOCK_TEXT_BYTES, "%.24s", text);
}
