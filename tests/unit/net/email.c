/* tests/unit/net/email.c - addresses that are taken, and which of them are one mailbox. */
#include "net/email.h"

#include <string.h>

#include "base/text.h"
#include "rows.h"

#define L64 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl"
#define D63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define D61 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct row {
    const char *name;
    const char *text;
    const char *address; /* NULL: refused */
    const char *key;
} rows[] = {
    { "plain", "jane@example.com", "jane@example.com", "jane@example.com" },
    { "white space around", " \tjane@example.com\r\n", "jane@example.com", "jane@example.com" },
    { "case", "Jane.Doe@EXAMPLE.com", "Jane.Doe@example.com", "jane.doe@example.com" },
    { "a tag", "jane+shop+2@example.com", "jane+shop+2@example.com", "jane@example.com" },
    { "a tag alone", "+shop@example.com", "+shop@example.com", "+shop@example.com" },
    { "two tags alone", "+a+b@example.com", "+a+b@example.com", "+a@example.com" },
    { "dots matter", "j.a.ne@example.com", "j.a.ne@example.com", "j.a.ne@example.com" },
    { "but not at Google", "J.a.ne+x@gmail.com", "J.a.ne+x@gmail.com", "jane@gmail.com" },
    { "which has two names", "ja.ne@GoogleMail.com", "ja.ne@googlemail.com", "jane@gmail.com" },
    { "no host of Google", "j.a@mail.gmail.com", "j.a@mail.gmail.com", "j.a@mail.gmail.com" },
    { "IDN",
      "jane@b\xc3\xbc"
      "cher.example",
      "jane@xn--bcher-kva.example", "jane@xn--bcher-kva.example" },
    { "every mark", "!#$%&'*/=?^_`{|}~-@example.com", "!#$%&'*/=?^_`{|}~-@example.com",
      "!#$%&'*/=?^_`{|}~-@example.com" },
    { "a final dot", "jane@example.com.", "jane@example.com", "jane@example.com" },
    { "64 before the at", L64 "@example.com", L64 "@example.com", L64 "@example.com" },
    { "65 before the at", L64 "x@example.com", NULL, NULL },
    { "254 in all", L64 "@" D63 "." D63 "." D61, L64 "@" D63 "." D63 "." D61,
      L64 "@" D63 "." D63 "." D61 },
    { "255 in all", L64 "@" D63 "." D63 "." D61 "a", NULL, NULL },
    { "nothing", "", NULL, NULL },
    { "no at", "jane.example.com", NULL, NULL },
    { "nobody", "@example.com", NULL, NULL },
    { "nowhere", "jane@", NULL, NULL },
    { "two ats", "jane@doe@example.com", NULL, NULL },
    { "quoted", "\"jane\"@example.com", NULL, NULL },
    { "a dot first", ".jane@example.com", NULL, NULL },
    { "a dot last", "jane.@example.com", NULL, NULL },
    { "two dots", "ja..ne@example.com", NULL, NULL },
    { "beyond ASCII", "j\xc3\xa4ne@example.com", NULL, NULL },
    { "one label", "jane@localhost", NULL, NULL },
    { "an address", "jane@192.0.2.1", NULL, NULL },
    { "a literal", "jane@[192.0.2.1]", NULL, NULL },
    { "an underscore", "jane@_x.example.com", NULL, NULL },
    { "a header", "jane@example.com\r\nBcc: x@example.com", NULL, NULL },
    { "a blank", "ja ne@example.com", NULL, NULL },
    { "two of them", "jane@example.com,joe@example.com", NULL, NULL },
    { "with a name", "Jane <jane@example.com>", NULL, NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct email email = { "before", "before" };
    struct err err = { 0 };

    if (email_parse(text_of(row->text), &email, &err)) {
        assert_non_null(row->address);
        assert_string_equal(email.address, row->address);
        assert_string_equal(email.key, row->key);
        return;
    }
    assert_null(row->address);
    assert_int_equal(err.kind, ERR_INVALID_EMAIL);
    assert_string_equal(email.address, "before");
}

static void a_nul_is_no_end(void **state)
{
    (void)state;
    struct email email;
    struct err err = { 0 };
    static const char local[] = "ja\0ne@example.com", domain[] = "jane@exam\0ple.com";
    assert_false(email_parse((struct text){ local, sizeof(local) - 1 }, &email, &err));
    assert_false(email_parse((struct text){ domain, sizeof(domain) - 1 }, &email, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_nul_is_no_end) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
