/* common/net/guard.c - rules for customers' targets. */
#include "net/guard.h"

#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "net/addresses.h"

/*
 * Networks outside the public internet, from the IANA registries of special-purpose addresses
 * (iana-ipv4-special-registry, iana-ipv6-special-registry, read in 2026-08).
 */
/* clang-format off */
static const struct network {
    const char *cidr;
    const char *what;
} denied_ipv4[] = {
    { "0.0.0.0/8",          "this network, RFC 791" },
    { "10.0.0.0/8",         "private, RFC 1918" },
    { "100.64.0.0/10",      "shared by carriers, RFC 6598; metadata of one cloud" },
    { "127.0.0.0/8",        "loopback, RFC 1122" },
    { "168.63.129.16",      "a cloud's fabric behind an address that looks public" },
    { "169.254.0.0/16",     "link local, RFC 3927; metadata of clouds" },
    { "172.16.0.0/12",      "private, RFC 1918" },
    { "192.0.0.0/24",       "protocol assignments, RFC 6890; metadata of one cloud" },
    { "192.0.2.0/24",       "documentation, RFC 5737" },
    { "192.31.196.0/24",    "AS112, RFC 7535" },
    { "192.52.193.0/24",    "AMT relays, RFC 7450" },
    { "192.88.99.0/24",     "6to4 relays, RFC 7526" },
    { "192.168.0.0/16",     "private, RFC 1918" },
    { "192.175.48.0/24",    "AS112, RFC 7534" },
    { "198.18.0.0/15",      "benchmarks, RFC 2544" },
    { "198.51.100.0/24",    "documentation, RFC 5737" },
    { "203.0.113.0/24",     "documentation, RFC 5737" },
    { "224.0.0.0/4",        "multicast, RFC 5771" },
    { "240.0.0.0/4",        "reserved, RFC 1112; broadcast" },
};

/* In IPv6, the public internet is 2000::/3 without these. */
static const struct network denied_ipv6[] = {
    { "2001::/23",          "protocol assignments, RFC 2928: Teredo, benchmarks, ORCHID, DRIP" },
    { "2001:db8::/32",      "documentation, RFC 3849" },
    { "2002::/16",          "6to4, RFC 3056" },
    { "2620:4f:8000::/48",  "AS112, RFC 7534" },
    { "3fff::/20",          "documentation, RFC 9637" },
};

/* Names with a meaning only on a local machine or network. */
static const char *const denied_names[] = {
    "localhost",       /* RFC 6761 */
    "local",           /* RFC 6762 */
    "internal",        /* reserved by ICANN for private use, 2024 */
    "home.arpa",       /* RFC 8375 */
    "onion",           /* RFC 7686 */
    "metadata",
};

/* Common ports of web servers. */
static const uint16_t web_ports[] = { 80, 443, 8000, 8008, 8080, 8081, 8443, 8888, 9443 };

/*
 * Ports registered for protocols with TLS from the first byte (IANA, read in 2026-08), and ports of
 * mail, where STARTTLS starts TLS (RFC 2595, 3207).
 */
static const uint16_t tls_ports[] = { 25,  110, 143, 261, 443, 448, 465, 563, 587, 614, 636,
                                      684, 695, 832, 853, 989, 990, 992, 993, 994, 995 };
/* clang-format on */

enum {
    FIRST_USER_PORT = 1024,
    PORT_LIST_BYTES = 256, /* of a message */
};

/* ---- the operator's rules ---- */

static size_t count_items(const struct conf *conf, const char *key)
{
    size_t count = 0;
    while (conf_item(conf, key, count))
        count++;
    return count;
}

static void read_deny_hosts(const struct conf *conf, struct guard *guard)
{
    size_t count = count_items(conf, "egress.deny_hosts");
    guard->deny_host = mem_array(count + 1, sizeof(*guard->deny_host));
    for (size_t i = 0; i < count; i++)
        guard->deny_host[guard->deny_host_count++] =
            str_dup(conf_item(conf, "egress.deny_hosts", i));
}

