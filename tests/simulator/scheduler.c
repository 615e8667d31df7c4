/*
 * tests/simulator/scheduler.c - a task begins as a context of ucontext.h. Later switches are
 * _setjmp() and _longjmp(), which make no system call. Events are in a heap.
 */
#undef _FORTIFY_SOURCE /* its longjmp() rejects other stacks */
#define _FORTIFY_SOURCE 0

#include "scheduler.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base/num.h"

enum {
    TASKS_MAX = 128,
    EVENTS_MAX = 4096,
    STACK_BYTES = 512 << 10,
    NAME_BYTES = 32,
    STEPS_MAX = 12000000, /* an hour, until a sweep of everything, needs 4 million */
    COST_US_MAX = 20,     /* of one step */
    ARENA_BYTES = 512 << 20,
};

enum task_state { READY, WAITING, DONE };

struct task {
    ucontext_t start;
    bool has_begun;
    jmp_buf place; /* where it left */
    void *stack;
    enum task_state state;
    bool is_late; /* woken by its deadline */
    const void *object;
    int64_t until_us;
    void (*run)(void *argument);
    void *argument;
    int owner;
    char name[NAME_BYTES];
};

struct event {
    int64_t at_us;
    uint64_t number; /* events of one time run in their order */
    void (*run)(void *argument);
    void *argument;
};

/* The schedule that runs. */
static struct {
    uint64_t dice;
    int64_t now_us;
    int64_t stalled_us;
    struct pace pace;
    jmp_buf loop;
    struct task *current;
    size_t task_count;
    struct task *task[TASKS_MAX];
    size_t event_count;
    uint64_t events_made;
    struct event event[EVENTS_MAX];
    bool is_traced;
} sim;

/* The memory of sim_new(). */
static struct {
    size_t used;
    char bytes[ARENA_BYTES] __attribute__((aligned(16)));
} arena;

/* Stacks of tasks that ended, for the next ones. */
static struct {
    size_t count;
    void *stack[TASKS_MAX];
} pool;

void *sim_new(size_t size)
{
    char *bytes = arena.bytes + arena.used;
    arena.used += (size + 15) / 16 * 16;
    assert(arena.used <= ARENA_BYTES);
    memset(bytes, 0, size);
    return bytes;
}

void sim_clear(void)
{
    arena.used = 0;
}

/* ---- chance: SplitMix64, https://prng.di.unimi.it/splitmix64.c (public domain) ---- */

void chance_begin(uint64_t seed)
{
    sim.dice = seed * 0x9e3779b97f4a7c15u;
}

