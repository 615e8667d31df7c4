/* tests/unit/net/addresses.c - addresses up to the maximum number, and those of sockets. */
#include "net/addresses.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/un.h>

#include "rows.h"

static void check_places(void **state)
{
    struct addresses addresses = { 0 };
    struct in6_addr address = { 0 };
    (void)state;
    for (size_t i = 0; i < ADDRESSES_MAX; i++) {
        address.s6_addr[15] = (uint8_t)i;
        addresses_add(&addresses, &address);
    }
    assert_int_equal(addresses.count, ADDRESSES_MAX);
    assert_int_equal(addresses.item[ADDRESSES_MAX - 1].s6_addr[15], ADDRESSES_MAX - 1);
    assert_false(addresses.is_cut);
    addresses_add(&addresses, &address);
    assert_int_equal(addresses.count, ADDRESSES_MAX);
    assert_true(addresses.is_cut);
}

static void check_sockaddrs(void **state)
{
    struct sockaddr_in ipv4 = { .sin_family = AF_INET, .sin_addr = { htonl(0xC0000201) } };
    struct sockaddr_in6 ipv6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    struct sockaddr_un local = { .sun_family = AF_UNIX };
    struct in6_addr address;
    char text[INET6_ADDRSTRLEN];
    (void)state;
    assert_true(address_of_sockaddr((struct sockaddr *)&ipv4, &address));
    assert_string_equal(inet_ntop(AF_INET6, &address, text, sizeof(text)), "::ffff:192.0.2.1");
    assert_true(address_of_sockaddr((struct sockaddr *)&ipv6, &address));
    assert_string_equal(inet_ntop(AF_INET6, &address, text, sizeof(text)), "::1");
    assert_false(address_of_sockaddr((struct sockaddr *)&local, &address));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_places),
        cmocka_unit_test(check_sockaddrs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
