/*
 * common/net/dns/resolvers.h - the operator's DNS-over-HTTPS servers, and the connections to them.
 * Asked by net/dns.h; used by all threads.
 *
 * One thread carries what all others ask, by one libcurl multi handle: hundreds of jobs that ask at
 * once share a connection (HTTP/2 streams), which stays open for the next question. There are at
 * most 4 to a resolver; one that was idle for a minute is not used again. What a connection that
 * ends has not answered is asked again over another; one whose peer is gone without a word ends
 * 3 s after it was written to (TCP_USER_TIMEOUT). When somebody's questions were all left without
 * an answer in their time, what is asked from then on goes over new connections.
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

/* Of egress.doh_urls; at least one and at most RESOLVERS_MAX. The agent (who we say we are) and the
 * filter are borrowed, the trusted certificates are referred to. Errors: ERR_INVALID_VALUE. */
enum { RESOLVERS_MAX = 8 };
bool resolvers_new(const struct conf *conf, const char *agent, struct egress_filter *filter,
                   X509_STORE *trust, struct resolvers **resolvers, struct err *err) must_check;
void resolvers_free(struct resolvers **resolvers);

/* The memory for what resolvers answer: replies claim it, and so shall what is made of them. */
enum { ANSWER_ROOM_BYTES = 96 << 20, ANSWER_FREE_BYTES = 4096 /* of each: most are smaller */ };
struct memory_budget *resolvers_memory_budget(struct resolvers *resolvers);

size_t resolvers_count(const struct resolvers *resolvers);
const char *resolvers_url(const struct resolvers *resolvers, size_t which);

/* What became of one request. */
enum reply_status {
    REPLY_OK,  /* 200 with a DNS message in bytes, which may have been JSON (net/dns/json.h) */
    REPLY_BAD, /* another answer, or none because the connection failed */
    REPLY_TIMEOUT,
};

struct reply {
    struct text query; /* in; borrowed */
    enum reply_status status;
    struct buf bytes; /* of the answer */
    uint32_t age_s;   /* how long a cache has had it */
    struct reservation reservation;
};

/* Free the bytes. */
void reply_drop(struct reply *reply);

/* Send all queries to one resolver at once, and wait for all replies until the deadline (by
 * clock_ms()). */
void resolvers_ask(struct resolvers *resolvers, size_t which, struct reply *replies, size_t count,
                   int64_t deadline_ms);

/* A resolver that did not answer lately is asked after the others: put the indexes in the order in
 * which they are best asked. */
void resolvers_order(struct resolvers *resolvers, size_t order[static RESOLVERS_MAX]);
