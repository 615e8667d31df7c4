/*
 * common/net/system-resolver.h - names by the system's resolver, for closed networks.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "net/addresses.h"

/* Ask getaddrinfo(), which knows no deadline, in a thread of its own that is left alone when the
 * time (by clock_ms()) is over. Errors: ERR_TARGET_DNS_FAILURE. */
bool system_resolve(const char *name, int64_t deadline_ms, struct addresses *addresses,
                    struct err *err) must_check;
