/* tests/unit/portal/public/security-txt.c - the fields of security.txt (RFC 9116). */
#include "portal/public/security-txt.h"

#include <stdlib.h>
#include <string.h>

#include "rows.h"

#define SITE "https://api.example.com"
#define REST                                         \
    "Preferred-Languages: en\n"                      \
    "Canonical: " SITE "/.well-known/security.txt\n" \
    "Policy: " SITE "/docs/security\n"

enum { DAY_MS = 86400000 };

static const struct row {
    const char *name;
    const char *contact;
    int64_t now_ms;
    const char *want; /* NULL: there is no file */
} rows[] = {
    { "an email address", "help@example.com", 0,
      "Contact: mailto:help@example.com\nExpires: 1970-04-01T00:00:00Z\n" REST },
    { "the end of a day", "help@example.com", DAY_MS - 1,
      "Contact: mailto:help@example.com\nExpires: 1970-04-01T00:00:00Z\n" REST },
    { "the next day", "help@example.com", DAY_MS,
      "Contact: mailto:help@example.com\nExpires: 1970-04-02T00:00:00Z\n" REST },
    { "over the end of a year", "help@example.com", INT64_C(1796083200000), /* 2026-12-01 */
      "Contact: mailto:help@example.com\nExpires: 2027-03-01T00:00:00Z\n" REST },
    { "an address with an extension", "help+tollgate@example.com", 0,
      "Contact: mailto:help+tollgate@example.com\nExpires: 1970-04-01T00:00:00Z\n" REST },
    { "a line cannot be added", "a@b\nContact: mailto:c@d", 0,
      "Contact: mailto:a@b%0AContact%3A%20mailto%3Ac@d\nExpires: 1970-04-01T00:00:00Z\n" REST },
    { "nor header fields of the mail", "a@b?subject=x&cc=c@d", 0,
      "Contact: mailto:a@b%3Fsubject%3Dx%26cc%3Dc@d\nExpires: 1970-04-01T00:00:00Z\n" REST },
    { "bytes beyond ASCII", "h\xc3\xa9lp@example.com", 0,
      "Contact: mailto:h%C3%A9lp@example.com\nExpires: 1970-04-01T00:00:00Z\n" REST },
    { "a page", "https://example.com/report?to=security", 0,
      "Contact: https://example.com/report?to=security\nExpires: 1970-04-01T00:00:00Z\n" REST },
    { "a page with a blank", "https://example.com/a b", 0, NULL },
    { "a page without TLS", "http://example.com/report", 0, NULL },
    { "none", "", 0, NULL },
    { "a name", "the operator", 0, NULL },
    { "a host alone", "@example.com", 0, NULL },
    { "a mailbox alone", "help@", 0, NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(4 << 10);
    assert_int_equal(security_txt_write(row->contact, SITE, row->now_ms, &out), row->want != NULL);
    assert_string_equal(buf_str(&out), row->want ? row->want : "");
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
