/* common/net/system-resolver.h - name lookups with the system's resolver, for closed networks. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "net/addresses.h"

/*
 * Call getaddrinfo(), which has no timeout, in its own thread, which continues if the time (by
 * clock_ms()) is over. Errors: ERR_TARGET_DNS_FAILURE.
 */
bool system_resolve(const char *name, int64_t deadline_ms, struct addresses *addresses,
                    struct err *err) must_check;
