/* tests/unit/portal/page/visit.c - the network of a visitor, and rejected headers. */
#include "portal/page/visit.h"

#include <string.h>

#include "rows.h"
#include "text/json.h"

static const struct row {
    const char *name; /* an address */
    const char *want;
} rows[] = {
    { "192.0.2.7", "192.0.2.0/24" },
    { "255.255.255.255", "255.255.255.0/24" },
    { "2001:db8:1:2:3:4:5:6", "2001:db8:1::/48" },
    { "::1", "::/48" },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct visit visit = { 0 };
    char network[NETWORK_TEXT_BYTES];
    assert_true(address_parse(text_of(row->name), &visit.address));
    visit_network(&visit, network);
    assert_string_equal(network, row->want);
}

static void the_first_of_a_field_counts(void **state)
{
    (void)state;
    struct visit visit = { 0 };
    assert_false(visit_add_error(&visit, "name", "Give %s.", "it"));
    assert_false(visit_add_error(&visit, "name", "Give another."));
    assert_false(visit_add_error(&visit, NULL, "All is wrong."));
    assert_string_equal(visit_error(&visit, "name"), "Give it.");
    assert_null(visit_error(&visit, "other"));
    assert_int_equal(json_size(visit.errors), 2);
    visit_end(&visit);
}

static void a_long_one_is_cut_to_whole_characters(void **state)
{
    (void)state;
    struct visit visit = { 0 };
    char text[2001];
    for (size_t i = 0; i + 1 < sizeof(text); i += 2) {
        text[i] = '\xc3';
        text[i + 1] = '\xa4';
    }
    text[2000] = '\0';
    visit_add_error(&visit, "name", "x%s", text);
    assert_true(strlen(visit_error(&visit, "name")) % 2 == 1); /* the x, and whole ones */
    visit_end(&visit);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_first_of_a_field_counts),
                                        cmocka_unit_test(a_long_one_is_cut_to_whole_characters) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
