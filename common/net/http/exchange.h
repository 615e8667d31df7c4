/*
 * common/net/http/exchange.h - one request to one place and its answer, by libcurl, within the
 * limits of net/http/fetch-answer.h. Who may be asked, and what a redirect means, is
 * net/http/fetch.c's to say.
 */
#pragma once

#include <curl/curl.h>
#include <stdbool.h>

#include "net/addresses.h"
#include "net/egress.h"
#include "net/http/fetch-answer.h"

struct exchange {
    struct egress *egress;
    CURL *easy; /* fresh or reset */
    CURLM *multi;
    CURLSH *cookies; /* from one exchange to the next; NULL: none are kept */
    const char *url;
    const struct host *host; /* whose addresses are pinned; NULL: the system looks up */
    uint16_t port;
    const struct addresses *addresses; /* NULL: any address */
    const char *method;
    const struct fetch_options *options;
    bool verifies;
    bool skips_redirects; /* their bodies, which nobody reads and which may take for ever */
    int64_t deadline_ms;
};

/* The certificate is bad, and nothing else is known of the answer. */
enum exchange_end { EXCHANGE_ANSWERED, EXCHANGE_FAILED, EXCHANGE_BAD_CERTIFICATE };

/*
 * Fill all of *hop but its target, and body, wire_bytes and end of *fetch, which must be empty.
 * EXCHANGE_FAILED comes with an error as fetch_guarded() has them, and nothing is filled.
 */
enum exchange_end exchange_run(const struct exchange *exchange, struct fetch_hop *hop,
                               struct fetch *fetch, struct err *err) must_check;

/*
 * The same in steps, for several at once in one thread: each has a handle of its own, all have the
 * same multi. What an exchange borrows (but not addresses) must stay until exchange_finish().
 *
 *     struct flight *flight = exchange_begin(exchange, hop);
 *     while (!exchange_is_over(flight))
 *         exchange_wait(exchange->multi, &flight, 1, exchange->deadline_ms);
 *     return exchange_finish(&flight, fetch, err);
 */
struct flight;
struct flight *exchange_begin(const struct exchange *exchange, struct fetch_hop *hop);

/* Push all on; wait for something to happen, but not beyond until_ms, unless one is over. */
void exchange_wait(CURLM *multi, struct flight *const *flights, size_t count, int64_t until_ms);
bool exchange_is_over(const struct flight *flight);

/* Release it, over or not. */
enum exchange_end exchange_finish(struct flight **flight, struct fetch *fetch,
                                  struct err *err) must_check;
