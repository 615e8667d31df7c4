/*
 * gateway/dispatch/fair-queue.h - a queue in which accounts take turns.
 *
 * Within an account first come, first served; between accounts round robin, so that one that sends
 * a thousand calls delays another by one call. Bounded by its user; not thread-safe.
 */
#pragma once

#include <stddef.h>

#include "base/codec/uuid.h"

/* Embedded, as its first member, in what is queued. */
struct fair_item {
    struct fair_item *next;
    struct uuid account;
};

struct fair_lane; /* one account's items */

struct fair_queue {
    struct fair_lane *turn; /* ring of accounts; whose turn it is */
    size_t count;
};

void fair_push(struct fair_queue *queue, struct fair_item *item);

/* Put back what was taken: the account's first, and its turn. */
void fair_push_front(struct fair_queue *queue, struct fair_item *item);

/* The next item, NULL when there is none. */
struct fair_item *fair_pop(struct fair_queue *queue);

/* Take one item out, wherever it is; it must be in the queue. */
void fair_remove(struct fair_queue *queue, struct fair_item *item);
