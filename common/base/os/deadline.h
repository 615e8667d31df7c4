/*
 * common/base/os/deadline.h - how long to wait, in the forms that the system's calls take.
 *
 * A deadline is a moment by clock_ms(). This is not in clock.h, so that a test that takes the place
 * of clock_ms() (the linker's --wrap) does so here too: within one object there is no such thing.
 */
#pragma once

#include <stdint.h>
#include <time.h>

/* What is left of the time: 0 when it is over, never less, which poll() would take for ever. */
int64_t deadline_left_ms(int64_t deadline_ms);

/* The same as a timeout of poll(), which takes an int: at most INT_MAX, 24 days. */
int deadline_poll_ms(int64_t deadline_ms);

/* The moment that is limit_ms from now, or the deadline when that comes first. */
int64_t deadline_within(int64_t deadline_ms, int64_t limit_ms);

/* A deadline, 0 or more, for pthread_cond_clockwait() and sem_clockwait() by CLOCK_MONOTONIC. */
struct timespec deadline_at(int64_t deadline_ms);

/* The same for so long from now, 0 or more, for a wait that has no deadline yet. Now is the
 * kernel's, as is the wait: a clock that a test stops ends none early and holds none up. */
struct timespec deadline_in(int64_t wait_ms);
