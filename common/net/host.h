/*
 * common/net/host.h - hosts and domains as customers write them, in one canonical form.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { HOST_BYTES = 256 /* a name of 253 octets, with the final NUL */ };

struct host {
    char name[HOST_BYTES]; /* lower-case A-labels without final dot; or the address: dotted, or as
                            * RFC 5952 without brackets */
    bool is_address;
    struct in6_addr address; /* when is_address; IPv4 in its mapped form */
};

/* A host field: a name of at least two labels, or an IP address (IPv6 with or without brackets).
 * White space around it is dropped. Errors: ERR_INVALID_HOST. */
bool host_parse(struct text text, struct host *host, struct err *err) must_check;

/* What a domain field may be beside an ordinary name of two labels or more. */
enum domain_rules {
    DOMAIN_PLAIN = 0,
    DOMAIN_UNDERSCORE = 1 << 0, /* _dmarc.example.com */
    DOMAIN_TOP = 1 << 1,        /* com, and the root, which is "." */
};

/* A domain field. White space around it and one final dot are dropped, IDN becomes A-labels.
 * Errors: ERR_INVALID_DOMAIN; for an IP address the sentence says so. */
bool domain_parse(struct text text, unsigned rules, char name[static HOST_BYTES],
                  struct err *err) must_check;

/*
 * The host of a URL, percent-decoded, IPv6 in brackets: IDN becomes A-labels, one final dot goes,
 * and what ends in a number must be an IPv4 address in one of its spellings (WHATWG URL, host
 * parsing), which becomes the dotted one. Returns what is wrong, "must …"; NULL: nothing.
 */
const char *host_read(struct text raw, struct host *host);

/* The host of that address. */
void host_of_address(const struct in6_addr *address, struct host *host);

/* "host:port", an IPv6 address in brackets, for Host headers and messages; port 0 is left out. */
enum { AUTHORITY_BYTES = HOST_BYTES + 8 };
void host_authority(const struct host *host, uint16_t port, char out[static AUTHORITY_BYTES]);
