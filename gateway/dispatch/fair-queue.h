/*
 * gateway/dispatch/fair-queue.h - a queue that is fair between accounts.
 *
 * First come, first served within an account; round robin between accounts. So an account with a
 * thousand queued calls delays another account's call by one call. The caller bounds its length.
 * Not thread-safe.
 */
#pragma once

#include <stddef.h>

#include "base/codec/uuid.h"

/* The first member of each struct that is queued. */
struct fair_item {
    struct fair_item *next;
    struct uuid account;
};

struct fair_lane; /* one account's items */

struct fair_queue {
    struct fair_lane *turn; /* ring of accounts; the one whose turn it is */
    size_t count;
};

void fair_push(struct fair_queue *queue, struct fair_item *item);

/* Put back a popped item: it is first in its account, and its account is next. */
void fair_push_front(struct fair_queue *queue, struct fair_item *item);

/* The next item; NULL: the queue is empty. */
struct fair_item *fair_pop(struct fair_queue *queue);

/* Remove an item, which must be in the queue. */
void fair_remove(struct fair_queue *queue, struct fair_item *item);
