/* tests/unit/net/guard.c - the targets that customers may reach: each network's edges, names,
 * ports. */
#include "net/guard.h"

#include <string.h>

#include "world.h"

/* ---- addresses ---- */

static const struct address_row {
    const char *name; /* the address itself */
    bool public;
} addresses[] = {
    /* the edges of what is denied, and their neighbors */
    { "0.0.0.0", false },
    { "0.255.255.255", false },
    { "1.0.0.0", true },
    { "9.255.255.255", true },
    { "10.0.0.0", false },
    { "10.255.255.255", false },
    { "11.0.0.0", true },
    { "100.63.255.255", true },
    { "100.64.0.0", false },
    { "100.100.100.200", false },
    { "100.127.255.255", false },
    { "100.128.0.0", true },
    { "126.255.255.255", true },
    { "127.0.0.0", false },
    { "127.0.0.1", false },
    { "127.255.255.255", false },
    { "128.0.0.0", true },
    { "168.63.129.15", true },
    { "168.63.129.16", false },
    { "168.63.129.17", true },
    { "169.253.255.255", true },
    { "169.254.0.0", false },
    { "169.254.169.254", false },
    { "169.254.170.2", false },
    { "169.254.255.255", false },
    { "169.255.0.0", true },
    { "172.15.255.255", true },
    { "172.16.0.0", false },
    { "172.31.255.255", false },
    { "172.32.0.0", true },
    { "191.255.255.255", true },
    { "192.0.0.0", false },
    { "192.0.0.192", false },
    { "192.0.0.255", false },
    { "192.0.1.0", true },
    { "192.0.2.0", false },
    { "192.0.2.255", false },
    { "192.0.3.0", true },
    { "192.31.195.255", true },
    { "192.31.196.0", false },
    { "192.31.196.255", false },
    { "192.31.197.0", true },
    { "192.52.192.255", true },
    { "192.52.193.0", false },
    { "192.52.193.255", false },
    { "192.52.194.0", true },
    { "192.88.98.255", true },
    { "192.88.99.0", false },
    { "192.88.99.255", false },
    { "192.88.100.0", true },
    { "192.167.255.255", true },
    { "192.168.0.0", false },
    { "192.168.255.255", false },
    { "192.169.0.0", true },
    { "192.175.47.255", true },
    { "192.175.48.0", false },
    { "192.175.48.255", false },
    { "192.175.49.0", true },
    { "198.17.255.255", true },
    { "198.18.0.0", false },
    { "198.19.255.255", false },
    { "198.20.0.0", true },
    { "198.51.99.255", true },
    { "198.51.100.0", false },
    { "198.51.100.255", false },
    { "198.51.101.0", true },
    { "203.0.112.255", true },
    { "203.0.113.0", false },
    { "203.0.113.255", false },
    { "203.0.114.0", true },
    { "223.255.255.255", true },
    { "224.0.0.0", false },
    { "239.255.255.255", false },
    { "240.0.0.0", false },
    { "254.255.255.255", false },
    { "255.255.255.255", false },
    { "::", false },
    { "::1", false },
    { "::2", false },
    { "::7f00:1", false },
    { "::808:808", false },
    { "::ffff:0:7f00:1", false },
    { "::ffff:0:808:808", false },
    { "64:ff9b::7f00:1", false },
    { "64:ff9b::808:808", false },
    { "64:ff9b:1::1", false },
    { "100::1", false },
    { "100:0:0:1::1", false },
    { "1fff:ffff::1", false },
    { "2000::1", true },
    { "2001::1", false },
    { "2001:0:4136:e378:8000:63bf:3fff:fdd2", false },
    { "2001:1ff:ffff::1", false },
    { "2001:200::1", true },
    { "2001:db7:ffff::1", true },
    { "2001:db8::1", false },
    { "2001:db8:ffff::1", false },
    { "2001:db9::1", true },
    { "2001:ffff::1", true },
    { "2002::1", false },
    { "2002:7f00:1::1", false },
    { "2002:808:808::1", false },
    { "2002:ffff:ffff::1", false },
    { "2003::1", true },
    { "2620:4f:7fff::1", true },
    { "2620:4f:8000::1", false },
    { "2620:4f:8000:ffff::1", false },
    { "2620:4f:8001::1", true },
    { "3ffe::1", true },
    { "3fff::1", false },
    { "3fff:fff::1", false },
    { "3fff:1000::1", true },
    { "4000::1", false },
    { "5f00::1", false },
    { "8000::1", false },
    { "fc00::1", false },
    { "fd00:ec2::254", false },
    { "fd20:ce::254", false },
    { "fe80::1", false },
    { "febf::1", false },
    { "fec0::1", false },
    { "ff02::1", false },
    { "ffff::1", false },
    { "2600::5efe:7f00:1", false },
    { "2600::5efe:808:808", false },
    { "2600::200:5efe:7f00:1", false },
    { "2600::200:5efe:808:808", false },
    { "2600::100:5efe:808:808", true },
    { "2600::5eff:808:808", true },
    { "::ffff:127.0.0.1", false },
    { "::ffff:10.0.0.1", false },
    { "::ffff:8.8.8.8", true },
    { "8.8.8.8", true },
    { "2606:4700:4700::1111", true },
};

