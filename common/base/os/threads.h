/*
 * common/base/os/threads.h - what the kernel is told about the threads of a process.
 */
#pragma once

#include <stddef.h>

/*
 * Have waiting threads found quickly where there are many, called before any is made. Linux keeps
 * them in lists, by what they wait for, and waking one walks its list. From 6.17 on a process has
 * lists of its own, four for each processor and 16 at least: a thousand idle threads, who all wait
 * for the same, are in the way of most others then. Here are 1,024 lists, of 64 bytes each
 * (PR_FUTEX_HASH_SET_SLOTS(2const), man-pages 6.16). Older kernels do not know how, and have one
 * large table for all processes, where it is no trouble.
 */
void threads_spread(void);

/*
 * Run on all processors but the machine's first `count`, which are left to whoever is in a hurry;
 * called before any thread is made. A share of the processors is not enough for those: each of the
 * hops of a short call waits until who runs has had his turn, some milliseconds, however small his
 * share (sched(7), EEVDF). One processor is kept in any case. Who was given a part of the machine
 * (cpuset(7), taskset) was given it by somebody who knows better: nothing is done.
 */
void threads_leave_processors(size_t count);
