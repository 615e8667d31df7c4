/* common/base/os/threads.h - kernel settings for the threads of a process. */
#pragma once

#include <stddef.h>

/*
 * Make wakeups fast in a process with many threads. Call it before any thread starts.
 *
 * Linux keeps waiting threads in hash lists, and a wakeup searches one list. Since 6.17 a process
 * has its own lists, four per CPU and at least 16, so a thousand idle threads that wait for the
 * same event slow down most others. This call sets 1,024 lists of 64 bytes each
 * (PR_FUTEX_HASH_SET_SLOTS(2const), man-pages 6.16). Older kernels do not support it, and have one
 * large table for all processes, where the problem does not occur.
 */
void threads_spread(void);

/*
 * Run on all CPUs except the machine's first `count`, which stay free for processes that must
 * respond fast. Call it before any thread starts. At least one CPU is kept.
 *
 * A lower CPU share is not enough for those: each hop of a short call waits some milliseconds until
 * a running thread has used its turn, however small its share (sched(7), EEVDF). If the process was
 * already restricted to a part of the machine (cpuset(7), taskset), nothing changes.
 */
void threads_leave_processors(size_t count);