static void check_address(void **state)
{
    const struct address_row *row = *state;
    static const struct guard guard;
    struct in6_addr address;
    assert_true(address_parse(text_of(row->name), &address));
    assert_int_equal(guard_allows_address(&guard, &address), row->public);
}

/* ---- what the operator changes ---- */

static const struct operator_row {
    const char *name;
    const char *settings;
    const char *address;
    bool allowed;
} operators[] = {
    { "allowed although special", "ALLOW=10.0.0.0/8", "10.1.2.3", true },
    { "but only that", "ALLOW=10.0.0.0/8", "192.168.0.1", false },
    { "denied although public", "DENY=8.8.8.0/24", "8.8.8.8", false },
    { "deny wins", "ALLOW=127.0.0.0/8;DENY=127.0.0.9", "127.0.0.9", false },
    { "and spares the rest", "ALLOW=127.0.0.0/8;DENY=127.0.0.9", "127.0.0.8", true },
    { "deny of IPv6", "DENY=2606:4700::/32", "2606:4700::1", false },
    { "the loopback of IPv6", "ALLOW=::1", "::1", true },
    { "NAT64 to a public address", "ALLOW=64:ff9b::/96", "64:ff9b::808:808", true },
    { "NAT64 to an inner one", "ALLOW=64:ff9b::/96", "64:ff9b::a00:1", false },
    { "6to4 of an inner one", "ALLOW=2002::/16", "2002:a00:1::1", false },
    { "Teredo of an inner one", "ALLOW=2001::/32", "2001::f5ff:fffe", false },
    { "NAT64 to what is denied", "ALLOW=64:ff9b::/96;DENY=8.8.8.8", "64:ff9b::808:808", false },
    { "mapped and denied", "DENY=8.8.8.8", "::ffff:8.8.8.8", false },
    { "::/0 has no IPv4", "ALLOW=::/0", "127.0.0.1", false },
};

static void check_operator(void **state)
{
    const struct operator_row *row = *state;
    struct in6_addr address;
    unsetenv("TOLLGATE_EGRESS_ALLOW");
    unsetenv("TOLLGATE_EGRESS_DENY");
    scoped(egress_close) struct egress *egress = egress_of(row->settings);
    assert_true(address_parse(text_of(row->address), &address));
    assert_int_equal(guard_allows_address(egress_guard(egress), &address), row->allowed);
}

/* ---- names ---- */

