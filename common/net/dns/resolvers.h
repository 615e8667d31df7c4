/*
 * common/net/dns/resolvers.h - the operator's DNS-over-HTTPS servers, and the connections to them.
 * Called by net/dns.h; used by all threads.
 *
 * One thread carries all requests with one libcurl multi handle: hundreds of concurrent jobs share
 * a connection (HTTP/2 streams), which stays open for later questions.
 *
 * - There are at most 4 connections to a resolver. One that was idle for a minute is not reused.
 * - Requests on a connection that closes without a reply are retried over another one.
 * - A connection whose peer disappeared closes 3 s after a write (TCP_USER_TIMEOUT).
 * - If all questions of a caller time out, later requests use new connections.
 */
#pragma once

#include <openssl/x509.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/os/memory-budget.h"
#include "text/conf.h"

struct egress_filter;
struct resolvers;

/*
 * From egress.doh_urls, at least one and at most RESOLVERS_MAX. The User-Agent and the filter are
 * borrowed; the trusted certificates are reference-counted. Errors: ERR_INVALID_VALUE.
 */
enum { RESOLVERS_MAX = 8 };
bool resolvers_new(const struct conf *conf, const char *agent, struct egress_filter *filter,
                   X509_STORE *trust, struct resolvers **resolvers, struct err *err) must_check;
void resolvers_free(struct resolvers **resolvers);

/* The memory budget for replies, and for what is made from them. */
enum { ANSWER_ROOM_BYTES = 96 << 20, ANSWER_FREE_BYTES = 4096 /* per reply: most are smaller */ };
struct memory_budget *resolvers_memory_budget(struct resolvers *resolvers);

size_t resolvers_count(const struct resolvers *resolvers);
const char *resolvers_url(const struct resolvers *resolvers, size_t which);

/* The outcome of one request. */
enum reply_status {
    REPLY_OK,  /* 200 with a DNS message in bytes, possibly converted from JSON (net/dns/json.h) */
    REPLY_BAD, /* another response, or a failed connection */
    REPLY_TIMEOUT,
};

struct reply {
    struct text query; /* in; borrowed */
    enum reply_status status;
    struct buf bytes; /* of the reply */
    uint32_t age_s;   /* time in a cache */
    struct reservation reservation;
};

/* Free the bytes. */
void reply_drop(struct reply *reply);

/* Send all queries to one resolver at once, and wait for all replies until the deadline (by
 * clock_ms()). */
void resolvers_ask(struct resolvers *resolvers, size_t which, struct reply *replies, size_t count,
                   int64_t deadline_ms);

/* Sort the indexes of the resolvers: those that failed recently come last. */
void resolvers_order(struct resolvers *resolvers, size_t order[static RESOLVERS_MAX]);
