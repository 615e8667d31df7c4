/*
 * common/base/os/wakeup.h - wake a thread that sleeps in poll().
 *
 * Whoever has something for the thread puts it where the thread looks, then rings. The thread has
 * the bell among the descriptors it polls (POLLIN), and when it wakes it hears first and looks
 * then: what is put down after its look rings again, so nothing is left lying. Several rings
 * before it hears are one, so it takes all that is there.
 *
 * A bell is an eventfd (eventfd(2)), shared by one thread that hears and any number that ring.
 */
#pragma once

#include <stdbool.h>

/* A silent bell: a descriptor that nobody waits on (EFD_NONBLOCK) and no other program inherits
 * (EFD_CLOEXEC); wakeup_free() closes it. A process that has no descriptor left for it ends. */
int wakeup_new(void);

/* Wake the thread, from any thread; it never waits and cannot fail. The kernel counts rings up to
 * 2^64 - 2; a bell that has counted so far rings already. */
void wakeup_signal(int wakeup);

/* Make it silent. Returns whether it rang; false is no error: poll() woke for something else. */
bool wakeup_clear(int wakeup);

/* Close it when nobody can ring any more, and leave -1 behind, which is accepted too. */
void wakeup_free(int *wakeup);
