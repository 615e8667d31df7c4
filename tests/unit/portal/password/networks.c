/* tests/unit/portal/password/networks.c - how much each network tried lately, in bounded memory. */
#include "portal/password/networks.h"

#include <sodium.h>
#include <stdio.h>

#include "rows.h"

#define NETWORK "192.0.2.0/24"

static const struct row {
    const char *name;
    int tries; /* of the network, a pause apart */
    int64_t pause_ms;
    int64_t later_ms; /* after the last one */
    int want;
} rows[] = {
    { "none", 0, 0, 0, 0 },
    { "one", 1, 0, 0, 1 },
    { "one, nearly a minute ago", 1, 0, NETWORK_TRY_MS - 1, 1 },
    { "one, a minute ago", 1, 0, NETWORK_TRY_MS, 0 },
    { "one, a day ago", 1, 0, 1440 * NETWORK_TRY_MS, 0 },
    { "three at once", 3, 0, 0, 3 },
    { "one a minute", 100, NETWORK_TRY_MS, 0, 1 },
    { "two a minute", 10, NETWORK_TRY_MS / 2, 0, 6 },
    { "a flood", 100000, 1, 0, NETWORK_DEBT_MAX },
    { "a flood, an hour ago", 100000, 1, NETWORK_DEBT_MAX *NETWORK_TRY_MS, 0 },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(networks_free) struct networks *networks = networks_new();
    int64_t now_ms = 1;
    for (int i = 0; i < row->tries; i++) {
        now_ms += i > 0 ? row->pause_ms : 0;
        networks_add_try(networks, NETWORK, now_ms);
    }
    assert_int_equal(networks_debt(networks, NETWORK, now_ms + row->later_ms), row->want);
    assert_int_equal(networks_debt(networks, "198.51.100.0/24", now_ms + row->later_ms), 0);
}

static void add_one(struct networks *networks, int number)
{
    char network[64];
    snprintf(network, sizeof(network), "2001:db8:%x::/48", (unsigned)number);
    networks_add_try(networks, network, 1);
}

static int count_known(const struct networks *networks, int among)
{
    int known = 0;
    for (int i = 0; i < among; i++) {
        char network[64];
        snprintf(network, sizeof(network), "2001:db8:%x::/48", (unsigned)i);
        known += networks_debt(networks, network, 1) > 0;
    }
    return known;
}

/* More networks than it remembers, once each: the one that tried often stays. */
static void the_largest_debts_stay(void **state)
{
    (void)state;
    enum { MANY = 50000, FEW = NETWORKS_MAX / 4 };
    scoped(networks_free) struct networks *networks = networks_new();
    for (int i = 0; i < FEW; i++)
        add_one(networks, i);
    assert_true(count_known(networks, FEW) > FEW * 9 / 10);
    for (int i = 0; i < 5; i++)
        networks_add_try(networks, NETWORK, 1);
    for (int i = 0; i < MANY; i++)
        add_one(networks, i);
    assert_int_equal(networks_debt(networks, NETWORK, 1), 5);
    assert_true(count_known(networks, MANY) <= NETWORKS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_largest_debts_stay) };
    return sodium_init() < 0 || RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
