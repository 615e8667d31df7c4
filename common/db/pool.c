/* common/db/pool.c - lends connections, and reuses them while they are usable. */
#include "db/pool.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/deadline.h"

struct pool {
    char *url, *password;
    int64_t wait_ms, timeout_ms;
    pthread_mutex_t mutex; /* guards the members below */
    pthread_cond_t given_back;
    size_t left; /* how many more may be lent */
    size_t idle_count;
    struct sql **idle; /* open and not lent, the last used at the end */
};

struct pool *pool_new(const char *url, const char *password, size_t connections, int64_t wait_ms,
                      int64_t timeout_ms)
{
    struct pool *pool = mem_new(sizeof(*pool));
    *pool = (struct pool){ .url = str_dup(url),
                           .password = str_dup(password),
                           .wait_ms = wait_ms,
                           .timeout_ms = timeout_ms,
                           .left = connections,
                           .idle = mem_array(connections, sizeof(struct sql *)) };
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->given_back, NULL);
    return pool;
}

void pool_free(struct pool **freed)
{
    struct pool *pool = *freed;
    if (!pool)
        return;
    for (size_t i = 0; i < pool->idle_count; i++)
        sql_close(&pool->idle[i]);
    if (pool->password)
        explicit_bzero(pool->password, strlen(pool->password));
    pthread_cond_destroy(&pool->given_back);
    pthread_mutex_destroy(&pool->mutex);
    mem_free(&pool->idle);
    mem_free(&pool->password);
    mem_free(&pool->url);
    mem_free(freed);
}

/* Take the right to one connection, with the one used last or NULL; then the holder connects. */
static bool take_connection(struct pool *pool, struct sql **sql)
{
    struct timespec until = deadline_in(pool->wait_ms);

    pthread_mutex_lock(&pool->mutex);
    while (pool->left == 0 &&
           pthread_cond_clockwait(&pool->given_back, &pool->mutex, CLOCK_MONOTONIC, &until) == 0)
        ;
    bool is_free = pool->left > 0;
    if (is_free) {
        pool->left--;
        *sql = pool->idle_count > 0 ? pool->idle[--pool->idle_count] : NULL;
    }
    pthread_mutex_unlock(&pool->mutex);
    return is_free;
}

static void give_connection(struct pool *pool, struct sql *sql)
{
    pthread_mutex_lock(&pool->mutex);
    if (sql)
        pool->idle[pool->idle_count++] = sql;
    pool->left++;
    pthread_cond_signal(&pool->given_back);
    pthread_mutex_unlock(&pool->mutex);
}

bool pool_take(struct pool *pool, struct sql **taken, struct err *err)
{
    struct sql *sql = NULL;
    if (!take_connection(pool, &sql))
        return err_set(err, ERR_LEDGER_UNAVAILABLE,
                       "all connections to the database were in use for %d ms", (int)pool->wait_ms);
    if (sql && !sql_is_fit(sql))
        sql_close(&sql);
    if (!sql && !sql_open_brisk(pool->url, pool->password, pool->timeout_ms, &sql, err)) {
        give_connection(pool, NULL);
        return false;
    }
    sql_set_pool(sql, pool);
    *taken = sql;
    return true;
}

void pool_give(struct sql **given)
{
    struct err err = { 0 };
    if (!*given)
        return;
    struct pool *pool = sql_pool(*given);
    if (!sql_rollback(*given, &err) || !sql_is_fit(*given))
        sql_close(given);
    give_connection(pool, take(*given));
}

bool pool_run(struct pool *pool, const char *statement, struct sql_params params, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    return pool_row(pool, statement, params, row, err);
}

bool pool_row(struct pool *pool, const char *statement, struct sql_params params, cJSON *object,
              struct err *err)
{
    scoped(pool_give) struct sql *sql = NULL;
    return pool_take(pool, &sql, err) && sql_row(sql, statement, params, object, err);
}

bool pool_rows(struct pool *pool, const char *statement, struct sql_params params, cJSON *list,
               struct err *err)
{
    scoped(pool_give) struct sql *sql = NULL;
    return pool_take(pool, &sql, err) && sql_rows(sql, statement, params, list, err);
}
