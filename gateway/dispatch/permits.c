/* gateway/dispatch/permits.c - shares of the gateway's threads. */
#include "gateway/dispatch/permits.h"

#include "base/num.h"

void permits_init(struct permits *permits, size_t threads, size_t group_count)
{
    pthread_mutex_init(&permits->mutex, NULL);
    permits->share = MAX(threads / 2 / group_count, (size_t)1);
    permits->common = threads / 4;
}

void permits_destroy(struct permits *permits)
{
    pthread_mutex_destroy(&permits->mutex);
}

bool permits_acquire(struct permits *permits, size_t *taken)
{
    pthread_mutex_lock(&permits->mutex);
    bool is_own = *taken < permits->share;
    bool ok = is_own || permits->common > 0;
    *taken += ok;
    permits->common -= ok && !is_own;
    pthread_mutex_unlock(&permits->mutex);
    return ok;
}

void permits_release(struct permits *permits, size_t *taken)
{
    pthread_mutex_lock(&permits->mutex);
    permits->common += *taken > permits->share;
    --*taken;
    pthread_mutex_unlock(&permits->mutex);
}
