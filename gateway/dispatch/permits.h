/*
 * gateway/dispatch/permits.h - limits the calls that wait on each group, so that saturated groups
 * do not take the threads that other groups need.
 *
 * Half of a gateway's threads is divided evenly among the groups. A quarter is shared by groups
 * that have used their part. The rest is for requests that do not wait on a group. Thread-safe.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct permits {
    pthread_mutex_t mutex; /* guards the next fields and each group's count */
    size_t share;          /* of each group; at least 1 */
    size_t common;         /* free permits of the shared quarter */
};

void permits_init(struct permits *permits, size_t threads, size_t group_count);
void permits_destroy(struct permits *permits);

/* Take a permit for a group that has *taken permits. False: no permit is free. */
bool permits_acquire(struct permits *permits, size_t *taken);
void permits_release(struct permits *permits, size_t *taken);
