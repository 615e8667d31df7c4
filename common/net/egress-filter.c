/* common/net/egress-filter.c - the last check before a connection. */
#include "net/egress-filter.h"

#include "base/os/log.h"

bool egress_filter_passes(struct egress_filter *filter, bool is_guarded,
                          const struct sockaddr *address)
{
    if (is_guarded && !guard_allows_sockaddr(&filter->guard, address))
        return false;
    if (guard_is_inside(&filter->guard, address))
        return true;
    filter->stray_count++;
    log_line(LOG_ERROR, "egress.only blocked a connection");
    return false;
}
