/*
 * common/net/http/pool.h - connections that stay open between requests to an operator's service.
 *
 * A request borrows a set of connections, so no two threads use one at the same time. libcurl sends
 * a request again only if it went to a connection that was open before, and that closed before any
 * byte of the response.
 */
#pragma once

#include <curl/curl.h>
#include <stddef.h>

struct fetch_pool; /* used by all threads */

/* Keep at most max_sets unused sets of connections. */
struct fetch_pool *fetch_pool_new(size_t max_sets);
void fetch_pool_free(struct fetch_pool **pool);

/* Take a set, with or without open connections, and give it back. */
CURLM *fetch_pool_take(struct fetch_pool *pool);
void fetch_pool_return(struct fetch_pool *pool, CURLM **set);
