/*
 * common/base/codec/cidr.h - IP addresses and lists of networks: "10.0.0.0/8", "::1/128",
 * "192.0.2.7".
 *
 * An address is a struct in6_addr; an IPv4 one stands in its IPv4-mapped form (RFC 4291 section
 * 2.5.5.2), so ::ffff:10.0.0.1 and 10.0.0.1 are the same address. The families do not mix: ::/0
 * holds every IPv6 address and no IPv4 one.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct cidr {
    struct in6_addr network;
    unsigned prefix; /* bits of the 128; a prefix of an IPv4 network is 96 more */
};

/* A list of networks. Zero is an empty list, which holds no address. */
struct cidrs {
    size_t count;
    struct cidr *item;
};

/* "192.0.2.7", "2001:db8::7" or "::ffff:192.0.2.7": no brackets, port, zone or blank; false for
 * anything else, and then *address is left alone. */
bool address_parse(struct text text, struct in6_addr *address) must_check;

struct in6_addr address_of_ipv4(struct in_addr ipv4);
bool address_is_ipv4(const struct in6_addr *address);

/* An address, or an address, a slash and the length of the prefix in plain digits. Errors:
 * ERR_INVALID_VALUE for anything else and for a network with bits set behind its prefix. */
bool cidr_parse(struct text text, struct cidr *cidr, struct err *err) must_check;

bool cidr_has(const struct cidr *cidr, const struct in6_addr *address);

/* Add one network to a list, which the caller releases. Errors as cidr_parse(). */
bool cidrs_add(struct cidrs *list, struct text text, struct err *err) must_check;

/* Is the address in any network of the list? */
bool cidrs_have(const struct cidrs *list, const struct in6_addr *address);

void cidrs_free(struct cidrs *list);
