/* tests/unit/portal/base/throttle.c - the bucket key of an address, and minutes for people. The
 * buckets are tested in the database: tests/api/portal/. */
#include "portal/base/throttle.h"

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

static const struct wait {
    const char *name;
    int64_t retry_ms;
    const char *want;
} waits[] = {
    { "a moment", 1, "1 minute" },
    { "a minute", 60000, "1 minute" },
    { "a little more", 60001, "2 minutes" },
    { "ten", 600000, "10 minutes" },
};

static void check_wait(void **state)
{
    const struct wait *row = *state;
    assert_string_equal(throttle_wait(row->retry_ms).words, row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check) + RUN_ROWS(waits, check_wait);
}
