/*
 * portal/password/networks.h - how much each network has tried to sign in lately.
 *
 * A network's debt grows by one with each try, and shrinks by one each minute, from at most 60. One
 * that has not tried for a while has none. The table has a fixed size and forgets
 * the smallest debts first, so that no number of networks costs more memory. Not thread-safe.
 */
#pragma once

#include <stdint.h>

struct networks;

enum {
    NETWORK_TRY_MS = 60000,
    NETWORK_DEBT_MAX = 60, /* tries */
    NETWORKS_MAX = 4096,   /* remembered */
};

struct networks *networks_new(void);
void networks_free(struct networks **networks);

/* The debt of a network ("192.0.2.0/24") at this time of clock_ms(), in tries, rounded up. */
int networks_debt(const struct networks *networks, const char *network, int64_t now_ms);

/* Count a try. */
void networks_add_try(struct networks *networks, const char *network, int64_t now_ms);
