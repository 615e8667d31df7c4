/*
 * tests/simulator/wraps.c - threads, locks, waits, clocks and dice of the product, played by the
 * scheduler. The linker's --wrap leads calls here (meson.build).
 *
 * A lock or semaphore of the simulation lies in the memory of the real one.
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "base/num.h"
#include "base/os/fault.h"
#include "base/os/log.h"
#include "descriptors.h"
#include "scheduler.h"
#include "world.h"

enum {
    FIRST_DESCRIPTOR = 1 << 20,
    DESCRIPTORS_MAX = 1024,
    US_A_SECOND = 1000000,
    /* 2026-03-01T12:00:00Z: a schedule is in the middle of a UTC day */
    FIRST_WALL_S = 1772366400,
    FIRST_MONOTONIC_S = 1000,
};

/* ---- locks ---- */

struct lock {
    const void *writer; /* who holds it; NULL: nobody */
    size_t readers;
};

static const char outside; /* holds a lock outside of any task */

static const void *self(void)
{
    return task_current() ? (const void *)task_current() : &outside;
}

static void lock_write(struct lock *lock)
{
    task_yield();
    while (lock->writer || lock->readers > 0) {
        assert(lock->writer != self());
        task_wait(lock, INT64_MAX);
    }
    lock->writer = self();
}

static void unlock(struct lock *lock)
{
    if (lock->readers > 0)
        lock->readers--;
    else
        lock->writer = NULL;
    task_notify(lock);
    task_yield();
}

int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    (void)attributes;
    *(struct lock *)mutex = (struct lock){ 0 };
    return 0;
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    assert(!((struct lock *)mutex)->writer);
    return 0;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    lock_write((struct lock *)mutex);
    return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    assert(((struct lock *)mutex)->writer == self());
    unlock((struct lock *)mutex);
    return 0;
}

int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *rwlock);
int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *rwlock)
{
    struct lock *lock = (struct lock *)rwlock;
    task_yield();
    while (lock->writer)
        task_wait(lock, INT64_MAX);
    lock->readers++;
    return 0;
}

int __wrap_pthread_rwlock_unlock(pthread_rwlock_t *rwlock);
int __wrap_pthread_rwlock_unlock(pthread_rwlock_t *rwlock)
{
    assert(((struct lock *)rwlock)->readers > 0);
    unlock((struct lock *)rwlock);
    return 0;
}

/* ---- conditions ---- */

static int64_t us_of(const struct timespec *at)
{
    return (int64_t)at->tv_sec * US_A_SECOND + at->tv_nsec / 1000 -
           (int64_t)FIRST_MONOTONIC_S * US_A_SECOND;
}

int __wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes);
int __wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
    (void)cond;
    (void)attributes;
    return 0;
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *cond);
int __wrap_pthread_cond_broadcast(pthread_cond_t *cond)
{
    task_notify(cond);
    return 0;
}

int __wrap_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until);
int __wrap_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until)
{
    assert(clock == CLOCK_MONOTONIC);
    ((struct lock *)mutex)->writer = NULL;
    task_notify(mutex);
    bool is_woken = task_wait(cond, us_of(until));
    lock_write((struct lock *)mutex);
    return is_woken ? 0 : ETIMEDOUT;
}

/* ---- semaphores ---- */

struct semaphore {
    unsigned count;
};

static size_t semaphores[OWNERS_MAX]; /* of each process */

void semaphores_reset(void)
{
    memset(semaphores, 0, sizeof(semaphores));
}

size_t semaphores_of(int owner)
{
    return semaphores[owner];
}

static bool wait_for_post(struct semaphore *semaphore, int64_t until_us)
{
    task_yield();
    while (semaphore->count == 0)
        if (!task_wait(semaphore, until_us) && semaphore->count == 0)
            return false;
    semaphore->count--;
    return true;
}

int __wrap_sem_init(sem_t *sem, int is_shared, unsigned count);
int __wrap_sem_init(sem_t *sem, int is_shared, unsigned count)
{
    (void)is_shared;
    ((struct semaphore *)sem)->count = count;
    semaphores[task_owner()]++;
    return 0;
}

int __wrap_sem_destroy(sem_t *sem);
int __wrap_sem_destroy(sem_t *sem)
{
    (void)sem;
    semaphores[task_owner()]--;
    return 0;
}

int __wrap_sem_post(sem_t *sem);
int __wrap_sem_post(sem_t *sem)
{
    ((struct semaphore *)sem)->count++;
    task_notify(sem);
    task_yield();
    return 0;
}

int __wrap_sem_wait(sem_t *sem);
int __wrap_sem_wait(sem_t *sem)
{
    wait_for_post((struct semaphore *)sem, INT64_MAX);
    return 0;
}

int __wrap_sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until);
int __wrap_sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
    assert(clock == CLOCK_MONOTONIC);
    if (wait_for_post((struct semaphore *)sem, us_of(until)))
        return 0;
    errno = ETIMEDOUT;
    return -1;
}

/* ---- threads ---- */

struct thread {
    void *(*run)(void *);
    void *argument;
};

