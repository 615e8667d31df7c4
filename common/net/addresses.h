/*
 * common/net/addresses.h - the addresses of a name. Resolvers return them, net/guard.h checks them,
 * and an egress session keeps them.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum { ADDRESSES_MAX = 64 };

/* By value; a zero struct has none. IPv4 addresses are IPv4-mapped. */
struct addresses {
    size_t count;
    struct in6_addr item[ADDRESSES_MAX];
    bool is_cut; /* there are more; never set for addresses that may be connected to */
};

/* Append an address. If the list is full, only is_cut is set. */
void addresses_add(struct addresses *addresses, const struct in6_addr *address);

/* The address in a sockaddr; false for families other than IP. */
bool address_of_sockaddr(const struct sockaddr *sockaddr, struct in6_addr *address);
