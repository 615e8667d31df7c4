/* tests/unit/svc-email/dns/domain.c - texts that people paste for a domain. */
#include "dns/domain.h"

#include <string.h>

#include "base/err.h"
#include "rows.h"

struct row {
    const char *text;   /* its name, too */
    const char *domain; /* NULL: rejected */
};

static const struct row rows[] = {
    { "example.com", "example.com" },
    { "  Example.COM. ", "example.com" },
    { "b\xc3\xbc"
      "cher.example",
      "xn--bcher-kva.example" },
    { "a\xe3\x80\x82"
      "b.com",
      "a.b.com" },
    { "jane@example.com", "example.com" },
    { "\"a@b\"@example.com", "example.com" },
    { "https://www.example.com/a?b@c#d", "www.example.com" },
    { "https://user:pass@example.com:8443/", "example.com" },
    { "example.com:25", "example.com" },
    { "example.com/path", "example.com" },
    { "mailto:jane@example.com", "example.com" },
    { "", NULL },
    { "example", NULL },
    { "example..com", NULL },
    { "example.com..", NULL },
    { "-a.com", NULL },
    { "_dmarc.example.com", NULL },
    { "192.0.2.1", NULL },
    { "http://192.0.2.1/", NULL },
    { "[2001:db8::1]", NULL },
    { "http://[2001:db8::1]:25/", NULL },
    { "a.123", NULL },
    { "xn--a.com", NULL },
    { "https://", NULL },
    { "a b.com", NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    char name[HOST_BYTES] = "";
    struct err err = { 0 };
    bool ok = mail_domain_parse(text_of(row->text), name, &err);
    assert_int_equal(ok, row->domain != NULL);
    if (ok)
        assert_string_equal(name, row->domain);
    else
        assert_int_equal(err.kind, ERR_INVALID_DOMAIN);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
