/* tests/unit/base/codec/networks.c - lists of networks of a token. */
#include "base/codec/networks.h"

#include <stdio.h>
#include <string.h>

#include "rows.h"

static const struct row {
    const char *name;
    const char *networks; /* separated by blanks */
    const char *want;     /* the list; or what the error says */
    enum err_kind kind;
} rows[] = {
    { "none", "", "" },
    { "one of each", "192.0.2.0/24 2001:db8::/32", "{192.0.2.0/24,2001:db8::/32}" },
    { "an address", "192.0.2.7", "{192.0.2.7/32}" },
    { "IPv4-mapped", "::ffff:192.0.2.0/120", "{192.0.2.0/24}" },
    { "the largest", "10.0.0.0/8 2001:db8::/32", "{10.0.0.0/8,2001:db8::/32}" },
    { "twice", "192.0.2.7 ::ffff:192.0.2.7 192.0.2.7/32", "{192.0.2.7/32}" },
    { "too large, IPv4", "10.0.0.0/7", "10.0.0.0/7 is too large: the prefix must be /8 or longer",
      ERR_INVALID_VALUE },
    { "too large, IPv6", "2001:d00::/31",
      "2001:d00::/31 is too large: the prefix must be /32 or longer", ERR_INVALID_VALUE },
    { "everything", "0.0.0.0/0", "is too large", ERR_INVALID_VALUE },
    { "everything, mapped", "::ffff:0:0/96", "must be /8 or longer", ERR_INVALID_VALUE },
    { "bits after the prefix", "192.0.2.1/24", "192.0.2.1/24 is not an address or network",
      ERR_INVALID_VALUE },
    { "a name", "office.example", "one of them is not an address", ERR_INVALID_VALUE },
    { "a zone", "fe80::1%eth0", "is not an address", ERR_INVALID_VALUE },
    { "an address with a port", "192.0.2.7:443", "is not an address", ERR_INVALID_VALUE },
};

static bool add_all(struct cidrs *list, const char *networks, struct err *err)
{
    struct text rest = text_of(networks);
    bool ok = true;
    while (rest.size > 0 && ok)
        ok = networks_add(list, text_cut(&rest, ' '), err);
    return ok;
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(cidrs_free) struct cidrs list = { 0 };
    struct err err = { 0 };
    char out[NETWORKS_TEXT_BYTES];
    assert_int_equal(add_all(&list, row->networks, &err), row->kind == ERR_NONE);
    assert_int_equal(err.kind, row->kind);
    networks_write(&list, out);
    if (row->kind == ERR_NONE)
        assert_string_equal(out, row->want);
    else
        assert_non_null(strstr(err.message, row->want));
}

static void at_most_twenty(void **state)
{
    (void)state;
    scoped(cidrs_free) struct cidrs list = { 0 };
    struct err err = { 0 };
    char text[64];
    char out[NETWORKS_TEXT_BYTES];
    for (int i = 0; i < NETWORKS_MAX; i++) { /* the longest texts */
        snprintf(text, sizeof(text), "1111:2222:3333:4444:5555:6666:7777:%x", 0x8888 + i);
        assert_true(networks_add(&list, text_of(text), &err));
    }
    assert_true(networks_add(&list, text_of(text), &err)); /* again */
    assert_false(networks_add(&list, TEXT("192.0.2.7"), &err));
    assert_int_equal(err.kind, ERR_TOO_MANY_ITEMS);
    networks_write(&list, out);
    assert_int_equal(out[strlen(out) - 1], '}');
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(at_most_twenty) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
