/* tests/unit/base/codec/cidr.c - addresses, networks and their members. */
#include "base/codec/cidr.h"

#include <string.h>

#include "rows.h"

static const struct member {
    const char *name;
    const char *network;
    const char *address;
    bool want;
} members[] = {
    { "first of a /8", "10.0.0.0/8", "10.0.0.0", true },
    { "last of a /8", "10.0.0.0/8", "10.255.255.255", true },
    { "just behind a /8", "10.0.0.0/8", "11.0.0.0", false },
    { "just before a /8", "10.0.0.0/8", "9.255.255.255", false },
    { "prefix inside a byte", "172.16.0.0/12", "172.31.255.255", true },
    { "behind a prefix inside a byte", "172.16.0.0/12", "172.32.0.0", false },
    { "plain address is itself", "192.0.2.7", "192.0.2.7", true },
    { "plain address is nobody else", "192.0.2.7", "192.0.2.6", false },
    { "/32", "192.0.2.7/32", "192.0.2.7", true },
    { "/31 holds two", "192.0.2.6/31", "192.0.2.7", true },
    { "/0 holds all of IPv4", "0.0.0.0/0", "255.255.255.255", true },
    { "IPv4 /0 holds no IPv6", "0.0.0.0/0", "2001:db8::1", false },
    { "IPv6 /0 holds all of IPv6", "::/0", "2001:db8::1", true },
    { "IPv6 /0 holds no IPv4", "::/0", "192.0.2.7", false },
    { "loopback", "::1/128", "::1", true },
    { "not loopback", "::1/128", "::2", false },
    { "IPv6 /64", "2001:db8:0:1::/64", "2001:db8:0:1:ffff::", true },
    { "next IPv6 /64", "2001:db8:0:1::/64", "2001:db8:0:2::", false },
    { "IPv6 /61 inside a byte", "2001:db8:0:8::/61", "2001:db8:0:f::1", true },
    { "behind an IPv6 /61", "2001:db8:0:8::/61", "2001:db8:0:10::1", false },
    { "mapped address in an IPv4 network", "10.0.0.0/8", "::ffff:10.1.2.3", true },
    { "IPv4 address in a mapped network", "::ffff:10.0.0.0/104", "10.1.2.3", true },
    { "mapped network ends", "::ffff:10.0.0.0/104", "11.1.2.3", false },
    { "mapped plain address", "::ffff:10.1.2.3", "10.1.2.3", true },
};

static void check_member(void **state)
{
    const struct member *row = *state;
    struct cidr cidr;
    struct in6_addr address;

    assert_true(cidr_parse(text_of(row->network), &cidr, NULL));
    assert_true(address_parse(text_of(row->address), &address));
    assert_int_equal(cidr_has(&cidr, &address), row->want);
}

static const struct refusal {
    const char *name;
    const char *network;
} refusals[] = {
    { "nothing", "" },
    { "a slash alone", "/" },
    { "no address", "/8" },
    { "no length", "10.0.0.0/" },
    { "length beyond IPv4", "10.0.0.0/33" },
    { "length beyond IPv6", "::/129" },
    { "negative length", "10.0.0.0/-1" },
    { "length with a sign", "10.0.0.0/+8" },
    { "length with a blank", "10.0.0.0/ 8" },
    { "huge length", "10.0.0.0/99999999999999999999" },
    { "mask instead of length", "10.0.0.0/255.0.0.0" },
    { "two slashes", "10.0.0.0/8/8" },
    { "three parts", "10.0.0/8" },
    { "part beyond 255", "10.0.0.256" },
    { "octal part", "010.0.0.1" },
    { "blank in front", " 10.0.0.1" },
    { "port", "10.0.0.1:80" },
    { "brackets", "[::1]" },
    { "zone", "fe80::1%eth0" },
    { "name", "localhost" },
    { "bits behind the prefix", "10.0.0.1/8" },
    { "bits behind an IPv6 prefix", "2001:db8::1/64" },
    { "mapped network wider than IPv4", "::ffff:0.0.0.0/80" },
    { "longer than any address", "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb" },
};

static void check_refusal(void **state)
{
    const struct refusal *row = *state;
    struct cidr cidr = { .prefix = 7 };
    struct err err = { 0 };

    assert_false(cidr_parse(text_of(row->network), &cidr, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_int_equal(cidr.prefix, 7);
}

static void nul_ends_no_address(void **state)
{
    (void)state;
    struct in6_addr address;
    assert_false(address_parse(TEXT("10.0.0.1\0x"), &address));
}

static void ipv4_and_its_text_agree(void **state)
{
    (void)state;
    struct in_addr ipv4 = { htonl(0xc0000207) };
    struct in6_addr made = address_of_ipv4(ipv4);
    struct in6_addr parsed;
    assert_true(address_parse(TEXT("192.0.2.7"), &parsed));
    assert_memory_equal(&made, &parsed, sizeof(made));
    assert_true(address_is_ipv4(&made));
}

static void list_holds_what_its_networks_hold(void **state)
{
    (void)state;
    scoped(cidrs_free) struct cidrs list = { 0 };
    struct in6_addr ipv4, ipv6;
    assert_true(address_parse(TEXT("127.0.0.9"), &ipv4));
    assert_true(address_parse(TEXT("::1"), &ipv6));

    assert_false(cidrs_have(&list, &ipv4));
    assert_true(cidrs_add(&list, TEXT("::1/128"), NULL));
    assert_false(cidrs_have(&list, &ipv4));
    assert_true(cidrs_add(&list, TEXT("127.0.0.0/8"), NULL));
    assert_false(cidrs_add(&list, TEXT("nonsense"), NULL));
    assert_int_equal(list.count, 2);
    assert_true(cidrs_have(&list, &ipv4));
    assert_true(cidrs_have(&list, &ipv6));
}

static const struct text_row {
    const char *name;
    const char *network;
    const char *want;
    const char *want_address;
} texts[] = {
    { "IPv4", "10.0.0.0/8", "10.0.0.0/8", "10.0.0.0" },
    { "IPv4 address", "192.0.2.7", "192.0.2.7/32", "192.0.2.7" },
    { "IPv4-mapped", "::ffff:192.0.2.0/120", "192.0.2.0/24", "192.0.2.0" },
    { "IPv6", "2001:DB8:0:0::/32", "2001:db8::/32", "2001:db8::" },
    { "the longest", "1111:2222:3333:4444:5555:6666:7777:8888",
      "1111:2222:3333:4444:5555:6666:7777:8888/128", "1111:2222:3333:4444:5555:6666:7777:8888" },
};

static void check_text(void **state)
{
    const struct text_row *row = *state;
    struct cidr cidr;
    char text[CIDR_TEXT_BYTES];
    char address[INET6_ADDRSTRLEN];
    assert_true(cidr_parse(text_of(row->network), &cidr, NULL));
    cidr_format(text, &cidr);
    address_format(address, &cidr.network);
    assert_string_equal(text, row->want);
    assert_string_equal(address, row->want_address);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(nul_ends_no_address),
        cmocka_unit_test(ipv4_and_its_text_agree),
        cmocka_unit_test(list_holds_what_its_networks_hold),
    };
    return RUN_ROWS(texts, check_text) + RUN_ROWS(members, check_member) +
           RUN_ROWS(refusals, check_refusal) + cmocka_run_group_tests(singles, NULL, NULL);
}
