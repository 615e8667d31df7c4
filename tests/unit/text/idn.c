/* tests/unit/text/idn.c - names in A-labels and back. */
#include "text/idn.h"

#include "rows.h"

static const struct row {
    const char *name;
    const char *ascii;   /* NULL: refused */
    const char *unicode; /* of ascii */
} rows[] = {
    { "example.com", "example.com", "example.com" },
    { "EXAMPLE.com.", "example.com.", "example.com." },
    { "m\xc3\xbcnchen.de", "xn--mnchen-3ya.de", "m\xc3\xbcnchen.de" },
    { "M\xc3\x9cNCHEN.de", "xn--mnchen-3ya.de", "m\xc3\xbcnchen.de" },
    { "mu\xcc\x88nchen.de", "xn--mnchen-3ya.de", "m\xc3\xbcnchen.de" }, /* not NFC */
    { "fa\xc3\x9f.de", "xn--fa-hia.de", "fa\xc3\x9f.de" },
    { "\xe6\x97\xa5\xe6\x9c\xac\xe3\x80\x82jp", "xn--wgv71a.jp", "\xe6\x97\xa5\xe6\x9c\xac.jp" },
    { "a\xef\xbc\x8e"
      "b\xef\xbd\xa1"
      "c",
      "a.b.c", "a.b.c" },
    { "ab--cd.example", "ab--cd.example", "ab--cd.example" },
    { "XN--FA-HIA.de", "xn--fa-hia.de", "fa\xc3\x9f.de" },
    { "xn--a.de", NULL, NULL },
    { "xn--.de", NULL, NULL },
    { "xn--\xc3\xbc.de", NULL, NULL },
    { "\xd9\xa1\xd9\xa2.de", NULL, NULL }, /* digits of a right-to-left script alone */
    { "\xff.de", NULL, NULL },
    { "", "", "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf ascii = BUF(1000);
    scoped(buf_free) struct buf unicode = BUF(1000);
    bool ok = idn_to_ascii(text_of(row->name), &ascii);
    assert_int_equal(ok, row->ascii != NULL);
    if (!ok)
        return;
    assert_string_equal(buf_str(&ascii), row->ascii);
    idn_to_unicode(row->ascii, &unicode);
    assert_string_equal(buf_str(&unicode), row->unicode);
}

static void check_others(void **state)
{
    (void)state;
    scoped(buf_free) struct buf out = BUF(1000);
    scoped(buf_free) struct buf small = BUF(4);
    assert_false(idn_to_ascii(TEXT("a\0b.de"), &out));
    assert_false(idn_to_ascii(TEXT("example"), &small));
    idn_to_unicode("xn--zzzzzz99999.de", &out);
    assert_string_equal(buf_str(&out), "xn--zzzzzz99999.de");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(check_others) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
