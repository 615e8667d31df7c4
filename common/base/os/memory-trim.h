/*
 * common/base/os/memory-trim.h - a thread that returns freed memory to the system.
 *
 * malloc_trim(3) holds a heap's lock while the kernel takes pages out of it. On a thread of low
 * priority that lasts as long as other processes use its CPU, and every thread that needs memory
 * from this heap waits for it, the I/O thread too: on a machine with a load of eight, a worker was
 * silent for six seconds, so its gateways thought it dead. This thread has the priority of the one
 * that started it, and trims once for all that wait.
 */
#pragma once

struct memory_trim;

/* The process exits if the system gives it no thread. */
struct memory_trim *memory_trim_start(void);

/* When no thread uses it any more; NULL is accepted. */
void memory_trim_stop(struct memory_trim **trim);

/* Return what was freed before this call, by any thread. Waits until it is returned. */
void memory_trim_now(struct memory_trim *trim);
