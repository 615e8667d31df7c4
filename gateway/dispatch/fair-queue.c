/* gateway/dispatch/fair-queue.c - round robin between accounts. Lookup is a search of the ring,
 * which holds only accounts with waiting items: at most as many as there are permits. */
#include "gateway/dispatch/fair-queue.h"

#include <assert.h>

#include "base/mem.h"

struct fair_lane {
    struct fair_lane *next; /* a ring */
    struct fair_lane *before;
    struct uuid account;
    struct fair_item *first;
    struct fair_item *last;
};

static struct fair_lane *find_lane(const struct fair_queue *queue, const struct uuid *account)
{
    struct fair_lane *lane = queue->turn;
    if (!lane)
        return NULL;
    do {
        if (uuid_equal(&lane->account, account))
            return lane;
        lane = lane->next;
    } while (lane != queue->turn);
    return NULL;
}

/* A new lane has its turn after all others. */
static struct fair_lane *add_lane(struct fair_queue *queue, const struct uuid *account)
{
    struct fair_lane *lane = mem_new(sizeof(*lane));
    lane->account = *account;
    if (!queue->turn) {
        lane->next = lane->before = lane;
        queue->turn = lane;
        return lane;
    }
    lane->next = queue->turn;
    lane->before = queue->turn->before;
    lane->before->next = lane;
    lane->next->before = lane;
    return lane;
}

static void drop_lane(struct fair_queue *queue, struct fair_lane *lane)
{
    if (queue->turn == lane)
        queue->turn = lane->next == lane ? NULL : lane->next;
    lane->before->next = lane->next;
    lane->next->before = lane->before;
    mem_free(&lane);
}

static struct fair_lane *lane_of(struct fair_queue *queue, const struct uuid *account)
{
    struct fair_lane *lane = find_lane(queue, account);
    return lane ? lane : add_lane(queue, account);
}

void fair_push(struct fair_queue *queue, struct fair_item *item)
{
    struct fair_lane *lane = lane_of(queue, &item->account);
    item->next = NULL;
    if (lane->last)
        lane->last->next = item;
    else
        lane->first = item;
    lane->last = item;
    queue->count++;
}

void fair_push_front(struct fair_queue *queue, struct fair_item *item)
{
    struct fair_lane *lane = lane_of(queue, &item->account);
    item->next = lane->first;
    lane->first = item;
    if (!lane->last)
        lane->last = item;
    queue->turn = lane;
    queue->count++;
}

struct fair_item *fair_pop(struct fair_queue *queue)
{
    struct fair_lane *lane = queue->turn;
    if (!lane)
        return NULL;
    struct fair_item *item = lane->first;
    lane->first = item->next;
    queue->count--;
    if (lane->first) {
        queue->turn = lane->next;
    } else {
        drop_lane(queue, lane);
    }
    return item;
}

void fair_remove(struct fair_queue *queue, struct fair_item *item)
{
    struct fair_lane *lane = find_lane(queue, &item->account);
    struct fair_item *before = NULL;
    assert(lane);
    for (struct fair_item *at = lane->first; at != item; at = at->next)
        before = at;
    if (before)
        before->next = item->next;
    else
        lane->first = item->next;
    if (lane->last == item)
        lane->last = before;
    queue->count--;
    if (!lane->first)
        drop_lane(queue, lane);
}
