/*
 * common/base/os/deadline.h - remaining times in the forms that system calls take.
 *
 * A deadline is a time by clock_ms(). This is not in clock.h so that a test that replaces
 * clock_ms() (the linker's --wrap) also affects it: --wrap does not apply within one object file.
 */
#pragma once

#include <stdint.h>
#include <time.h>

/* The remaining time; 0 if it is over, never negative, because poll() would wait forever. */
int64_t deadline_left_ms(int64_t deadline_ms);

/* The same as a timeout for poll(), an int: at most INT_MAX, 24 days. */
int deadline_poll_ms(int64_t deadline_ms);

/* The earlier of limit_ms from now and the deadline. */
int64_t deadline_within(int64_t deadline_ms, int64_t limit_ms);

/* A deadline, 0 or more, for pthread_cond_clockwait() and sem_clockwait() with CLOCK_MONOTONIC. */
struct timespec deadline_at(int64_t deadline_ms);

/*
 * The same for wait_ms from now, for a wait without a deadline. Uses the kernel's clock, as the
 * wait does, so a stopped test clock does not affect it.
 */
struct timespec deadline_in(int64_t wait_ms);
