/* tests/unit/net/target.c - URLs in all spellings, valid and misleading. */
#include "net/target.h"

#include <string.h>

#include "rows.h"

#define TEN      "aaaaaaaaaa"
#define SIXTY    TEN TEN TEN TEN TEN TEN
#define LOOPBACK "http://127.0.0.1/"
#define METADATA "http://169.254.169.254/"

/* The URL, and its canonical form; NULL: rejected. */
static const struct row {
    const char *name;
    const char *want;
} rows[] = {
    /* ordinary */
    { "http://example.com/", "http://example.com/" },
    { "https://example.com", "https://example.com/" },
    { "HTTPS://EXAMPLE.com:443", "https://example.com/" },
    { "http://example.com:80/", "http://example.com/" },
    { "http://example.com:080/", "http://example.com/" },
    { "http://example.com:443/", "http://example.com:443/" },
    { "https://example.com:8443/a?b#c", "https://example.com:8443/a?b" },
    { "  http://example.com/\t\n", "http://example.com/" },
    { "example.com", "https://example.com/" },
    { "example.com/x", "https://example.com/x" },
    { "example.com:8080/x", "https://example.com:8080/x" },
    { "www.example.com?q=1", "https://www.example.com/?q=1" },
    { "192.0.2.1", "https://192.0.2.1/" },
    { "192.0.2.1:81/x", "https://192.0.2.1:81/x" },
    { "[2001:db8::1]/x", "https://[2001:db8::1]/x" },
    { "http://example.com.", "http://example.com/" },
    { "http://example.com#frag", "http://example.com/" },
    { "http://example.com?a=b", "http://example.com/?a=b" },
    { "http://example.com?@127.0.0.1/", "http://example.com/?@127.0.0.1/" },
    { "http://example.com/@127.0.0.1", "http://example.com/@127.0.0.1" },
    { "http://example.com/a/../b/./c", "http://example.com/b/c" },
    { "http://example.com/../../x", "http://example.com/x" },
    { "http://example.com/a%20b", "http://example.com/a%20b" },
    { "http://example.com//double//", "http://example.com//double//" },
    { "http://example.com/\xc3\xbc?\xc3\xbc=\xe2\x82\xac",
      "http://example.com/%C3%BC?%C3%BC=%E2%82%AC" },
    { "http://my_site.example.com/", "http://my_site.example.com/" },
    { "http://r3---sn-abc.example.com/", "http://r3---sn-abc.example.com/" },
    { "http://xn--mnchen-3ya.example/", "http://xn--mnchen-3ya.example/" },
    { "http://XN--MNCHEN-3YA.example/", "http://xn--mnchen-3ya.example/" },
    { "http://m\xc3\xbcnchen.example/", "http://xn--mnchen-3ya.example/" },
    { "http://M\xc3\x9cNCHEN.example/", "http://xn--mnchen-3ya.example/" },
    { "http://fa\xc3\x9f.de/", "http://xn--fa-hia.de/" },
    { "http://FA\xc3\x9f.de/", "http://xn--fa-hia.de/" },
    { "http://FA\u1E9E.de/", "http://xn--fa-hia.de/" },
    { "http://I\u2764\uFE0F.ws/", "http://xn--i-7iq.ws/" },
    { "http://xn--i-7iq.ws/", "http://xn--i-7iq.ws/" },
    { "http://\u2764 .ws/", NULL },
    { "http://\xe2\x80\x8b"
      "example.com/",
      "http://example.com/" },
    { "http://exa\xc2\xadmple.com/", "http://example.com/" },
    { "http://example\xe3\x80\x82"
      "com/",
      "http://example.com/" },
    { "http://\xef\xbc\xa5xample.com/", "http://example.com/" },
    { "http://ex%61mple.com/", "http://example.com/" },
    { "http://%65%78ample%2ecom/", "http://example.com/" },
    { "http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:db8::1]/" },
    { "http://[2001:db8::0:1]:8443/a", "http://[2001:db8::1]:8443/a" },
    { "http://[2001:db8:0:1:1:1:1:1]/", "http://[2001:db8:0:1:1:1:1:1]/" },

    /* the loopback, or another inner address, in disguise: the guard must see what it is */
    { "http://127.0.0.1/", LOOPBACK },
    { "http://127.0.0.1./", LOOPBACK },
    { "http://127.1/", LOOPBACK },
    { "http://127.1./", LOOPBACK },
    { "http://127.0.1/", LOOPBACK },
    { "http://2130706433/", LOOPBACK },
    { "http://2130706433./", LOOPBACK },
    { "http://0x7f000001/", LOOPBACK },
    { "http://0X7F000001/", LOOPBACK },
    { "http://0x7f.1/", LOOPBACK },
    { "http://0x7f.0x0.0x0.0x1/", LOOPBACK },
    { "http://0x7f.0.0.1/", LOOPBACK },
    { "http://0x00007f.0.0.1/", LOOPBACK },
    { "http://0177.0.0.1/", LOOPBACK },
    { "http://0177.0.0.01/", LOOPBACK },
    { "http://000000177.0.0.1/", LOOPBACK },
    { "http://017700000001/", LOOPBACK },
    { "http://0177.1/", LOOPBACK },
    { "http://127.0x.0x.1/", LOOPBACK },
    { "http://127.0.0x1/", LOOPBACK },
    { "http://127.0.00000000001/", LOOPBACK },
    { "http://127.00.0x00.1/", LOOPBACK },
    { "http://%31%32%37.0.0.1/", LOOPBACK },
    { "http://127%2e0%2e0%2e1/", LOOPBACK },
    { "http://127%2E1/", LOOPBACK },
    { "http://%30x7f.1/", LOOPBACK },
    { "http://127\xe3\x80\x82"
      "0\xe3\x80\x82"
      "0\xe3\x80\x82"
      "1/",
      LOOPBACK },
    { "http://127\xef\xbc\x8e"
      "0\xef\xbc\x8e"
      "0\xef\xbc\x8e"
      "1/",
      LOOPBACK },
    { "http://127\xef\xbd\xa1"
      "0\xef\xbd\xa1"
      "0\xef\xbd\xa1"
      "1/",
      LOOPBACK },
    { "http://127\xe3\x80\x82"
      "1/",
      LOOPBACK },
    { "http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1/", LOOPBACK },
    { "http://\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6.0.0.1/", LOOPBACK },
    { "http://\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6\xe3\x80\x82\xe2\x93\xaa\xe3\x80\x82\xe2\x93\xaa"
      "\xe3\x80\x82\xe2\x91\xa0/",
      LOOPBACK },
    { "http://\xf0\x9d\x9f\x8f\xf0\x9d\x9f\x90\xf0\x9d\x9f\x95.1/", LOOPBACK },
    { "http://0\xe2\x93\xa7"
      "7f.1/",
      LOOPBACK },
    { "http://\xc2\xb9"
      "27.0.0.1/",
      LOOPBACK },
    { "http://127.0.0.1\xc2\xad/", LOOPBACK },
    { "http://127.0.0.1\xe2\x80\x8b/", LOOPBACK },
    { "http://127.\xe2\x81\xa0"
      "0.0.1/",
      LOOPBACK },
    { "http://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1/", NULL },
    { "http://[::ffff:127.0.0.1]/", LOOPBACK },
    { "http://[::FFFF:7F00:1]/", LOOPBACK },
    { "http://[0:0:0:0:0:ffff:7f00:0001]/", LOOPBACK },
    { "http://[0000:0000:0000:0000:0000:ffff:127.0.0.1]/", LOOPBACK },
    { "127.1", "https://127.0.0.1/" },
    { "2130706433", "https://127.0.0.1/" },
    { "0x7f000001:8080/x", "https://127.0.0.1:8080/x" },
    { "http://2852039166/", METADATA },
    { "http://0xa9fea9fe/", METADATA },
    { "http://0251.0376.0251.0376/", METADATA },
    { "http://169.254.43518/", METADATA },
    { "http://169.16689662/", METADATA },
    { "http://0/", "http://0.0.0.0/" },
    { "http://0x/", "http://0.0.0.0/" },
    { "http://0x.0x.0/", "http://0.0.0.0/" },
    { "http://00000/", "http://0.0.0.0/" },
    { "http://4294967295/", "http://255.255.255.255/" },
    { "http://1.2.3/", "http://1.2.0.3/" },
    { "http://[::]/", "http://[::]/" },
    { "http://[::1]/", "http://[::1]/" },
    { "http://[0:0::0:1]/", "http://[::1]/" },
    { "http://[::127.0.0.1]/", "http://[::127.0.0.1]/" },
    { "http://[64:ff9b::127.0.0.1]/", "http://[64:ff9b::7f00:1]/" },
    { "http://1.1.1.1:80#@10.0.0.1/", "http://1.1.1.1/" },
    { "http://1.1.1.1#@10.0.0.1/", "http://1.1.1.1/" },
    { "http://1.1.1.1?@10.0.0.1/", "http://1.1.1.1/?@10.0.0.1/" },

    /* ends in a number, and is not an address */
    { "http://4294967296/", NULL },
    { "http://0x100000000/", NULL },
    { "http://040000000000/", NULL },
    { "http://256.1.1.1/", NULL },
    { "http://1.256.1.1/", NULL },
    { "http://1.1.1.256/", NULL },
    { "http://1.1.65536/", NULL },
    { "http://1.16777216/", NULL },
    { "http://08.8.8.8/", NULL },
    { "http://8.8.8.09/", NULL },
    { "http://0178.0.0.1/", NULL },
    { "http://1.1.1.1.1/", NULL },
    { "http://0xg.1/", NULL },
    { "http://a.1/", NULL },
    { "http://example.com.0x1/", NULL },
    { "http://a.0x/", NULL },
    { "http://example.123/", NULL },
    { "http://1..1/", NULL },
    { "http://.1/", NULL },
    { "http://-1/", NULL },
    { "http://127.0.0.-1/", NULL },
    { "http://1e3/", NULL },
    { "http://127.0.0.1e0/", "http://127.0.0.1e0/" },
    { "http://99999999999999999999999999/", NULL },

    /* users and passwords */
    { "http://a@b.com/", NULL },
    { "http://a:b@b.com/", NULL },
    { "http://@b.com/", NULL },
    { "http://:@b.com/", NULL },
    { "http://a:@b.com/", NULL },
    { "http://example.com@127.0.0.1/", NULL },
    { "http://example.com:80@127.0.0.1/", NULL },
    { "http://127.0.0.1@example.com/", NULL },
    { "http://a@b@c.com/", NULL },
    { "http://example.com%40127.0.0.1/", NULL },
    { "a@b.com", NULL },
    { "mailto:a@b.com", NULL },

    /* backslashes, blanks, control characters, NUL */
    { "http://127.0.0.1:80\\@example.com/", NULL },
    { "http://example.com\\@127.0.0.1/", NULL },
    { "http:\\\\example.com\\", NULL },
    { "http:/\\example.com/", NULL },
    { "http://example.com/a\\b", NULL },
    { "\\\\example.com", NULL },
    { "http://example .com/", NULL },
    { "http://example.com/a b", NULL },
    { "http://example.com\t/", NULL },
    { "http://exam\tple.com/", NULL },
    { "ht\ntp://example.com/", NULL },
    { "http://example.com/\r\nX: y", NULL },
    { "http://example.com\x01/", NULL },
    { "http://example.com/\x7f", NULL },
    { "http://example.com/\x1f", NULL },
    { "http://example.com%00.evil.com/", NULL },
    { "http://example.com/%00", NULL },
    { "http://example.com%0a/", NULL },
    { "http://example.com%20/", NULL },
    { "http://example.com%7f/", NULL },
    { "http://example.com%09/", NULL },

    /* encodings of the host */
    { "http://ex%2561mple.com/", NULL },
    { "http://example%/", NULL },
    { "http://example%2/", NULL },
    { "http://example%zz.com/", NULL },
    { "http://127.0.0.1%2f.example.com/", NULL },
    { "http://127.0.0.1%23.example.com/", NULL },
    { "http://127.0.0.1%3f.example.com/", NULL },
    { "http://127.0.0.1%3a80.example.com/", NULL },
    { "http://127.0.0.1%5c.example.com/", NULL },
    { "http://%5b::1%5d/", NULL },
    { "http://example.com%80/", NULL },
    { "http://%c3%bc.com/", NULL },

    /* characters that become something else */
    { "http://exa\xef\xbc\x8fmple.com/", NULL },
    { "http://exa\xef\xbc\xa0mple.com/", NULL },
    { "http://exa\xef\xbc\x9a"
      "80mple.com/",
      NULL },
    { "http://exa\xef\xbc\x9fmple.com/", NULL },
    { "http://exa\xef\xbc\x83mple.com/", NULL },
    { "http://exam\xe2\x84\x80ple.com/", NULL },
    { "http://127.0.0.1\xe2\x81\x84.com/", NULL },
    { "http://foo\xe2\x80\xa4"
      "bar.com/",
      NULL },
    { "http://\xe2\x92\x88"
      "com/",
      NULL },
    { "http://\xe2\x80\xae"
      "moc.elpmaxe/",
      NULL },
    { "http://\xd9\xa1\xd9\xa2\xd9\xa7.0.0.1/", NULL },
    { "http://\xef\xbb\xbf/", NULL },
    { "http://a\xcc\x81\xe2\x80\x8d.com/", NULL },
    { "http://\xcc\x81"
      "a.com/",
      NULL },

    /* ports */
    { "http://example.com:/", NULL },
    { "http://example.com:0/", NULL },
    { "http://example.com:65536/", NULL },
    { "http://example.com:99999999999/", NULL },
    { "http://example.com:+80/", NULL },
    { "http://example.com:-1/", NULL },
    { "http://example.com:80:80/", NULL },
    { "http://example.com:8o/", NULL },
    { "http://example.com:0x50/", NULL },
    { "http://example.com: 80/", NULL },
    { "http://example.com:000080/", NULL },
    { "http://example.com:\xef\xbc\x98\xef\xbc\x90/", NULL },
    { "http://[::1]:/", NULL },
    { "http://[::1]80/", NULL },
    { "http://[::1]x:80/", NULL },
    { "http://[::1]:0/", NULL },

    /* hosts */
    { "", NULL },
    { "http://", NULL },
    { "http:///", NULL },
    { "http:///example.com/", NULL },
    { "http://?x", NULL },
    { "http://#x", NULL },
    { "http://:80/", NULL },
    { "http://./", NULL },
    { "http://../", NULL },
    { "http://example.com../", NULL },
    { "http://.example.com/", NULL },
    { "http://a..b.com/", NULL },
    { "http://localhost/", NULL },
    { "http://intranet/x", NULL },
    { "http://com./", NULL },
    { "not-a-url", NULL },
    { "http://-a.example.com/", NULL },
    { "http://a-.example.com/", NULL },
    { "http://a.-b.com/", NULL },
    { "http://exa!mple.com/", NULL },
    { "http://exa*mple.com/", NULL },
    { "http://*.example.com/", NULL },
    { "http://exa'mple.com/", NULL },
    { "http://exa(mple.com/", NULL },
    { "http://exa,mple.com/", NULL },
    { "http://exa;mple.com/", NULL },
    { "http://exa<mple.com/", NULL },
    { "http://exa^mple.com/", NULL },
    { "http://exa|mple.com/", NULL },
    { "http://exa`mple.com/", NULL },
    { "http://exa{mple}.com/", NULL },
    { "http://exa~mple.com/", NULL },
    { "http://exa$mple.com/", NULL },
    { "http://exa&mple.com/", NULL },
    { "http://exa=mple.com/", NULL },
    { "http://exa+mple.com/", NULL },
    { "http://exa\"mple.com/", NULL },
    { "http://xn--.example/", NULL },
    { "http://xn--a.example/", NULL },
    { "http://xn--zzzzzz99999.example/", NULL },
    { "http://xn--\xc3\xbc.example/", NULL },
    { "http://" SIXTY "aaa.com/", "http://" SIXTY "aaa.com/" },
    { "http://" SIXTY "aaaa.com/", NULL },
    { "http://" SIXTY "." SIXTY "." SIXTY "." SIXTY ".aaa.com./",
      "http://" SIXTY "." SIXTY "." SIXTY "." SIXTY ".aaa.com/" },
    { "http://" SIXTY "." SIXTY "." SIXTY "." SIXTY ".aaaaaa.com/", NULL },
    { "http://\xff\xfe.com/", NULL },
    { "http://example.com/\xc3", NULL },
    { "http://example.com/\xed\xa0\x80", NULL },
    { "http://\xc0\xae.com/", NULL },

    /* IPv6 */
    { "http://[]/", NULL },
    { "http://[::1/", NULL },
    { "http://::1/", NULL },
    { "http://::1]/", NULL },
    { "http://[1.2.3.4]/", NULL },
    { "http://[::1%25lo]/", NULL },
    { "http://[fe80::1%eth0]/", NULL },
    { "http://[fe80::1%25eth0]:80/", NULL },
    { "http://[::g]/", NULL },
    { "http://[1::2::3]/", NULL },
    { "http://[1:2:3:4:5:6:7]/", NULL },
    { "http://[1:2:3:4:5:6:7:8:9]/", NULL },
    { "http://[::127.1]/", NULL },
    { "http://[::0x7f.0.0.1]/", NULL },
    { "http://[v1.fe80::a]/", NULL },
    { "http://[[::1]]/", NULL },
    { "http://[::1].com/", NULL },
    { "http://[:::1]/", NULL },
    { "http://a[::1]/", NULL },
    { "http://[\xef\xbc\x91::]/", NULL },

    /* schemes */
    { "ftp://example.com/", NULL },
    { "file:///etc/passwd", NULL },
    { "gopher://127.0.0.1:6379/_INFO", NULL },
    { "dict://127.0.0.1/", NULL },
    { "ws://example.com/", NULL },
    { "javascript:alert(1)", NULL },
    { "javascript://example.com/%0aalert(1)", NULL },
    { "data:text/html,x", NULL },
    { "jar:http://example.com!/", NULL },
    { "view-source:http://example.com/", NULL },
    { "url:http://example.com/", NULL },
    { "http:example.com", NULL },
    { "http:/example.com", NULL },
    { "https:example.com", NULL },
    { "//example.com/", NULL },
    { "/example.com", NULL },
    { "://example.com", NULL },
    { "http//example.com", NULL },
    { "httpx://example.com/", NULL },
    { "http+unix://example.com/", NULL },
    { "h\xc5\xa5tp://example.com/", NULL },
    { "http\xef\xbc\x9a//example.com/", NULL },
    { "?x=http://example.com/", NULL },
    { "#http://example.com/", NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(target_free) struct target target = { 0 };
    scoped(target_free) struct target again = { 0 };
    struct err err = { 0 };
    bool ok = target_parse_url(text_of(row->name), &target, &err);
    if (!row->want) {
        assert_false(ok);
        assert_null(target.url);
        assert_string_equal(err_code(err.kind), "invalid_url");
        return;
    }
    assert_string_equal(err.message, "");
    assert_string_equal(target.url, row->want);
    /* the checked URL is the fetched one */
    assert_true(target_parse_url(text_of(target.url), &again, &err));
    assert_string_equal(again.url, target.url);
    assert_memory_equal(&again.host, &target.host, sizeof(again.host));
}

/* ---- references ---- */

static const struct join_row {
    const char *name;
    const char *base;
    const char *want; /* NULL: rejected */
} joins[] = {
    { "/b", "http://example.com/a/c?d", "http://example.com/b" },
    { "b", "http://example.com/a/c?d", "http://example.com/a/b" },
    { "../b", "http://example.com/a/c/d", "http://example.com/a/b" },
    { "../../../../b", "http://example.com/a", "http://example.com/b" },
    { "?x", "http://example.com/a?y", "http://example.com/a?x" },
    { "#x", "http://example.com/a?y", "http://example.com/a?y" },
    { "", "http://example.com/a?y", "http://example.com/a?y" },
    { "//other.com/x", "https://example.com/", "https://other.com/x" },
    { "https://other.com/x#y", "http://example.com/", "https://other.com/x" },
    { " /b ", "http://example.com/", "http://example.com/b" },
    { "/a b", "http://example.com/", "http://example.com/a%20b" },
    { "/\xc3\xbc", "http://example.com/", "http://example.com/%C3%BC" },
    { "http://m\xc3\xbcnchen.example/", "http://example.com/", "http://xn--mnchen-3ya.example/" },
    { "https://example.com:443/", "http://example.com:8080/", "https://example.com/" },
    { "/b", "http://example.com:8080/", "http://example.com:8080/b" },
    { "//127.1/", "http://example.com/", "http://127.0.0.1/" },
    { "http://0x7f.1/", "http://example.com/", "http://127.0.0.1/" },
    { "//[::1]/", "http://example.com/", "http://[::1]/" },
    { "http://a@b.com/", "http://example.com/", NULL },
    { "//a:b@b.com/", "http://example.com/", NULL },
    { "/\\127.0.0.1/", "http://example.com/", NULL },
    { "\\\\127.0.0.1\\", "http://example.com/", NULL },
    { "ftp://example.com/", "http://example.com/", NULL },
    { "file:///etc/passwd", "http://example.com/", NULL },
    { "javascript:alert(1)", "http://example.com/", NULL },
    { "mailto:a@b.com", "http://example.com/", NULL },
    { "//localhost/", "http://example.com/", NULL },
    { "//example.com:0/", "http://example.com/", NULL },
    { "//exa mple.com/", "http://example.com/", NULL },
    { "/a\nb", "http://example.com/", NULL },
    { "/%00", "http://example.com/", NULL },
    { "\xff", "http://example.com/", "http://example.com/%FF" },
    { "//\xff.com/", "http://example.com/", NULL },
};

static void check_join(void **state)
{
    const struct join_row *row = *state;
    scoped(target_free) struct target base = { 0 };
    scoped(target_free) struct target target = { 0 };
    struct err err = { 0 };
    assert_true(target_parse_url(text_of(row->base), &base, &err));
    bool ok = target_join(&base, text_of(row->name), &target, &err);
    assert_int_equal(ok, row->want != NULL);
    if (ok)
        assert_string_equal(target.url, row->want);
}

/* ---- the rest ---- */

static void check_parts(void **state)
{
    (void)state;
    scoped(target_free) struct target target = { 0 };
    scoped(target_free) struct target other = { 0 };
    scoped(target_free) struct target path = { 0 };
    struct err err = { 0 };
    assert_true(target_parse_url(TEXT("https://Example.com:8443/a?b"), &target, &err));
    assert_string_equal(target.host.name, "example.com");
    assert_false(target.host.is_address);
    assert_true(target.is_https);
    assert_true(target.has_other_port);
    assert_int_equal(target.port, 8443);
    assert_string_equal(target.path, "/a?b");
    target_with_scheme(&target, false, &other);
    assert_string_equal(other.url, "http://example.com/a?b");
    assert_int_equal(other.port, 80);
    target_with_path(&target, "/robots.txt", &path);
    assert_string_equal(path.url, "https://example.com:8443/robots.txt");
    assert_true(target_same_origin(&target, &path));
    assert_false(target_same_origin(&target, &other));
}

static void check_sizes(void **state)
{
    (void)state;
    const struct text begin = TEXT("http://example.com/");
    char url[URL_MAX_BYTES + 2];
    memset(url, 'a', sizeof(url));
    memcpy(url, begin.bytes, begin.size);
    for (size_t size = URL_MAX_BYTES; size <= URL_MAX_BYTES + 1; size++) {
        scoped(target_free) struct target target = { 0 };
        struct err err = { 0 };
        bool ok = target_parse_url((struct text){ url, size }, &target, &err);
        assert_int_equal(ok, size <= URL_MAX_BYTES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(check_parts),
                                        cmocka_unit_test(check_sizes) };
    return RUN_ROWS(rows, check) + RUN_ROWS(joins, check_join) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