static const struct name_row {
    const char *name;
    bool allowed;
} host_names[] = {
    { "example.com", true },
    { "localhost", false },
    { "a.localhost", false },
    { "a.b.localhost", false },
    { "notlocalhost.com", true },
    { "localhost.com", true },
    { "printer.local", false },
    { "local", false },
    { "local.example.com", true },
    { "xlocal.com", true },
    { "db.internal", false },
    { "internal.example.com", true },
    { "metadata.google.internal", false },
    { "router.home.arpa", false },
    { "home.arpa", false },
    { "1.0.0.10.in-addr.arpa", true },
    { "abc.onion", false },
    { "metadata", false },
    { "intranet", false },
    { "metadata.example.com", true },
    { "opted-out.com", false },
    { "www.opted-out.com", false },
    { "notopted-out.com", true },
    { "Opted.Example", false },
    { "a.opted.example", false },
};

static void check_name(void **state)
{
    const struct name_row *row = *state;
    scoped(egress_close) struct egress *egress =
        egress_of("ALLOW=;DENY=;DENY_HOSTS=opted-out.com,opted.example");
    assert_int_equal(guard_allows_name(egress_guard(egress), row->name), row->allowed);
}

/* ---- ports ---- */

static const struct port_row {
    const char *name;
    const char *settings;
    uint16_t port;
    bool web;
    bool tls;
} ports[] = {
    { "http", "PORTS=", 80, true, false },
    { "https", "PORTS=", 443, true, true },
    { "8000", "PORTS=", 8000, true, true },
    { "8008", "PORTS=", 8008, true, true },
    { "8080", "PORTS=", 8080, true, true },
    { "8081", "PORTS=", 8081, true, true },
    { "8443", "PORTS=", 8443, true, true },
    { "8888", "PORTS=", 8888, true, true },
    { "9443", "PORTS=", 9443, true, true },
    { "ssh", "PORTS=", 22, false, false },
    { "ssh", "PORTS=", 22, false, false },
    { "smtp, by STARTTLS", "PORTS=", 25, false, true },
    { "pop3, by STARTTLS", "PORTS=", 110, false, true },
    { "imap, by STARTTLS", "PORTS=", 143, false, true },
    { "submission, by STARTTLS", "PORTS=", 587, false, true },
    { "smtps", "PORTS=", 465, false, true },
    { "ldaps", "PORTS=", 636, false, true },
    { "imaps", "PORTS=", 993, false, true },
    { "dot", "PORTS=", 853, false, true },
    { "996", "PORTS=", 996, false, false },
    { "1023", "PORTS=", 1023, false, false },
    { "1024", "PORTS=", 1024, false, true },
    { "redis", "PORTS=", 6379, false, true },
    { "65535", "PORTS=", 65535, false, true },
    { "0", "PORTS=*", 0, false, false },
    { "the operator's", "PORTS=81,82", 82, true, true },
    { "next to the usual ones", "PORTS=81,82", 80, true, false },
    { "any", "PORTS=*", 22, true, true },
};

static void check_port(void **state)
{
    const struct port_row *row = *state;
    scoped(egress_close) struct egress *egress = egress_of(row->settings);
    const struct guard *guard = egress_guard(egress);
    struct err err = { 0 };
    assert_int_equal(guard_allows_port(guard, GUARD_WEB, row->port), row->web);
    assert_int_equal(guard_allows_port(guard, GUARD_TLS, row->port), row->tls);
    assert_int_equal(guard_check_port(guard, GUARD_WEB, row->port, &err), row->web);
    assert_string_equal(err_code(err.kind), row->web ? "" : "port_not_allowed");
}

/* A rejection lists every allowed port below 1024. */
static void check_port_list(void **state)
{
    scoped(egress_close) struct egress *egress = egress_of("PORTS=");
    const struct guard *guard = egress_guard(egress);
    struct err err = { 0 };
    char item[8];

    (void)state;
    assert_false(guard_check_port(guard, GUARD_WEB, 22, &err));
    assert_string_equal(err.message, "port 22 is not allowed; allowed ports: 80, 443, 8000, 8008, "
                                     "8080, 8081, 8443, 8888, 9443");
    assert_false(guard_check_port(guard, GUARD_TLS, 22, &err));
    assert_string_equal(strrchr(err.message, ','), ", and 1024 or above");
    for (unsigned port = 1; port < 1024; port++) {
        snprintf(item, sizeof(item), " %u,", port);
        assert_int_equal(strstr(err.message, item) != NULL,
                         guard_allows_port(guard, GUARD_TLS, (uint16_t)port));
    }
}

