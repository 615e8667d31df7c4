/*
 * common/net/http/exchange.h - one HTTP request and its response, with libcurl, within the limits
 * of net/http/fetch-answer.h. net/http/fetch.c decides which hosts are allowed, and follows
 * redirects.
 */
#pragma once

#include <curl/curl.h>
#include <stdbool.h>

#include "net/addresses.h"
#include "net/egress.h"
#include "net/http/fetch-answer.h"

struct exchange {
    struct egress *egress;
    CURL *easy; /* new or reset */
    CURLM *multi;
    CURLSH *cookies; /* kept between exchanges; NULL: not kept */
    const char *url;
    const struct host *host; /* its addresses are pinned; NULL: the system resolves it */
    uint16_t port;
    const struct addresses *addresses; /* NULL: any address */
    const char *method;
    const struct fetch_options *options;
    bool verifies;
    bool skips_redirects; /* ignore their bodies, which may never end */
    int64_t deadline_ms;
};

/* EXCHANGE_BAD_CERTIFICATE: nothing else is known about the response. */
enum exchange_end { EXCHANGE_ANSWERED, EXCHANGE_FAILED, EXCHANGE_BAD_CERTIFICATE };

/*
 * Fill *hop except its target, and body, wire_bytes and end of *fetch, which must be empty.
 * EXCHANGE_FAILED sets an error as fetch_guarded() does, and fills nothing.
 */
enum exchange_end exchange_run(const struct exchange *exchange, struct fetch_hop *hop,
                               struct fetch *fetch, struct err *err) must_check;

/*
 * The same in steps, for several exchanges in one thread. Each has its own handle, and all share
 * one multi handle. What an exchange borrows (except addresses) must stay valid until
 * exchange_finish().
 *
 *     struct flight *flight = exchange_begin(exchange, hop);
 *     while (!exchange_is_over(flight))
 *         exchange_wait(exchange->multi, &flight, 1, exchange->deadline_ms);
 *     return exchange_finish(&flight, fetch, err);
 */
struct flight;
struct flight *exchange_begin(const struct exchange *exchange, struct fetch_hop *hop);

/* Advance all exchanges. Waits for an event, at most until until_ms, unless one is over. */
void exchange_wait(CURLM *multi, struct flight *const *flights, size_t count, int64_t until_ms);
bool exchange_is_over(const struct flight *flight);

/* Release it, whether over or not. */
enum exchange_end exchange_finish(struct flight **flight, struct fetch *fetch,
                                  struct err *err) must_check;