static void run_thread(void *argument)
{
    struct thread *thread = argument;
    thread->run(thread->argument);
}

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    struct thread *thread = sim_new(sizeof(*thread));
    (void)attributes;
    *thread = (struct thread){ run, argument };
    *id = (pthread_t)task_start(run_thread, thread, world_process_name(task_owner()), task_owner());
    return 0;
}

int __wrap_pthread_join(pthread_t id, void **result);
int __wrap_pthread_join(pthread_t id, void **result)
{
    (void)result;
    while (!task_is_done((struct task *)id))
        task_sleep(US_A_MS);
    return 0;
}

int __wrap_pthread_setname_np(pthread_t id, const char *name);
int __wrap_pthread_setname_np(pthread_t id, const char *name)
{
    (void)id;
    task_rename(name);
    return 0;
}

/* ---- descriptors ---- */

static struct descriptor {
    bool is_used;
    bool is_ready;
} descriptors[DESCRIPTORS_MAX];
static const char any_descriptor; /* what tasks in poll() wait for */

void descriptors_reset(void)
{
    memset(descriptors, 0, sizeof(descriptors));
}

static struct descriptor *descriptor_of(int number)
{
    return number >= FIRST_DESCRIPTOR ? &descriptors[number - FIRST_DESCRIPTOR] : NULL;
}

int descriptor_new(void)
{
    size_t i = 0;
    while (descriptors[i].is_used)
        i++;
    assert(i < DESCRIPTORS_MAX);
    descriptors[i] = (struct descriptor){ .is_used = true };
    return FIRST_DESCRIPTOR + (int)i;
}

void descriptor_free(int number)
{
    *descriptor_of(number) = (struct descriptor){ 0 };
}

void descriptor_set(int number, bool is_ready)
{
    struct descriptor *descriptor = descriptor_of(number);
    if (is_ready && !descriptor->is_ready)
        task_notify(&any_descriptor);
    descriptor->is_ready = is_ready;
}

int __wrap_eventfd(unsigned count, int flags);
int __wrap_eventfd(unsigned count, int flags)
{
    (void)count;
    (void)flags;
    return descriptor_new();
}

int __wrap_eventfd_write(int number, eventfd_t count);
int __wrap_eventfd_write(int number, eventfd_t count)
{
    (void)count;
    task_yield();
    descriptor_set(number, true);
    return 0;
}

int __wrap_eventfd_read(int number, eventfd_t *count);
int __wrap_eventfd_read(int number, eventfd_t *count)
{
    struct descriptor *descriptor = descriptor_of(number);
    *count = descriptor->is_ready;
    descriptor->is_ready = false;
    return *count > 0 ? 0 : -1;
}

int __real_close(int number);
int __wrap_close(int number);
int __wrap_close(int number)
{
    if (!descriptor_of(number))
        return __real_close(number);
    descriptor_free(number);
    return 0;
}

/* Set revents; returns how many descriptors are ready. A socket of the simulation can always be
 * written. */
static int look(struct pollfd *fds, nfds_t count)
{
    int ready = 0;
    for (nfds_t i = 0; i < count; i++) {
        const struct descriptor *descriptor = descriptor_of(fds[i].fd);
        fds[i].revents = (short)(descriptor && descriptor->is_ready ? fds[i].events & POLLIN : 0);
        if (descriptor)
            fds[i].revents = (short)(fds[i].revents | (fds[i].events & POLLOUT));
        ready += fds[i].revents != 0;
    }
    return ready;
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    int64_t until_us = timeout_ms < 0 ? INT64_MAX : sim_now_us() + (int64_t)timeout_ms * US_A_MS;
    task_yield();
    int ready;
    while ((ready = look(fds, count)) == 0 && sim_now_us() < until_us)
        task_wait(&any_descriptor, until_us);
    return ready;
}

/* ---- clocks and dice ---- */

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    int64_t us = sim_now_us();
    int64_t first_s = clock == CLOCK_REALTIME ? FIRST_WALL_S : FIRST_MONOTONIC_S;
    *now = (struct timespec){ first_s + us / US_A_SECOND, us % US_A_SECOND * 1000 };
    return 0;
}

ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags)
{
    uint8_t *at = bytes;
    (void)flags;
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)chance_next();
    return (ssize_t)size;
}

/* ---- logs and fault points ---- */

void __wrap_log_write(enum log_level level, const char *message, const struct log_field *fields,
                      size_t count);
void __wrap_log_write(enum log_level level, const char *message, const struct log_field *fields,
                      size_t count)
{
    if (!trace_is_on())
        return;
    char line[512] = "";
    for (size_t i = 1; i < count; i++) {
        size_t used = strlen(line);
        if (fields[i].is_number)
            snprintf(line + used, sizeof(line) - used, " %s=%lld", fields[i].name,
                     (long long)fields[i].number);
        else
            snprintf(line + used, sizeof(line) - used, " %s=%s", fields[i].name,
                     fields[i].text ? fields[i].text : "null");
    }
    trace("log %s: %s%s", level >= LOG_WARN ? "warning" : "info", message, line);
}

void fault_point(const char *name)
{
    world_at_fault_point(name);
    task_yield();
}