/* ---- bad configuration ---- */

static const struct bad_row {
    const char *name;
    const char *variable;
    const char *value;
    const char *want; /* in the sentence */
} bad[] = {
    { "no network", "TOLLGATE_EGRESS_DENY", "10.0.0.0/8,nonsense", "egress.deny: item 2" },
    { "bits behind the prefix", "TOLLGATE_EGRESS_ALLOW", "10.0.0.1/8", "egress.allow: item 1" },
    { "no port", "TOLLGATE_EGRESS_PORTS", "80,x", "egress.ports: item 2" },
    { "port 0", "TOLLGATE_EGRESS_PORTS", "0", "egress.ports: item 1" },
    { "no resolver of that name", "TOLLGATE_EGRESS_RESOLVER", "dns", "egress.resolver" },
    { "a resolver in the clear", "TOLLGATE_EGRESS_DOH_URLS", "http://1.1.1.1/", "egress.doh_urls" },
    { "no resolver", "TOLLGATE_EGRESS_DOH_URLS", "", "egress.doh_urls" },
    { "no certificates", "TOLLGATE_EGRESS_CA_FILE", "/dev/null", "egress.ca_file" },
    { "no such certificates", "TOLLGATE_EGRESS_DOH_CA_FILE", "/no/such", "egress.doh_ca_file" },
};

static void check_bad(void **state)
{
    const struct bad_row *row = *state;
    scoped(conf_free) struct conf *conf = NULL;
    struct egress *egress = NULL;
    struct err err = { 0 };
    setenv(row->variable, row->value, 1);
    assert_true(conf_load(NULL, &conf, &err));
    assert_false(egress_open(conf, &egress, &err));
    unsetenv(row->variable);
    assert_non_null(strstr(err.message, row->want));
    assert_null(egress);
}

/* ---- sockets ---- */

static void check_sockets(void **state)
{
    (void)state;
    scoped(egress_close) struct egress *egress = egress_of("ALLOW=;DENY=");
    const struct guard *guard = egress_guard(egress);
    struct sockaddr_in ipv4 = { .sin_family = AF_INET, .sin_addr = { htonl(0x08080808) } };
    struct sockaddr_in6 ipv6 = { .sin6_family = AF_INET6 };
    struct sockaddr local = { .sa_family = AF_UNIX };
    assert_true(guard_allows_sockaddr(guard, (struct sockaddr *)&ipv4));
    assert_false(guard_is_inside(guard, (struct sockaddr *)&ipv4)); /* egress.only of world.h */
    assert_false(guard_allows_sockaddr(guard, (struct sockaddr *)&ipv6));
    assert_false(guard_allows_sockaddr(guard, &local));
    assert_false(guard_is_inside(guard, &local));
    inet_pton(AF_INET6, "::ffff:10.0.0.1", &ipv6.sin6_addr);
    assert_false(guard_allows_sockaddr(guard, (struct sockaddr *)&ipv6));
    inet_pton(AF_INET6, "::ffff:8.8.8.8", &ipv6.sin6_addr);
    assert_true(guard_allows_sockaddr(guard, (struct sockaddr *)&ipv6));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(check_sockets),
                                        cmocka_unit_test(check_port_list) };
    return RUN_ROWS(addresses, check_address) + RUN_ROWS(operators, check_operator) +
           RUN_ROWS(host_names, check_name) + RUN_ROWS(ports, check_port) +
           RUN_ROWS(bad, check_bad) + cmocka_run_group_tests(tests, NULL, NULL);
}