static bool read_ports(const struct conf *conf, struct guard *guard, struct err *err)
{
    size_t count = count_items(conf, "egress.ports");
    guard->port = mem_array(count + 1, sizeof(*guard->port));
    for (size_t i = 0; i < count; i++) {
        const char *item = conf_item(conf, "egress.ports", i);
        int64_t port;
        if (strcmp(item, "*") == 0)
            guard->has_all_ports = true;
        else if (num_parse(text_of(item), UINT16_MAX, &port) && port > 0)
            guard->port[guard->port_count++] = (uint16_t)port;
        else
            return err_set(err, ERR_INVALID_VALUE, "egress.ports: item %zu must be a port or *",
                           i + 1);
    }
    return true;
}

bool guard_read(const struct conf *conf, struct guard *guard, struct err *err)
{
    scoped(guard_free) struct guard fresh = { 0 };
    read_deny_hosts(conf, &fresh);
    if (!conf_networks(conf, "egress.allow", &fresh.allow, err) ||
        !conf_networks(conf, "egress.deny", &fresh.deny, err) ||
        !conf_networks(conf, "egress.only", &fresh.only, err) || !read_ports(conf, &fresh, err))
        return false;
    *guard = fresh;
    fresh = (struct guard){ 0 };
    return true;
}

void guard_free(struct guard *guard)
{
    cidrs_free(&guard->allow);
    cidrs_free(&guard->deny);
    cidrs_free(&guard->only);
    for (size_t i = 0; i < guard->deny_host_count; i++)
        mem_free(&guard->deny_host[i]);
    mem_free(&guard->deny_host);
    mem_free(&guard->port);
    *guard = (struct guard){ 0 };
}

/* ---- addresses ---- */

static bool is_in(const char *network, const struct in6_addr *address)
{
    struct cidr cidr;
    return cidr_parse(text_of(network), &cidr, NULL) && cidr_has(&cidr, address);
}

static bool is_in_any(const struct network *networks, size_t count, const struct in6_addr *address)
{
    for (size_t i = 0; i < count; i++)
        if (is_in(networks[i].cidr, address))
            return true;
    return false;
}

static struct in6_addr ipv4_at(const struct in6_addr *address, size_t at, uint8_t mask)
{
    struct in_addr ipv4;
    uint8_t *bytes = (uint8_t *)&ipv4;
    for (size_t i = 0; i < sizeof(ipv4); i++)
        bytes[i] = address->s6_addr[at + i] ^ mask;
    return address_of_ipv4(ipv4);
}

/* ISATAP (RFC 5214 section 6.1): the interface identifier is 0000:5efe or 0200:5efe and an IPv4
 * address. */
static bool is_isatap(const struct in6_addr *address)
{
    const uint8_t *id = address->s6_addr + 8;
    return (id[0] & ~2) == 0 && id[1] == 0 && id[2] == 0x5e && id[3] == 0xfe;
}

/* The IPv4 address inside an IPv6 address, in any form except the mapped one, which counts as IPv4
 * anyway. */
static bool find_embedded(const struct in6_addr *address, struct in6_addr *ipv4)
{
    /* clang-format off */
    static const struct {
        const char *network;
        size_t at;
        uint8_t mask;
    } forms[] = {
        { "::/96",           12, 0 },    /* compatible, RFC 4291 section 2.5.5.1 */
        { "::ffff:0:0:0/96", 12, 0 },    /* translated, RFC 2765 */
        { "64:ff9b::/96",    12, 0 },    /* NAT64, RFC 6052 */
        { "2001::/32",       12, 0xff }, /* Teredo, RFC 4380: inverted bits */
        { "2002::/16",        2, 0 },    /* 6to4, RFC 3056 */
    };
    /* clang-format on */
    for (size_t i = 0; i < countof(forms); i++)
        if (is_in(forms[i].network, address)) {
            *ipv4 = ipv4_at(address, forms[i].at, forms[i].mask);
            return true;
        }
    if (!is_isatap(address))
        return false;
    *ipv4 = ipv4_at(address, 12, 0);
    return true;
}

