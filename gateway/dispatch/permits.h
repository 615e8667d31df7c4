/*
 * gateway/dispatch/permits.h - how many calls may wait on each group at once, so that no group
 * takes the threads that others need, however many are saturated.
 *
 * Of a gateway's threads one half is split evenly: each group's own share. A quarter is common to
 * the groups whose share is taken. The rest is for requests that wait on no group. Any thread.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct permits {
    pthread_mutex_t mutex; /* guards what follows, and what the groups have */
    size_t share;          /* of each group: at least 1 */
    size_t common;         /* left of the common ones */
};

void permits_init(struct permits *permits, size_t threads, size_t group_count);
void permits_destroy(struct permits *permits);

/* One more for a group, which has *taken. False: there is none for it now. */
bool permits_acquire(struct permits *permits, size_t *taken);
void permits_release(struct permits *permits, size_t *taken);
