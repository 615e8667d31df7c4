/* tests/unit/text/idn.c - names in A-labels and back. */
#include "text/idn.h"

#include <string.h>

#include "rows.h"

static const struct row {
    const char *name;
    const char *ascii;   /* NULL: rejected */
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
    { "STRA\u1E9EE.de", "xn--strae-oqa.de", "stra\u00DFe.de" }, /* not strasse */
    { "xn--strae-oqa.de", "xn--strae-oqa.de", "stra\u00DFe.de" },
    { "I\u2764.ws", "xn--i-7iq.ws", "i\u2764.ws" },
    { "i\u2764\uFE0F.ws", "xn--i-7iq.ws", "i\u2764.ws" }, /* with a selector */
    { "XN--i-7iq.ws", "xn--i-7iq.ws", "i\u2764.ws" },
    { "\U0001F4A9.la", "xn--ls8h.la", "\U0001F4A9.la" },
    { "\U0001F36A\U0001F36A.ws", "xn--hj8ha.ws", "\U0001F36A\U0001F36A.ws" },
    { "caf\u00C9\u2615.fr", "xn--caf-dma4968b.fr", "caf\u00E9\u2615.fr" },
    { "\U0001F1E9\U0001F1EA.de", "xn--h77hc.de", "\U0001F1E9\U0001F1EA.de" },
    { "a\u2764\u0661.de", NULL, NULL },          /* a digit of a right-to-left script */
    { "\u2764\u200D\U0001F525.de", NULL, NULL }, /* a joiner that joins no letters */
    { "\u2764 .de", NULL, NULL },
    { "xn--ls8h-.la", NULL, NULL },
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
    char label[300];
    for (size_t symbols = 13; symbols <= 61; symbols += 24) { /* 63 octets at most */
        buf_clear(&out);
        label[0] = '\0';
        for (size_t i = 0; i < symbols; i++)
            memcpy(label + 4 * i, i % 2 ? "\U0001F4A9" : "\U0001F36A", 5);
        assert_int_equal(idn_to_ascii(text_of(label), &out), symbols < 61);
    }
    buf_clear(&out);
    idn_to_unicode("xn--zzzzzz99999.de", &out);
    assert_string_equal(buf_str(&out), "xn--zzzzzz99999.de");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(check_others) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
