/* common/base/os/memory-budget.c - counts the free bytes, and wakes waiting threads. */
#include "base/os/memory-budget.h"

#include <assert.h>
#include <malloc.h>

#include "base/os/deadline.h"

void memory_budget_open(struct memory_budget *budget, size_t bytes, size_t free_bytes,
                        const char *crowded)
{
    *budget = (struct memory_budget){
        .bytes = bytes, .free_bytes = free_bytes, .crowded = crowded, .left_bytes = bytes
    };
    pthread_mutex_init(&budget->mutex, NULL);
    pthread_cond_init(&budget->freed, NULL);
}

void memory_budget_close(struct memory_budget *budget)
{
    pthread_cond_destroy(&budget->freed);
    pthread_mutex_destroy(&budget->mutex);
}

size_t memory_budget_reserved(struct memory_budget *budget)
{
    pthread_mutex_lock(&budget->mutex);
    size_t used = budget->bytes - budget->left_bytes;
    pthread_mutex_unlock(&budget->mutex);
    return used;
}

/* Requires the mutex. False if that much was not free by the deadline. */
static bool wait_for(struct memory_budget *budget, size_t bytes, int64_t deadline_ms)
{
    struct timespec until = deadline_at(deadline_ms);
    while (budget->left_bytes < bytes)
        if (deadline_ms == 0 ||
            pthread_cond_clockwait(&budget->freed, &budget->mutex, CLOCK_MONOTONIC, &until) != 0)
            return false;
    return true;
}

bool memory_budget_reserve(struct memory_budget *budget, size_t bytes, int64_t deadline_ms,
                           struct reservation *reservation, struct err *err)
{
    if (bytes <= budget->free_bytes || bytes <= reservation->bytes)
        return true;
    assert(deadline_ms == 0 || reservation->bytes == 0);
    size_t more = bytes - reservation->bytes;
    pthread_mutex_lock(&budget->mutex);
    bool fits = wait_for(budget, more, deadline_ms);
    if (fits)
        budget->left_bytes -= more;
    pthread_mutex_unlock(&budget->mutex);
    if (!fits)
        return err_set(err, ERR_OVERLOADED, "%s", budget->crowded);
    *reservation = (struct reservation){ budget, bytes };
    return true;
}

static void return_memory(const struct memory_budget *budget)
{
    if (budget->trim)
        memory_trim_now(budget->trim);
    else
        malloc_trim(0);
}

void reservation_free(struct reservation *reservation)
{
    struct memory_budget *budget = reservation->budget;
    if (!budget)
        return;
    if (reservation->bytes >= RESERVATION_TRIM_BYTES)
        return_memory(budget);
    pthread_mutex_lock(&budget->mutex);
    budget->left_bytes += reservation->bytes;
    pthread_cond_broadcast(&budget->freed);
    pthread_mutex_unlock(&budget->mutex);
    *reservation = (struct reservation){ 0 };
}
