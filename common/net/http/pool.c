/* common/net/http/pool.c - connections that stay open between requests. */
#include "net/http/pool.h"

#include <pthread.h>

#include "base/mem.h"
#include "net/http/transfer.h"

enum { CONNECTIONS_MAX = 1 /* of a set: a request needs one */ };

struct fetch_pool {
    pthread_mutex_t mutex;
    size_t count;
    size_t max;
    CURLM *set[]; /* the last returned is taken first, so the others can time out */
};

struct fetch_pool *fetch_pool_new(size_t max_sets)
{
    struct fetch_pool *pool = mem_new(sizeof(*pool) + max_sets * sizeof(*pool->set));
    pthread_mutex_init(&pool->mutex, NULL);
    pool->max = max_sets;
    return pool;
}

void fetch_pool_free(struct fetch_pool **address)
{
    struct fetch_pool *pool = *address;
    if (!pool)
        return;
    for (size_t i = 0; i < pool->count; i++)
        transfer_free_multi(&pool->set[i]);
    pthread_mutex_destroy(&pool->mutex);
    mem_free(address);
}

CURLM *fetch_pool_take(struct fetch_pool *pool)
{
    CURLM *set = NULL;
    pthread_mutex_lock(&pool->mutex);
    if (pool->count > 0)
        set = pool->set[--pool->count];
    pthread_mutex_unlock(&pool->mutex);
    if (set)
        return set;
    set = curl_multi_init();
    curl_multi_setopt(set, CURLMOPT_MAXCONNECTS, (long)CONNECTIONS_MAX);
    return set;
}

void fetch_pool_return(struct fetch_pool *pool, CURLM **set)
{
    pthread_mutex_lock(&pool->mutex);
    if (pool->count < pool->max)
        pool->set[pool->count++] = take(*set);
    pthread_mutex_unlock(&pool->mutex);
    if (*set)
        transfer_free_multi(set);
}
