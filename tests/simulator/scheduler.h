/*
 * tests/simulator/scheduler.h - one thread that plays all threads, clocks and dice of a schedule.
 *
 * A task is a thread of the product or an actor of the simulation. One task runs at a time. At each
 * call of a wrapped function (wraps.c) the seed decides which task continues. When no task can
 * continue, time jumps to the next event or deadline. So a seed is a whole schedule.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OWNER_NONE = 0,  /* an actor of the simulation */
    OWNERS_MAX = 64, /* one more than the processes of a schedule */
    US_A_MS = 1000,
};

struct task;

/* Memory of zeros that lasts until the schedule ends. */
void *sim_new(size_t size);

/* ---- chance ---- */

uint64_t chance_next(void);
size_t chance_below(size_t count); /* 0 to count - 1 */
int64_t chance_between(int64_t least, int64_t most);
bool chance_in(unsigned per_10000); /* true in this many of 10,000 cases */

/* ---- time ---- */

/* True time since the schedule began, in microseconds. */
int64_t sim_now_us(void);

/* How long the seed has stalled all threads so far. */
int64_t sim_stalled_us(void);

/* Run a function at a time, outside of any task: it must not wait. */
void sim_at(int64_t at_us, void (*run)(void *argument), void *argument);
void sim_in(int64_t delay_us, void (*run)(void *argument), void *argument);

/* ---- tasks ---- */

/* Start a task. owner: OWNER_NONE, or the process that it belongs to. */
struct task *task_start(void (*run)(void *argument), void *argument, const char *name, int owner);
void task_rename(const char *name); /* after its process */
struct task *task_current(void);    /* NULL: in an event, or outside of a schedule */
int task_owner(void);               /* of the current task; OWNER_NONE without one */
bool task_is_done(const struct task *task);

/* Let other tasks run, if the seed says so. */
void task_yield(void);

/* Wait until task_notify(object), or until the time. False: it is that time. */
bool task_wait(const void *object, int64_t until_us);
void task_notify(const void *object);
void task_sleep(int64_t us);

/* End all tasks of a process where they are, as kill -9 does. If the current task is one of them,
 * this does not return. */
void tasks_kill(int owner);

/* ---- a schedule ---- */

/* How often the seed switches tasks and stalls all of them, of 10,000. */
struct pace {
    unsigned switches;
    unsigned stalls;
    int64_t stall_us; /* the longest */
};

/* Run a schedule until its first task is done. False: it never ends; then *why says so. */
bool sim_run(uint64_t seed, const struct pace *pace, void (*first)(void *argument), void *argument,
             const char **why);

/* Begin the dice of a seed: for what is decided before sim_run(), or without it. */
void chance_begin(uint64_t seed);

/* Free the memory of sim_new(), as sim_run() does. */
void sim_clear(void);

/* ---- the trace ---- */

void trace_open(bool is_on);
bool trace_is_on(void);

/* Write a line with the time, and the task or process that it is about. */
void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
