/*
 * common/base/codec/cidr.h - IP addresses and lists of networks: "10.0.0.0/8", "::1/128",
 * "192.0.2.7".
 *
 * An address is a struct in6_addr. IPv4 addresses are IPv4-mapped (RFC 4291 section 2.5.5.2), so
 * ::ffff:10.0.0.1 and 10.0.0.1 are equal. The families do not mix: ::/0 contains every IPv6 address
 * and no IPv4 address.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct cidr {
    struct in6_addr network;
    unsigned prefix; /* of 128 bits; 96 more than an IPv4 prefix */
};

/* A list of networks. Zero is an empty list. */
struct cidrs {
    size_t count;
    struct cidr *item;
};

/*
 * "192.0.2.7", "2001:db8::7" or "::ffff:192.0.2.7", without brackets, port, zone or blank. For any
 * other text returns false and leaves *address unchanged.
 */
bool address_parse(struct text text, struct in6_addr *address) must_check;

struct in6_addr address_of_ipv4(struct in_addr ipv4);
bool address_is_ipv4(const struct in6_addr *address);

/* "192.0.2.7" or "2001:db8::7". */
void address_format(char text[static INET6_ADDRSTRLEN], const struct in6_addr *address);

/* A number to choose a place in a table of addresses; not keyed, so a client can choose it. */
uint64_t address_hash(const struct in6_addr *address);

/*
 * An address, or an address, a slash and a prefix length in plain digits. Errors: ERR_INVALID_VALUE
 * for any other text, and for a network with bits set after its prefix.
 */
bool cidr_parse(struct text text, struct cidr *cidr, struct err *err) must_check;

bool cidr_has(const struct cidr *cidr, const struct in6_addr *address);

/* "10.0.0.0/8", "2001:db8::7/128": always with the prefix. */
enum { CIDR_TEXT_BYTES = INET6_ADDRSTRLEN + 4 };
void cidr_format(char text[static CIDR_TEXT_BYTES], const struct cidr *cidr);

/* Add one network to a list, which the caller releases. Errors as cidr_parse(). */
bool cidrs_add(struct cidrs *list, struct text text, struct err *err) must_check;

/* Is the address in any network of the list? */
bool cidrs_have(const struct cidrs *list, const struct in6_addr *address);

void cidrs_free(struct cidrs *list);
