/* tests/unit/portal/throttle.c - who an address is for a bucket, and minutes as people read them.
 * What the buckets hold is tested where they are, in the database: tests/api/portal/. */
#include "portal/throttle.h"

#include "rows.h"

static const struct row {
    const char *name; /* an address */
    const char *want;
} rows[] = {
    { "192.0.2.7", "::ffff:192.0.2.7" },          { "192.0.2.8", "::ffff:192.0.2.8" },
    { "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::" }, { "2001:db8:1:2::1", "2001:db8:1:2::" },
    { "2001:db8:1:3::1", "2001:db8:1:3::" },
};

static void check(void **state)
{
    const struct row *row = *state;
    char who[THROTTLE_ADDRESS_BYTES];
    struct in6_addr address;
    assert_true(address_parse(text_of(row->name), &address));
    throttle_address(&address, who);
    assert_string_equal(who, row->want);
}

static void minutes(void **state)
{
    (void)state;
    assert_int_equal(throttle_minutes(1), 1);
    assert_int_equal(throttle_minutes(60000), 1);
    assert_int_equal(throttle_minutes(60001), 2);
    assert_int_equal(throttle_minutes(600000), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(minutes) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
