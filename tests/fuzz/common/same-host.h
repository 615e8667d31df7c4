/* tests/fuzz/common/same-host.h - a host that is read again is the same host. */
#pragma once

#include <string.h>

#include "net/host.h"

static inline bool same_host(const struct host *a, const struct host *b)
{
    return strcmp(a->name, b->name) == 0 && a->is_address == b->is_address &&
           memcmp(&a->address, &b->address, sizeof(a->address)) == 0;
}
