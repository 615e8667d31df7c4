/* common/net/host.h - hosts and domains from customers, in one canonical form. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { HOST_BYTES = 256 /* a name of 253 octets and a NUL */ };

struct host {
    char name[HOST_BYTES]; /* lowercase A-labels without a final dot; or the address: dotted, or as
                              in RFC 5952 without brackets */
    bool is_address;
    struct in6_addr address; /* valid if is_address; IPv4 is IPv4-mapped */
};

/*
 * Parse a host field: a name with at least two labels, or an IP address (IPv6 with or without
 * brackets). Outer white space is dropped. Errors: ERR_INVALID_HOST.
 */
bool host_parse(struct text text, struct host *host, struct err *err) must_check;

/* Extra forms of a domain field, in addition to names with at least two labels. */
enum domain_rules {
    DOMAIN_PLAIN = 0,
    DOMAIN_UNDERSCORE = 1 << 0, /* _dmarc.example.com */
    DOMAIN_TOP = 1 << 1,        /* com, and the root, which is "." */
};

/*
 * Parse a domain field. Outer white space and one final dot are dropped, and IDN becomes A-labels.
 * Errors: ERR_INVALID_DOMAIN; the message says so for an IP address.
 */
bool domain_parse(struct text text, unsigned rules, char name[static HOST_BYTES],
                  struct err *err) must_check;

/*
 * Read the host of a URL, percent-decoded, with IPv6 in brackets. IDN becomes A-labels, and one
 * final dot is dropped. A host that ends in a number must be an IPv4 address in any notation
 * (WHATWG URL, host parsing), which becomes dotted. Returns the problem, "must …"; NULL: valid.
 */
const char *host_read(struct text raw, struct host *host);

/* Make a host from an address. */
void host_of_address(const struct in6_addr *address, struct host *host);

/* "host:port" for Host headers and messages, with IPv6 in brackets; port 0 is omitted. */
enum { AUTHORITY_BYTES = HOST_BYTES + 8 };
void host_authority(const struct host *host, uint16_t port, char out[static AUTHORITY_BYTES]);
