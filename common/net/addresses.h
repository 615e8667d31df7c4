/*
 * common/net/addresses.h - the addresses of a name: resolvers give them, net/guard.h judges them, a
 * trip keeps them.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum { ADDRESSES_MAX = 64 };

/* By value; a zero struct has none. IPv4 ones are in their mapped form. */
struct addresses {
    size_t count;
    struct in6_addr item[ADDRESSES_MAX];
    bool is_cut; /* there are more; never so for what may be connected to */
};

/* Add one behind the others; where there is no place left, only is_cut says so. */
void addresses_add(struct addresses *addresses, const struct in6_addr *address);

/* The address in a sockaddr; false for families other than IP. */
bool address_of_sockaddr(const struct sockaddr *sockaddr, struct in6_addr *address);
