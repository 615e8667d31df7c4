/* tests/unit/portal/base/links.c - a link is valid for its purpose only. */
#include "portal/base/links.h"

#include <sodium.h>
#include <string.h>

#include "../secrets.h"
#include "rows.h"

#define ID "0198c0de-7a3b-7c11-9f00-5d2e8a4b1c9d"

static const struct row {
    const char *name;
    enum link_kind made;
    enum link_kind read;
    int changed; /* which character is changed; -1: none */
    const char *behind;
    bool want;
} rows[] = {
    { "as it was made", LINK_RESET, LINK_RESET, -1, "", true },
    { "a sign-up", LINK_SIGNUP, LINK_SIGNUP, -1, "", true },
    { "of another kind", LINK_SIGNUP, LINK_RESET, -1, "", false },
    { "for invoices", LINK_INVOICES, LINK_INVOICES, -1, "", true },
    { "for invoices, as an address", LINK_INVOICES, LINK_EMAIL, -1, "", false },
    { "of a kind with the same page", LINK_EMAIL, LINK_UNDO, -1, "", false },
    { "a bit of the id off", LINK_RESET, LINK_RESET, 0, "", false },
    { "a bit at the id's end off", LINK_RESET, LINK_RESET, 20, "", false },
    { "a bit of the MAC off", LINK_RESET, LINK_RESET, 22, "", false },
    { "the last bit off", LINK_RESET, LINK_RESET, 63, "", false },
    { "longer", LINK_RESET, LINK_RESET, -1, "A", false },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(secrets_free) struct secrets *secrets = secrets_of(OLD);
    char text[LINK_TEXT_BYTES + 1] = "";
    char id[UUID_TEXT_BYTES] = "";
    link_text(secrets, row->made, ID, text);
    assert_int_equal(strlen(text), LINK_TEXT_BYTES - 1);
    if (row->changed >= 0)
        text[row->changed] = text[row->changed] == 'A' ? 'B' : 'A';
    strncat(text, row->behind, 1);
    assert_int_equal(link_read(secrets, row->read, text, id), row->want);
    if (row->want)
        assert_string_equal(id, ID);
}

static void an_older_secret_still_verifies(void **state)
{
    (void)state;
    scoped(secrets_free) struct secrets *before = secrets_of(OLD);
    scoped(secrets_free) struct secrets *after = secrets_of(NEW OLD);
    scoped(secrets_free) struct secrets *later = secrets_of(NEW);
    char text[LINK_TEXT_BYTES];
    char fresh[LINK_TEXT_BYTES];
    char id[UUID_TEXT_BYTES];
    link_text(before, LINK_RESET, ID, text);
    assert_true(link_read(after, LINK_RESET, text, id));
    assert_false(link_read(later, LINK_RESET, text, id));
    link_text(after, LINK_RESET, ID, fresh);
    assert_string_not_equal(fresh, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(an_older_secret_still_verifies) };
    return sodium_init() < 0 || RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
