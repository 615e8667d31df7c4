/*
 * common/base/os/wakeup.h - wakes a thread that sleeps in poll().
 *
 * Order of steps, so that no work is lost:
 *
 * 1. A sender first stores the work where the thread finds it, then signals.
 * 2. The thread polls the wakeup's descriptor (POLLIN). When it wakes, it first clears the wakeup,
 *    then takes all stored work: work stored later signals again.
 *
 * Several signals before the thread clears count as one. A wakeup is an eventfd (eventfd(2)), used
 * by one thread that waits and any number that signal.
 */
#pragma once

#include <stdbool.h>

/*
 * A new wakeup: a descriptor with EFD_NONBLOCK and EFD_CLOEXEC. wakeup_free() closes it. The
 * process exits if it has no descriptor left.
 */
int wakeup_new(void);

/*
 * Wake the thread, from any thread; never blocks and cannot fail. The kernel counts signals up to
 * 2^64 - 2; at that count it is already signaled.
 */
void wakeup_signal(int wakeup);

/* Clear it. Returns whether it was signaled; false is not an error: poll() woke for another
 * descriptor. */
bool wakeup_clear(int wakeup);

/* Close it when no thread can signal any more, and set it to -1, which is also accepted. */
void wakeup_free(int *wakeup);
