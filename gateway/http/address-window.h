/*
 * gateway/http/address-window.h - calls of one address in the last minute, in memory, exactly.
 *
 * A sliding log: a call counts while its time is > now - 60,000 ms, so in any 60 seconds no address
 * has more admitted calls than the limit; refused calls do not count. An IPv6 address counts with
 * its whole /64, the least that one customer of a provider has.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "svc/limits.h"

enum { WINDOW_MS = 60000 };

struct address_window; /* safe from every thread */

struct address_verdict {
    bool admitted;
    unsigned remaining;     /* calls that would still be admitted now */
    int64_t retry_after_ms; /* until a call is admitted again when no other comes; 0: now */
    int64_t reset_ms;       /* until the oldest call that counts stops counting; 0: none counts */
};

/*
 * A window over at most max_addresses (one or more); memory for an address is taken when it comes:
 * about 100 bytes, and 4 for each call that counts. Addresses without a call that counts make room
 * by themselves; when there are none of those, the address not seen for longest is forgotten. With
 * many addresses the table is cut into parts, and both happen within the part of the newcomer.
 */
struct address_window *address_window_new(size_t max_addresses);
void address_window_free(struct address_window **window);

/* Ask for one call now, by clock_ms(). The limit, 1..LIMITS_ADDRESS_MAX, may differ from call to
 * call (it is reloaded); limit 0 is no limit: everything is admitted and nothing remembered. */
struct address_verdict address_window_admit(struct address_window *window,
                                            const struct in6_addr *address, unsigned limit);

/* Addresses remembered at the moment, for metrics. */
size_t address_window_count(struct address_window *window);
