/* common/net/addresses.c - the addresses of a name. */
#include "net/addresses.h"

#include <string.h>

#include "base/codec/cidr.h"

void addresses_add(struct addresses *addresses, const struct in6_addr *address)
{
    if (addresses->count == ADDRESSES_MAX)
        addresses->is_cut = true;
    else
        addresses->item[addresses->count++] = *address;
}

bool address_of_sockaddr(const struct sockaddr *sockaddr, struct in6_addr *address)
{
    if (sockaddr->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, sockaddr, sizeof(in));
        *address = address_of_ipv4(in.sin_addr);
        return true;
    }
    if (sockaddr->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;
        memcpy(&in6, sockaddr, sizeof(in6));
        *address = in6.sin6_addr;
        return true;
    }
    return false;
}
