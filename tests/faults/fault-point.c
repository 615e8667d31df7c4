/* tests/faults/fault-point.c - what a FAULT_POINT does in tollgate-gateway-faults. */
#include "base/os/fault.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void fault_point(const char *name)
{
    static atomic_long passed;
    const char *wanted = getenv("FAULT_POINT");
    size_t size = strlen(name);
    if (!wanted || strncmp(wanted, name, size) != 0 || wanted[size] != ':')
        return;
    if (atomic_fetch_add(&passed, 1) + 1 == strtol(wanted + size + 1, NULL, 10))
        raise(SIGKILL);
}
