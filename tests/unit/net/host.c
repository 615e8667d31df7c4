/* tests/unit/net/host.c - host and domain fields. */
#include "net/host.h"

#include <string.h>

#include "rows.h"

static const struct host_row {
    const char *name;
    const char *want; /* NULL: rejected */
    bool is_address;
} hosts[] = {
    { "example.com", "example.com" },
    { " Example.COM. ", "example.com" },
    { "m\xc3\xbcnchen.example", "xn--mnchen-3ya.example" },
    { "my_site.example.com", "my_site.example.com" },
    { "192.0.2.1", "192.0.2.1", true },
    { "127.1", "127.0.0.1", true },
    { "0x7f000001", "127.0.0.1", true },
    { "2130706433", "127.0.0.1", true },
    { "2001:DB8::1", "2001:db8::1", true },
    { "[2001:db8::1]", "2001:db8::1", true },
    { "::ffff:10.0.0.1", "10.0.0.1", true },
    { "[::1]", "::1", true },
    { "https://example.com", NULL },
    { "https://example.com/", NULL },
    { "example.com/", NULL },
    { "example.com:443", NULL },
    { "[2001:db8::1]:443", NULL },
    { "user@example.com", NULL },
    { "example.com\\x", NULL },
    { "fe80::1%eth0", NULL },
    { "[fe80::1%25eth0]", NULL },
    { "1:2:3", NULL },
    { "[", NULL },
    { "[]", NULL },
    { "]", NULL },
    { "", NULL },
    { " ", NULL },
    { ".", NULL },
    { "localhost", NULL },
    { "a b.com", NULL },
    { "a..b", NULL },
    { "256.1.1.1", NULL },
    { "1.1.1.1.1", NULL },
    { "ex%61mple.com", NULL },
    { "-a.com", NULL },
    { "*.example.com", NULL },
    { "\xff.com", NULL },
};

static void check_host(void **state)
{
    const struct host_row *row = *state;
    struct host host;
    struct err err = { 0 };
    bool ok = host_parse(text_of(row->name), &host, &err);
    assert_int_equal(ok, row->want != NULL);
    if (!ok) {
        assert_string_equal(err_code(err.kind), "invalid_host");
        return;
    }
    assert_string_equal(host.name, row->want);
    assert_int_equal(host.is_address, row->is_address);
}

enum { ANY = DOMAIN_UNDERSCORE | DOMAIN_TOP };

static const struct domain_row {
    const char *name;
    unsigned rules;
    const char *want;
} domains[] = {
    { "example.com", DOMAIN_PLAIN, "example.com" },
    { " Example.COM. ", DOMAIN_PLAIN, "example.com" },
    { "b\xc3\xbc"
      "cher.example",
      DOMAIN_PLAIN, "xn--bcher-kva.example" },
    { "_dmarc.example.com", DOMAIN_PLAIN, NULL },
    { "_dmarc.example.com", DOMAIN_UNDERSCORE, "_dmarc.example.com" },
    { "com", DOMAIN_PLAIN, NULL },
    { "com", DOMAIN_TOP, "com" },
    { "com.", DOMAIN_TOP, "com" },
    { ".", DOMAIN_PLAIN, NULL },
    { ".", DOMAIN_TOP, "." },
    { "..", ANY, NULL },
    { "", ANY, NULL },
    { "  ", ANY, NULL },
    { "*.example.com", ANY, NULL },
    { "https://example.com", ANY, NULL },
    { "example.com/x", ANY, NULL },
    { "example.com:53", ANY, NULL },
    { "a@example.com", ANY, NULL },
    { "a b.com", ANY, NULL },
    { "a\tb.com", ANY, NULL },
    { "127.0.0.1", ANY, NULL },
    { "127.1", ANY, NULL },
    { "0x7f.1", ANY, NULL },
    { "1", ANY, NULL },
    { "2001:db8::1", ANY, NULL },
    { "[::1]", ANY, NULL },
    { "1.0.0.127.in-addr.arpa", ANY, "1.0.0.127.in-addr.arpa" },
    { "a..b", ANY, NULL },
    { "a-.com", ANY, NULL },
    { "xn--a.com", ANY, NULL },
    { "exam%70le.com", ANY, NULL },
};

static void check_domain(void **state)
{
    const struct domain_row *row = *state;
    char name[HOST_BYTES];
    struct err err = { 0 };
    bool ok = domain_parse(text_of(row->name), row->rules, name, &err);
    assert_int_equal(ok, row->want != NULL);
    if (ok)
        assert_string_equal(name, row->want);
    else
        assert_string_equal(err_code(err.kind), "invalid_domain");
}

static void check_authority(void **state)
{
    (void)state;
    struct host host;
    struct err err;
    char out[AUTHORITY_BYTES];
    assert_true(host_parse(TEXT("2001:db8::1"), &host, &err));
    host_authority(&host, 443, out);
    assert_string_equal(out, "[2001:db8::1]:443");
    host_authority(&host, 0, out);
    assert_string_equal(out, "[2001:db8::1]");
    assert_true(host_parse(TEXT("example.com"), &host, &err));
    host_authority(&host, 80, out);
    assert_string_equal(out, "example.com:80");
}

static void check_hints(void **state)
{
    (void)state;
    struct host host;
    struct err err;
    char name[HOST_BYTES];
    assert_false(host_parse(TEXT("example.com:443"), &host, &err));
    assert_non_null(strstr(err.message, "send it in port"));
    assert_false(domain_parse(TEXT("192.0.2.1"), ANY, name, &err));
    assert_non_null(strstr(err.message, "reverse lookup is not supported"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(check_authority),
                                        cmocka_unit_test(check_hints) };
    return RUN_ROWS(hosts, check_host) + RUN_ROWS(domains, check_domain) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