static bool is_public(const struct in6_addr *address)
{
    struct in6_addr ipv4;
    if (address_is_ipv4(address))
        return !is_in_any(denied_ipv4, countof(denied_ipv4), address);
    return is_in("2000::/3", address) && !find_embedded(address, &ipv4) &&
           !is_in_any(denied_ipv6, countof(denied_ipv6), address);
}

bool guard_allows_address(const struct guard *guard, const struct in6_addr *address)
{
    struct in6_addr ipv4;
    if (cidrs_have(&guard->deny, address))
        return false;
    if (is_public(address))
        return true;
    if (!cidrs_have(&guard->allow, address))
        return false;
    /*
     * An operator behind NAT64 allows its prefix, which must not open internal networks. An IPv6
     * loopback contains no IPv4 address, although it looks like one.
     */
    return IN6_IS_ADDR_LOOPBACK(address) || !find_embedded(address, &ipv4) ||
           guard_allows_address(guard, &ipv4);
}

bool guard_allows_sockaddr(const struct guard *guard, const struct sockaddr *sockaddr)
{
    struct in6_addr address;
    return address_of_sockaddr(sockaddr, &address) && guard_allows_address(guard, &address);
}

bool guard_is_inside(const struct guard *guard, const struct sockaddr *sockaddr)
{
    struct in6_addr address;
    return guard->only.count == 0 ||
           (address_of_sockaddr(sockaddr, &address) && cidrs_have(&guard->only, &address));
}

/* ---- names and ports ---- */

static bool is_below(const char *name, const char *suffix)
{
    size_t name_bytes = strlen(name);
    size_t suffix_bytes = strlen(suffix);
    if (name_bytes < suffix_bytes || strcasecmp(name + name_bytes - suffix_bytes, suffix) != 0)
        return false;
    return name_bytes == suffix_bytes || name[name_bytes - suffix_bytes - 1] == '.';
}

bool guard_allows_name(const struct guard *guard, const char *name)
{
    if (!strchr(name, '.'))
        return false;
    for (size_t i = 0; i < countof(denied_names); i++)
        if (is_below(name, denied_names[i]))
            return false;
    for (size_t i = 0; i < guard->deny_host_count; i++)
        if (is_below(name, guard->deny_host[i]))
            return false;
    return true;
}

static bool has_port(const uint16_t *ports, size_t count, uint16_t port)
{
    for (size_t i = 0; i < count; i++)
        if (ports[i] == port)
            return true;
    return false;
}

bool guard_allows_port(const struct guard *guard, enum guard_ports ports, uint16_t port)
{
    if (port == 0)
        return false;
    if (guard->has_all_ports || has_port(guard->port, guard->port_count, port))
        return true;
    if (ports == GUARD_TLS)
        return port >= FIRST_USER_PORT || has_port(tls_ports, countof(tls_ports), port);
    return has_port(web_ports, countof(web_ports), port);
}

bool guard_refuse(struct err *err)
{
    return err_set(err, ERR_TARGET_NOT_ALLOWED,
                   "the target is not allowed: it must be a public host on the internet");
}

static void list_ports(struct buf *out, const uint16_t *ports, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_format(out, "%s%u", i > 0 ? ", " : "", ports[i]);
}

bool guard_check_port(const struct guard *guard, enum guard_ports ports, uint16_t port,
                      struct err *err)
{
    scoped(buf_free) struct buf list = BUF(PORT_LIST_BYTES);
    if (guard_allows_port(guard, ports, port))
        return true;
    if (ports == GUARD_TLS)
        list_ports(&list, tls_ports, countof(tls_ports));
    else
        list_ports(&list, web_ports, countof(web_ports));
    return err_set(err, ERR_PORT_NOT_ALLOWED, "port %u is not allowed; allowed ports: %s%s", port,
                   buf_str(&list), ports == GUARD_TLS ? ", and 1024 or above" : "");
}
