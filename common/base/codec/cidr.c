/* common/base/codec/cidr.c - networks, compared as prefixes of 128 bits. */
#include "base/codec/cidr.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { ADDRESS_BITS = 128, IPV4_PREFIX = 96 };

struct in6_addr address_of_ipv4(struct in_addr ipv4)
{
    struct in6_addr mapped = { .s6_addr = { [10] = 0xff, [11] = 0xff } };
    memcpy(&mapped.s6_addr[IPV4_PREFIX / 8], &ipv4.s_addr, sizeof(ipv4.s_addr));
    return mapped;
}

bool address_is_ipv4(const struct in6_addr *address)
{
    return IN6_IS_ADDR_V4MAPPED(address);
}

bool address_parse(struct text text, struct in6_addr *address)
{
    char string[INET6_ADDRSTRLEN];
    struct in_addr ipv4;
    struct in6_addr ipv6;

    if (text.size >= sizeof(string) || memchr(text.bytes, '\0', text.size))
        return false;
    memcpy(string, text.bytes, text.size);
    string[text.size] = '\0';
    if (inet_pton(AF_INET, string, &ipv4) == 1)
        *address = address_of_ipv4(ipv4);
    else if (inet_pton(AF_INET6, string, &ipv6) == 1)
        *address = ipv6;
    else
        return false;
    return true;
}

void address_format(char text[static INET6_ADDRSTRLEN], const struct in6_addr *address)
{
    if (address_is_ipv4(address))
        inet_ntop(AF_INET, &address->s6_addr[IPV4_PREFIX / 8], text, INET6_ADDRSTRLEN);
    else
        inet_ntop(AF_INET6, address, text, INET6_ADDRSTRLEN);
}

uint64_t address_hash(const struct in6_addr *address)
{
    const uint64_t mix =
        0x9e3779b97f4a7c15; /* 2^64 divided by the golden ratio: Fibonacci hashing */
    uint64_t half[2];
    memcpy(half, address, sizeof(half));
    uint64_t number = (half[0] * mix ^ half[1]) * mix;
    return number ^ number >> 32;
}

/* Are the first bits of both the same? */
static bool same_prefix(const struct in6_addr *a, const struct in6_addr *b, unsigned bits)
{
    unsigned bytes = bits / 8;
    unsigned rest = bits % 8;
    if (memcmp(a->s6_addr, b->s6_addr, bytes) != 0)
        return false;
    return rest == 0 || (a->s6_addr[bytes] ^ b->s6_addr[bytes]) >> (8 - rest) == 0;
}

static bool ends_at_prefix(const struct cidr *cidr)
{
    for (unsigned bit = cidr->prefix; bit < ADDRESS_BITS; bit++)
        if (cidr->network.s6_addr[bit / 8] & (0x80 >> bit % 8))
            return false;
    return true;
}

/* The prefix length in the digits after the slash; false if it is invalid. */
static bool parse_prefix(struct text digits, bool dotted, unsigned *prefix)
{
    int64_t bits;
    if (!num_parse(digits, dotted ? ADDRESS_BITS - IPV4_PREFIX : ADDRESS_BITS, &bits))
        return false;
    *prefix = (unsigned)bits + (dotted ? IPV4_PREFIX : 0);
    return true;
}

bool cidr_parse(struct text text, struct cidr *cidr, struct err *err)
{
    const char *slash = text.size ? memchr(text.bytes, '/', text.size) : NULL;
    size_t address_bytes = slash ? (size_t)(slash - text.bytes) : text.size;
    struct text address = { text.bytes, address_bytes };
    struct cidr parsed = { .prefix = ADDRESS_BITS };
    int shown = (int)MIN(text.size, (size_t)60);

    bool ok = address_parse(address, &parsed.network);
    if (ok && slash) {
        struct text digits = { slash + 1, text.size - address_bytes - 1 };
        bool dotted = !memchr(address.bytes, ':', address.size);
        ok = parse_prefix(digits, dotted, &parsed.prefix);
    }
    if (!ok)
        return err_set(err, ERR_INVALID_VALUE,
                       "%.*s is no IP address or network such as "
                       "10.0.0.0/8",
                       shown, text.bytes);
    if (!ends_at_prefix(&parsed))
        return err_set(err, ERR_INVALID_VALUE, "network %.*s has bits set behind its prefix", shown,
                       text.bytes);
    *cidr = parsed;
    return true;
}

bool cidr_has(const struct cidr *cidr, const struct in6_addr *address)
{
    return address_is_ipv4(&cidr->network) == address_is_ipv4(address) &&
           same_prefix(&cidr->network, address, cidr->prefix);
}

void cidr_format(char text[static CIDR_TEXT_BYTES], const struct cidr *cidr)
{
    char address[INET6_ADDRSTRLEN];
    bool is_ipv4 = address_is_ipv4(&cidr->network);
    address_format(address, &cidr->network);
    snprintf(text, CIDR_TEXT_BYTES, "%s/%u", address,
             is_ipv4 ? cidr->prefix - IPV4_PREFIX : cidr->prefix);
}

bool cidrs_add(struct cidrs *list, struct text text, struct err *err)
{
    struct cidr cidr;
    if (!cidr_parse(text, &cidr, err))
        return false;
    list->item = mem_resize(list->item, (list->count + 1) * sizeof(*list->item));
    list->item[list->count++] = cidr;
    return true;
}

bool cidrs_have(const struct cidrs *list, const struct in6_addr *address)
{
    for (size_t i = 0; i < list->count; i++)
        if (cidr_has(&list->item[i], address))
            return true;
    return false;
}

void cidrs_free(struct cidrs *list)
{
    mem_free(&list->item);
    list->count = 0;
}
