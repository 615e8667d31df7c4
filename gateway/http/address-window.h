/*
 * gateway/http/address-window.h - exact counts of each address's calls in the last minute, in
 * memory.
 *
 * A sliding log: a call counts while its time is > now - 60,000 ms. So no address has more admitted
 * calls than the limit in any 60 seconds. Rejected calls do not count. An IPv6 address counts as
 * its /64, the smallest network that providers assign to a customer. A call can be given back:
 * whether its account is exempt is not known before the ledger has admitted it.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "svc/limits.h"

enum { WINDOW_MS = 60000 };

struct address_window; /* thread-safe */

struct address_verdict {
    bool admitted;
    int64_t counted_ms; /* admitted: the time of the call, for address_window_return(); else 0 */
    unsigned remaining; /* calls that would be admitted now */
    int64_t retry_after_ms; /* until the next call is admitted, if no other comes; 0: now */
    int64_t reset_ms;       /* until the oldest counted call leaves; 0: no calls */
};

/*
 * A window over at most max_addresses (at least 1). An address takes about 100 bytes and 4 bytes
 * for each counted call, allocated when it first calls. Addresses without counted calls are freed;
 * otherwise a new address replaces the least recently used one. A large table
 * is split into shards, and both rules apply within a shard.
 */
struct address_window *address_window_new(size_t max_addresses);
void address_window_free(struct address_window **window);

/* Admit one call now, by clock_ms(). The limit, 1..LIMITS_ADDRESS_MAX, may change between calls
 * (after a reload). Limit 0: unlimited, and nothing is stored. */
struct address_verdict address_window_admit(struct address_window *window,
                                            const struct in6_addr *address, unsigned limit);

/* Give back an admitted call of this address, by the counted_ms of its verdict. Nothing happens if
 * the call has left the window. */
void address_window_return(struct address_window *window, const struct in6_addr *address,
                           int64_t counted_ms);

/* Addresses in the table, for metrics. */
size_t address_window_count(struct address_window *window);
