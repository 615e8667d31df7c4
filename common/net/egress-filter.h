/*
 * common/net/egress-filter.h - the last check of an address before a socket connects to it,
 * independent of all earlier checks. All sockets of net/ are opened behind it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "net/guard.h"

/* One per process; used by all threads. */
struct egress_filter {
    struct guard guard;
    atomic_uint_fast64_t stray_count; /* connections blocked by egress.only */
};

/*
 * May a socket connect to this address? If is_guarded, it must be allowed for customers' targets.
 * It must always be allowed by egress.only; a violation is counted and logged.
 */
bool egress_filter_passes(struct egress_filter *filter, bool is_guarded,
                          const struct sockaddr *address);
