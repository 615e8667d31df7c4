/* svc-security/tls-check/scan/plan.c - run all tests in order. */
#include "base/num.h"
#include "scan.h"

enum { ORDER_CONNECTIONS = 2 /* reserved for the last test */ };

static bool find_best(struct facts *facts)
{
    bool any = false;
    for (unsigned i = 0; i < VERSIONS; i++) {
        if (!facts->supports[i])
            continue;
        facts->best = (enum version)i;
        any = true;
    }
    return any;
}

bool scan_run(struct scan *scan)
{
    struct prober *prober = &scan->prober;
    scan_versions(scan);
    if (!find_best(scan->facts))
        return false;
    scan_properties(scan);
    unsigned kept = MIN(prober->connections_left, (unsigned)ORDER_CONNECTIONS);
    prober->connections_left -= kept;
    scan_suites(scan);
    prober->connections_left += kept;
    scan_order(scan);
    return true;
}
