/*
 * common/net/egress-filter.h - the last look at an address that a socket is about to connect to,
 * whatever was judged before. All sockets of net/ are opened behind it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "net/guard.h"

/* One of a process; any thread may ask. */
struct egress_filter {
    struct guard guard;
    atomic_uint_fast64_t stray_count; /* connections that egress.only refused */
};

/* May we connect there: when is_guarded, to what customers may reach; always, to what egress.only
 * leaves, and what that refuses is counted and logged. */
bool egress_filter_passes(struct egress_filter *filter, bool is_guarded,
                          const struct sockaddr *address);