uint64_t chance_next(void)
{
    sim.dice += 0x9e3779b97f4a7c15u;
    uint64_t mixed = sim.dice;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

size_t chance_below(size_t count)
{
    assert(count > 0);
    return (size_t)(chance_next() % count);
}

int64_t chance_between(int64_t least, int64_t most)
{
    return least + (int64_t)chance_below((size_t)(most - least + 1));
}

bool chance_in(unsigned per_10000)
{
    return per_10000 > 0 && chance_below(10000) < per_10000;
}

/* ---- time and events ---- */

int64_t sim_now_us(void)
{
    return sim.now_us;
}

int64_t sim_stalled_us(void)
{
    return sim.stalled_us;
}

static bool is_before(const struct event *a, const struct event *b)
{
    return a->at_us < b->at_us || (a->at_us == b->at_us && a->number < b->number);
}

static void swap_events(size_t a, size_t b)
{
    struct event event = sim.event[a];
    sim.event[a] = sim.event[b];
    sim.event[b] = event;
}

void sim_at(int64_t at_us, void (*run)(void *argument), void *argument)
{
    assert(sim.event_count < EVENTS_MAX);
    size_t at = sim.event_count++;
    sim.event[at] = (struct event){ at_us, sim.events_made++, run, argument };
    while (at > 0 && is_before(&sim.event[at], &sim.event[(at - 1) / 2])) {
        swap_events(at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

void sim_in(int64_t delay_us, void (*run)(void *argument), void *argument)
{
    sim_at(sim.now_us + delay_us, run, argument);
}

static struct event pop_event(void)
{
    struct event first = sim.event[0];
    sim.event[0] = sim.event[--sim.event_count];
    for (size_t at = 0, child; (child = 2 * at + 1) < sim.event_count; at = child) {
        if (child + 1 < sim.event_count && is_before(&sim.event[child + 1], &sim.event[child]))
            child++;
        if (!is_before(&sim.event[child], &sim.event[at]))
            break;
        swap_events(at, child);
    }
    return first;
}

static void run_due_events(void)
{
    while (sim.event_count > 0 && sim.event[0].at_us <= sim.now_us) {
        struct event event = pop_event();
        event.run(event.argument);
    }
}

/* ---- tasks ---- */

static void task_entry(void)
{
    struct task *task = sim.current;
    task->run(task->argument);
    task->state = DONE;
    _longjmp(sim.loop, 1);
}

/* Run a task until it leaves. */
static void enter(struct task *task)
{
    if (_setjmp(sim.loop) != 0)
        return;
    if (task->has_begun)
        _longjmp(task->place, 1);
    task->has_begun = true;
    setcontext(&task->start);
}

static void leave_task(void)
{
    if (_setjmp(sim.current->place) == 0)
        _longjmp(sim.loop, 1);
}

struct task *task_start(void (*run)(void *argument), void *argument, const char *name, int owner)
{
    assert(sim.task_count < TASKS_MAX);
    struct task *task = sim_new(sizeof(*task));
    task->stack = pool.count > 0 ? pool.stack[--pool.count]
                                 : mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert(task->stack != MAP_FAILED);
    task->run = run;
    task->argument = argument;
    task->owner = owner;
    snprintf(task->name, sizeof(task->name), "%s", name);
    getcontext(&task->start);
    task->start.uc_stack.ss_sp = task->stack;
    task->start.uc_stack.ss_size = STACK_BYTES;
    task->start.uc_link = NULL;
    makecontext(&task->start, task_entry, 0);
    sim.task[sim.task_count++] = task;
    return task;
}

struct task *task_current(void)
{
    return sim.current;
}

int task_owner(void)
{
    return sim.current ? sim.current->owner : OWNER_NONE;
}

bool task_is_done(const struct task *task)
{
    return task->state == DONE;
}

void task_rename(const char *name)
{
    char *own = strrchr(sim.current->name, ' ');
    size_t used = own ? (size_t)(own - sim.current->name) : strlen(sim.current->name);
    snprintf(sim.current->name + used, sizeof(sim.current->name) - used, " %s", name);
}

void task_yield(void)
{
    if (sim.current && chance_in(sim.pace.switches))
        leave_task();
}

bool task_wait(const void *object, int64_t until_us)
{
    struct task *task = sim.current;
    assert(task);
    task->object = object;
    task->until_us = until_us;
    task->is_late = false;
    task->state = WAITING;
    leave_task();
    return !task->is_late;
}

void task_notify(const void *object)
{
    for (size_t i = 0; i < sim.task_count; i++)
        if (sim.task[i]->state == WAITING && sim.task[i]->object == object)
            sim.task[i]->state = READY;
}

void task_sleep(int64_t us)
{
    static const char nothing;
    task_wait(&nothing, sim.now_us + us);
}

void tasks_kill(int owner)
{
    for (size_t i = 0; i < sim.task_count; i++)
        if (sim.task[i]->owner == owner)
            sim.task[i]->state = DONE;
    if (sim.current && sim.current->owner == owner)
        leave_task();
}

/* ---- the loop ---- */

/* Their memory stays: task_is_done() may ask about them. */
static void strike_done_tasks(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < sim.task_count; i++) {
        struct task *task = sim.task[i];
        if (task->state != DONE)
            sim.task[kept++] = task;
        else
            pool.stack[pool.count++] = task->stack;
    }
    sim.task_count = kept;
}

static void wake_late_tasks(void)
{
    for (size_t i = 0; i < sim.task_count; i++) {
        struct task *task = sim.task[i];
        if (task->state == WAITING && task->until_us <= sim.now_us) {
            task->state = READY;
            task->is_late = true;
        }
    }
}

static struct task *pick_task(void)
{
    size_t ready = 0;
    for (size_t i = 0; i < sim.task_count; i++)
        ready += sim.task[i]->state == READY;
    if (ready == 0)
        return NULL;
    size_t pick = ready == 1 ? 0 : chance_below(ready);
    for (size_t i = 0; i < sim.task_count; i++)
        if (sim.task[i]->state == READY && pick-- == 0)
            return sim.task[i];
    return NULL;
}

/* Jump to the next event or deadline. False: nothing will ever happen. */
static bool jump(void)
{
    int64_t next_us = sim.event_count > 0 ? sim.event[0].at_us : INT64_MAX;
    for (size_t i = 0; i < sim.task_count; i++)
        if (sim.task[i]->state == WAITING)
            next_us = MIN(next_us, sim.task[i]->until_us);
    if (next_us == INT64_MAX)
        return false;
    sim.now_us = MAX(sim.now_us, next_us);
    return true;
}

static void pass_time(void)
{
    sim.now_us += 1 + (int64_t)chance_below(COST_US_MAX);
    if (chance_in(sim.pace.stalls)) {
        int64_t stall_us = chance_between(1, sim.pace.stall_us);
        sim.now_us += stall_us;
        sim.stalled_us += stall_us;
    }
}

static bool run_loop(const struct task *first, const char **why)
{
    for (size_t step = 0; step < STEPS_MAX; step++) {
        run_due_events();
        wake_late_tasks();
        strike_done_tasks();
        if (task_is_done(first))
            return true;
        sim.current = pick_task();
        if (sim.current) {
            enter(sim.current);
            sim.current = NULL;
            pass_time();
        } else if (!jump()) {
            *why = "all threads wait for ever";
            return false;
        }
    }
    *why = "the schedule does not end";
    return false;
}

bool sim_run(uint64_t seed, const struct pace *pace, void (*first)(void *argument), void *argument,
             const char **why)
{
    chance_begin(seed);
    sim.now_us = 0;
    sim.stalled_us = 0;
    sim.pace = *pace;
    sim.task_count = 0;
    sim.event_count = 0;
    sim_clear();
    const struct task *task = task_start(first, argument, "world", OWNER_NONE);
    bool ends = run_loop(task, why);
    for (size_t i = 0; i < sim.task_count; i++)
        sim.task[i]->state = DONE;
    strike_done_tasks();
    return ends;
}

/* ---- the trace ---- */

void trace_open(bool is_on)
{
    sim.is_traced = is_on;
}

bool trace_is_on(void)
{
    return sim.is_traced;
}

void trace(const char *format, ...)
{
    if (!sim.is_traced)
        return;
    va_list arguments;
    va_start(arguments, format);
    printf("%10.3f ms  %-18s  ", (double)sim.now_us / US_A_MS,
           sim.current ? sim.current->name : "");
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}
