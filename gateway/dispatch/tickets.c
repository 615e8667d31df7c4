/* gateway/dispatch/tickets.c - shares of the threads. */
#include "gateway/dispatch/tickets.h"

#include "base/num.h"

void tickets_open(struct tickets *tickets, size_t threads, size_t group_count)
{
    pthread_mutex_init(&tickets->mutex, NULL);
    tickets->share = MAX(threads / 2 / group_count, (size_t)1);
    tickets->common = threads / 4;
}

void tickets_close(struct tickets *tickets)
{
    pthread_mutex_destroy(&tickets->mutex);
}

bool tickets_take(struct tickets *tickets, size_t *taken)
{
    pthread_mutex_lock(&tickets->mutex);
    bool is_own = *taken < tickets->share;
    bool ok = is_own || tickets->common > 0;
    *taken += ok;
    tickets->common -= ok && !is_own;
    pthread_mutex_unlock(&tickets->mutex);
    return ok;
}

void tickets_return(struct tickets *tickets, size_t *taken)
{
    pthread_mutex_lock(&tickets->mutex);
    tickets->common += *taken > tickets->share;
    --*taken;
    pthread_mutex_unlock(&tickets->mutex);
}
