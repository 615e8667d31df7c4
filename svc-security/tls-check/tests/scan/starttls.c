/* svc-security/tls-check/tests/scan/starttls.c - conversations with mail servers, and which lead to
 * TLS. */
#include "tls-check/scan/starttls.h"

#include <string.h>

#include "rows.h"

#define LONG_LINE_BYTES 1024

static const struct row {
    const char *name;
    enum starttls kind;
    const char *heard;
    enum starttls_state want;
    const char *said;
} rows[] = {
    { "SMTP", STARTTLS_SMTP, "220 a\r\n250 a\r\n220 go\r\n", STARTTLS_READY,
      "EHLO tls-check.invalid\r\nSTARTTLS\r\n" },
    { "SMTP in many lines", STARTTLS_SMTP,
      "220-a\r\n220 b\r\n250-a\r\n250-SIZE\r\n250 X\r\n220\r\n", STARTTLS_READY,
      "EHLO tls-check.invalid\r\nSTARTTLS\r\n" },
    { "SMTP with bare line feeds", STARTTLS_SMTP, "220 a\n250 a\n220 go\n", STARTTLS_READY,
      "EHLO tls-check.invalid\r\nSTARTTLS\r\n" },
    { "SMTP waits for the end of the line", STARTTLS_SMTP, "220 a", STARTTLS_TALKS, "" },
    { "SMTP that is busy", STARTTLS_SMTP, "421 later\r\n", STARTTLS_REFUSED, "" },
    { "SMTP that does not know us", STARTTLS_SMTP, "220 a\r\n550 no\r\n", STARTTLS_REFUSED,
      "EHLO tls-check.invalid\r\n" },
    { "SMTP without TLS", STARTTLS_SMTP, "220 a\r\n250 a\r\n502 what?\r\n", STARTTLS_REFUSED,
      "EHLO tls-check.invalid\r\nSTARTTLS\r\n" },
    { "a code with a digit too many", STARTTLS_SMTP, "2201 a\r\n", STARTTLS_REFUSED, "" },
    { "IMAP", STARTTLS_IMAP, "* OK a\r\n* CAPABILITY X\r\na1 OK go\r\n", STARTTLS_READY,
      "a1 STARTTLS\r\n" },
    { "IMAP in small letters", STARTTLS_IMAP, "* ok a\r\nA1 ok\r\n", STARTTLS_READY,
      "a1 STARTTLS\r\n" },
    { "IMAP that is logged in", STARTTLS_IMAP, "* PREAUTH a\r\n", STARTTLS_REFUSED, "" },
    { "IMAP that ends", STARTTLS_IMAP, "* BYE a\r\n", STARTTLS_REFUSED, "" },
    { "IMAP without TLS", STARTTLS_IMAP, "* OK a\r\na1 BAD what?\r\n", STARTTLS_REFUSED,
      "a1 STARTTLS\r\n" },
    { "POP3", STARTTLS_POP3, "+OK a\r\n+OK go\r\n", STARTTLS_READY, "STLS\r\n" },
    { "POP3 without TLS", STARTTLS_POP3, "+OK a\r\n-ERR\r\n", STARTTLS_REFUSED, "STLS\r\n" },
    { "another protocol", STARTTLS_POP3, "SSH-2.0-a\r\n", STARTTLS_REFUSED, "" },
    { "bytes of no text", STARTTLS_SMTP, "\x16\x03\x01\n", STARTTLS_REFUSED, "" },
};

/* The result must be the same at once and byte by byte. */
static enum starttls_state hear(const struct row *row, size_t at_once, struct buf *said)
{
    struct starttls_talk talk = { .kind = row->kind };
    enum starttls_state state = STARTTLS_TALKS;
    size_t size = strlen(row->heard);
    for (size_t i = 0; i < size && state == STARTTLS_TALKS; i += at_once) {
        size_t piece = size - i < at_once ? size - i : at_once;
        state = starttls_feed(&talk, (struct text){ row->heard + i, piece }, said);
    }
    return state;
}

static void check(void **state)
{
    static const size_t pieces[] = { 1000, 1, 3 };
    const struct row *row = *state;
    for (size_t i = 0; i < countof(pieces); i++) {
        scoped(buf_free) struct buf said = BUF(STARTTLS_SAID_BYTES);
        assert_int_equal(hear(row, pieces[i], &said), row->want);
        assert_string_equal(buf_str(&said), row->said);
        assert_false(said.full);
    }
}

static void talk_without_end(void **state)
{
    static const char line[] = "220-\n";
    char letters[LONG_LINE_BYTES + 1];
    scoped(buf_free) struct buf said = BUF(STARTTLS_SAID_BYTES);
    struct starttls_talk talk = { .kind = STARTTLS_SMTP };
    struct text text = { line, sizeof(line) - 1 };
    (void)state;
    for (unsigned i = 0; i < STARTTLS_LINES_MAX; i++)
        assert_int_equal(starttls_feed(&talk, text, &said), STARTTLS_TALKS);
    assert_int_equal(starttls_feed(&talk, text, &said), STARTTLS_REFUSED);

    talk = (struct starttls_talk){ .kind = STARTTLS_SMTP };
    memset(letters, 'a', sizeof(letters));
    text = (struct text){ letters, LONG_LINE_BYTES };
    assert_int_equal(starttls_feed(&talk, text, &said), STARTTLS_TALKS);
    text.size = 1;
    assert_int_equal(starttls_feed(&talk, text, &said), STARTTLS_REFUSED);
}

static void ports_and_names(void **state)
{
    static const struct {
        uint16_t port;
        enum starttls kind;
    } wanted[] = { { 25, STARTTLS_SMTP },  { 587, STARTTLS_SMTP }, { 2525, STARTTLS_SMTP },
                   { 143, STARTTLS_IMAP }, { 110, STARTTLS_POP3 }, { 443, STARTTLS_NONE },
                   { 465, STARTTLS_NONE }, { 993, STARTTLS_NONE }, { 995, STARTTLS_NONE } };
    (void)state;
    for (size_t i = 0; i < countof(wanted); i++)
        assert_int_equal(starttls_of_port(wanted[i].port), wanted[i].kind);
    assert_int_equal(starttls_of_name("imap"), STARTTLS_IMAP);
    assert_int_equal(starttls_of_name("none"), STARTTLS_NONE);
    assert_string_equal(starttls_name(STARTTLS_POP3), "pop3");
    assert_null(starttls_name(STARTTLS_NONE));
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(talk_without_end),
        cmocka_unit_test(ports_and_names),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(others, NULL, NULL);
}
