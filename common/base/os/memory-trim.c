/* common/base/os/memory-trim.c - counts the trims that were asked for and those that are done. */
#include "base/os/memory-trim.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/os/log.h"

struct memory_trim {
    pthread_t thread;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t asked_more;
    pthread_cond_t done_more;
    uint64_t asked;
    uint64_t done; /* requests that a finished trim has served */
    bool is_stopping;
};

/* Requires the mutex, which is free during the trim: requests that come then wait for the next. */
static void trim_once(struct memory_trim *trim)
{
    uint64_t served = trim->asked;
    pthread_mutex_unlock(&trim->mutex);
    malloc_trim(0);
    pthread_mutex_lock(&trim->mutex);
    trim->done = served;
    pthread_cond_broadcast(&trim->done_more);
}

static void *trim_thread(void *argument)
{
    struct memory_trim *trim = argument;
    pthread_setname_np(pthread_self(), "memory-trim");
    pthread_mutex_lock(&trim->mutex);
    while (!trim->is_stopping) {
        if (trim->done < trim->asked)
            trim_once(trim);
        else
            pthread_cond_wait(&trim->asked_more, &trim->mutex);
    }
    pthread_mutex_unlock(&trim->mutex);
    return NULL;
}

struct memory_trim *memory_trim_start(void)
{
    struct memory_trim *trim = mem_new(sizeof(*trim));
    pthread_mutex_init(&trim->mutex, NULL);
    pthread_cond_init(&trim->asked_more, NULL);
    pthread_cond_init(&trim->done_more, NULL);
    if (pthread_create(&trim->thread, NULL, trim_thread, trim) != 0) {
        log_line(LOG_ERROR, "the system gives no thread to return memory");
        exit(EXIT_FAILURE);
    }
    return trim;
}

void memory_trim_stop(struct memory_trim **address)
{
    struct memory_trim *trim = *address;
    if (!trim)
        return;
    pthread_mutex_lock(&trim->mutex);
    trim->is_stopping = true;
    pthread_cond_signal(&trim->asked_more);
    pthread_mutex_unlock(&trim->mutex);
    pthread_join(trim->thread, NULL);
    pthread_cond_destroy(&trim->done_more);
    pthread_cond_destroy(&trim->asked_more);
    pthread_mutex_destroy(&trim->mutex);
    mem_free(address);
}

void memory_trim_now(struct memory_trim *trim)
{
    pthread_mutex_lock(&trim->mutex);
    uint64_t wanted = ++trim->asked;
    pthread_cond_signal(&trim->asked_more);
    while (trim->done < wanted)
        pthread_cond_wait(&trim->done_more, &trim->mutex);
    pthread_mutex_unlock(&trim->mutex);
}
