/* common/web/own-address.c - see own-address.h. */
#include "web/own-address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <string.h>

#include "base/codec/cidr.h"
#include "base/mem.h"

static bool is_in(const struct cidr *network, const struct sockaddr *address)
{
    if (!address || address->sa_family != AF_INET)
        return false;
    struct sockaddr_in ipv4;
    memcpy(&ipv4, address, sizeof(ipv4));
    struct in6_addr mapped = address_of_ipv4(ipv4.sin_addr);
    return cidr_has(network, &mapped);
}

/* The text of this machine's first address in the network; false if it has none. */
static bool find_in(const struct cidr *network, char text[INET_ADDRSTRLEN])
{
    struct ifaddrs *all = NULL;
    struct sockaddr_in ipv4;

    if (getifaddrs(&all) != 0)
        return false;
    struct ifaddrs *at = all;
    while (at && !is_in(network, at->ifa_addr))
        at = at->ifa_next;
    if (at) {
        memcpy(&ipv4, at->ifa_addr, sizeof(ipv4));
        inet_ntop(AF_INET, &ipv4.sin_addr, text, INET_ADDRSTRLEN);
    }
    freeifaddrs(all);
    return at != NULL;
}

bool own_address(const char *listen, char **made, struct err *err)
{
    char text[INET_ADDRSTRLEN];
    struct cidr network;
    struct err why = { 0 };

    if (!strchr(listen, '/')) {
        *made = str_dup(listen);
        return true;
    }
    const char *colon = strrchr(listen, ':');
    if (!colon)
        return err_set(err, ERR_INVALID_VALUE, "%.80s has no port", listen);
    if (!cidr_parse((struct text){ listen, (size_t)(colon - listen) }, &network, &why))
        return err_set(err, ERR_INVALID_VALUE, "%.80s: %s", listen, why.message);
    if (!find_in(&network, text))
        return err_set(err, ERR_INVALID_VALUE, "no address of this machine lies in %.*s",
                       (int)(colon - listen), listen);
    *made = str_format("%s%s", text, colon);
    return true;
}
