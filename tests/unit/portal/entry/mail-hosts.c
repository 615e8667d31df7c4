/* tests/unit/portal/entry/mail-hosts.c - which budgets a domain's sign-up takes from, by its DNS.
 */
#include "portal/entry/mail-hosts.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "rows.h"
#include "svc-email/zone.h"

static struct mail_hosts *hosts;

/* The dns_query() of zone.h ignores it. */
static max_align_t nothing;
static struct egress *const egress = (struct egress *)&nothing;

/* With this list instead of the installed one; NULL: the one of the tree. */
static struct conf *conf_of(const char *file)
{
    struct conf *conf;
    struct err err = { 0 };
    setenv("TOLLGATE_PORTAL_FILES_DIR", SOURCE_ROOT "/portal", 1);
    setenv("TOLLGATE_PORTAL_MAIL_HOSTS_FILE", file ? file : "", 1);
    if (!conf_load(NULL, &conf, &err))
        fail_msg("%s", err.message);
    return conf;
}

static int open_hosts(void **state)
{
    scoped(conf_free) struct conf *conf = conf_of(NULL);
    struct err err = { 0 };
    (void)state;
    if (!mail_hosts_load(conf, &hosts, &err))
        fail_msg("%s", err.message);
    return 0;
}

static int close_hosts(void **state)
{
    (void)state;
    mail_hosts_free(&hosts);
    assert_null(hosts);
    mail_hosts_free(&hosts);
    return 0;
}

/* ---- domains ---- */

static void assert_found(const char *domain, enum mail_reach reach, const char *want)
{
    scoped(buf_free) struct buf keys = BUF(MAIL_KEYS_MAX_BYTES);
    struct err why = { 0 };
    enum mail_reach found = mail_hosts_find(hosts, egress, domain, clock_ms() + 1000, &keys, &why);
    assert_string_equal(buf_str(&keys), want ? want : "");
    assert_int_equal(found, reach);
    assert_int_equal(why.kind, reach == MAIL_REACHES       ? ERR_NONE
                               : reach == MAIL_REACHES_NOT ? ERR_INVALID_DOMAIN
                                                           : ERR_UPSTREAM_UNAVAILABLE);
    if (reach != MAIL_REACHES)
        assert_non_null(strstr(why.message, domain));
}

static const struct row {
    const char *name;
    const char *domain;
    const char *zone;
    enum mail_reach reach;
    const char *keys;
    size_t questions;
} rows[] = {
    /* providers */
    { "a mailbox provider needs no DNS", "gmail.com", "gmail.com * !SERVFAIL\n", MAIL_REACHES, "{}",
      0 },
    { "its domain of a country", "outlook.com.br", "", MAIL_REACHES, "{}", 0 },
    { "one of Yahoo's", "yahoo.co.uk", "", MAIL_REACHES, "{}", 0 },
    { "a network operator", "btinternet.com", "", MAIL_REACHES, "{}", 0 },
    { "the last one of a list", "lycos.com", "", MAIL_REACHES, "{}", 0 },
    { "a name below a provider is not one", "c-192-0-2-1.hsd1.comcast.net",
      "c-192-0-2-1.hsd1.comcast.net A 192.0.2.1\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain comcast.net\",\"host comcast.net\"}", 3 },
    { "a name that ends like a provider is not one", "notgmail.com", "notgmail.com A 192.0.2.1\n",
      MAIL_REACHES, "{\"address 192.0.2.0/24\",\"domain notgmail.com\",\"host notgmail.com\"}", 3 },

    /* MX hosts */
    { "a private host", "a.com", "a.com MX 10 mx.a.com\nmx.a.com A 192.0.2.7\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\"}", 5 },
    { "a host of another owner", "a.com", "a.com MX 10 mx.evil.net\nmx.evil.net A 192.0.2.7\n",
      MAIL_REACHES, "{\"address 192.0.2.0/24\",\"domain a.com\",\"host evil.net\"}", 5 },
    { "an IPv6 address", "a.com",
      "a.com MX 10 mx.a.com\nmx.a.com AAAA 2001:db8:1:2:3:4:5:6\nmx.a.com A 198.51.100.200\n",
      MAIL_REACHES,
      "{\"address 198.51.100.0/24\",\"address 2001:db8:1::/48\",\"domain a.com\",\"host a.com\"}",
      5 },
    { "an IPv4 address in an IPv6 record", "a.com",
      "a.com MX 10 mx.a.com\nmx.a.com AAAA ::ffff:192.0.2.7\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\"}", 5 },
    { "a registrable domain below a suffix of two labels", "mail.shop.co.uk",
      "mail.shop.co.uk MX 10 a.b.host.com.br\na.b.host.com.br A 192.0.2.7\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain shop.co.uk\",\"host host.com.br\"}", 5 },
    { "a public suffix is its own owner", "github.io", "github.io MX 10 co.uk\nco.uk A 192.0.2.7\n",
      MAIL_REACHES, "{\"address 192.0.2.0/24\",\"domain github.io\",\"host co.uk\"}", 5 },
    { "two hosts of one owner and network are one", "a.com",
      "a.com MX 10 mx.a.com\na.com MX 20 mx2.a.com\nmx.a.com A 192.0.2.7\n"
      "mx2.a.com A 192.0.2.8\nmx2.a.com A 192.0.3.8\n",
      MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"address 192.0.3.0/24\",\"domain a.com\",\"host a.com\"}", 7 },
    { "one host twice is asked for once", "a.com",
      "a.com MX 10 mx.a.com\na.com MX 20 MX.A.com\nmx.a.com A 192.0.2.7\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\"}", 5 },
    { "MX records behind an alias", "a.com",
      "a.com CNAME b.com\nb.com MX 10 mx.evil.net\nmx.evil.net A 192.0.2.7\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\",\"host evil.net\"}", 5 },
    { "a host that is an alias", "a.com",
      "a.com MX 10 mx.a.com\nmx.a.com CNAME x.evil.net\nx.evil.net A 192.0.2.7\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\"}", 5 },
    { "a host with an underscore", "a.com",
      "a.com MX 10 _dc-mx.1.a.com\n_dc-mx.1.a.com A 192.0.2.7\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\"}", 5 },
    { "a host that does not exist, and one that does", "a.com",
      "a.com MX 10 mx.gone.net\na.com MX 20 mx.a.com\nmx.a.com A 192.0.2.7\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\",\"host gone.net\"}", 7 },
    { "a host that fails, and one that exists", "a.com",
      "a.com MX 10 mx.slow.net\na.com MX 20 mx.a.com\nmx.a.com A 192.0.2.7\n"
      "mx.slow.net * !TIMEOUT\n",
      MAIL_REACHES, "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\",\"host slow.net\"}",
      7 },
    { "one type of address fails", "a.com",
      "a.com MX 10 mx.a.com\nmx.a.com A 192.0.2.7\nmx.a.com AAAA !SERVFAIL\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\"}", 5 },

    /* public mail hosts */
    { "a public host", "a.com", "a.com MX 1 aspmx.l.google.com\n", MAIL_REACHES,
      "{\"domain a.com\"}", 3 },
    { "a customer's name of a public host", "a.com",
      "a.com MX 1 a-com.mail.protection.outlook.com\n", MAIL_REACHES, "{\"domain a.com\"}", 3 },
    { "in capitals", "a.com", "a.com MX 1 ASPMX.L.Google.COM\n", MAIL_REACHES, "{\"domain a.com\"}",
      3 },
    { "a public host and a private one", "a.com",
      "a.com MX 1 aspmx.l.google.com\na.com MX 9 mx.evil.net\nmx.evil.net A 192.0.2.7\n",
      MAIL_REACHES, "{\"address 192.0.2.0/24\",\"domain a.com\",\"host evil.net\"}", 5 },
    { "a public host and a private one that fails", "a.com",
      "a.com MX 9 aspmx.l.google.com\na.com MX 1 mx.evil.net\nmx.evil.net * !TIMEOUT\n",
      MAIL_REACHES, "{\"domain a.com\",\"host evil.net\"}", 5 },
    { "mail of Amazon is public", "a.com", "a.com MX 1 inbound-smtp.eu-west-1.amazonaws.com\n",
      MAIL_REACHES, "{\"domain a.com\"}", 3 },
    { "a machine at Amazon is private", "a.com",
      "a.com MX 1 ec2-192-0-2-1.compute-1.amazonaws.com\n"
      "ec2-192-0-2-1.compute-1.amazonaws.com A 192.0.2.1\n",
      MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\","
      "\"host ec2-192-0-2-1.compute-1.amazonaws.com\"}",
      5 },
    { "a machine at Hetzner is private", "a.com",
      "a.com MX 1 static.1.2.clients.your-server.de\n"
      "static.1.2.clients.your-server.de A 192.0.2.1\n",
      MAIL_REACHES, "{\"address 192.0.2.0/24\",\"domain a.com\",\"host your-server.de\"}", 5 },
    { "a machine at GoDaddy is private", "a.com",
      "a.com MX 1 1.2.0.192.host.secureserver.net\n1.2.0.192.host.secureserver.net A 192.0.2.1\n",
      MAIL_REACHES, "{\"address 192.0.2.0/24\",\"domain a.com\",\"host secureserver.net\"}", 5 },
    { "a name next to SendGrid's MX hosts is private", "a.com",
      "a.com MX 1 x.sendgrid.net\nx.sendgrid.net A 192.0.2.1\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\",\"host sendgrid.net\"}", 5 },
    { "a name that ends like a public host is private", "a.com",
      "a.com MX 1 mx.notgoogle.com\nmx.notgoogle.com A 192.0.2.1\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\",\"host notgoogle.com\"}", 5 },

    /* without MX records */
    { "the domain is the host", "a.com", "a.com A 192.0.2.7\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\"}", 3 },
    { "by IPv6 alone", "a.com", "a.com AAAA 2001:db8::1\n", MAIL_REACHES,
      "{\"address 2001:db8::/48\",\"domain a.com\",\"host a.com\"}", 3 },
    { "its other type fails", "a.com", "a.com A 192.0.2.7\na.com AAAA !TIMEOUT\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\"}", 3 },
    { "behind an alias", "a.com", "a.com CNAME b.com\nb.com A 192.0.2.7\n", MAIL_REACHES,
      "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\"}", 3 },

    /* no mail */
    { "no such domain", "a.com", "", MAIL_REACHES_NOT, NULL, 3 },
    { "no such domain, and addresses fail", "a.com",
      "a.com CNAME b.net\na.com A !TIMEOUT\na.com AAAA !TIMEOUT\n", MAIL_REACHES_NOT, NULL, 3 },
    { "no MX record and no address", "a.com", "a.com TXT x\n", MAIL_REACHES_NOT, NULL, 3 },
    { "an alias of nothing", "a.com", "a.com CNAME b.com\n", MAIL_REACHES_NOT, NULL, 3 },
    { "a null MX", "a.com", "a.com MX 0 .\na.com A 192.0.2.7\n", MAIL_REACHES_NOT, NULL, 3 },
    { "the only host does not exist", "a.com", "a.com MX 10 mx.gone.net\na.com A 192.0.2.7\n",
      MAIL_REACHES_NOT, NULL, 5 },
    { "the only host has no address", "a.com", "a.com MX 10 mx.a.com\nmx.a.com TXT x\n",
      MAIL_REACHES_NOT, NULL, 5 },
    { "the host is an IP address", "a.com", "a.com MX 10 192.0.2.7\n", MAIL_REACHES_NOT, NULL, 3 },
    { "the host has one label", "a.com", "a.com MX 10 localhost\nlocalhost A 127.0.0.1\n",
      MAIL_REACHES_NOT, NULL, 3 },
    { "a null MX and a host", "a.com", "a.com MX 0 .\na.com MX 10 mx.a.com\nmx.a.com A 192.0.2.7\n",
      MAIL_REACHES, "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\"}", 5 },

    /* not known */
    { "SERVFAIL for MX", "a.com", "a.com MX !SERVFAIL\na.com A 192.0.2.7\n", MAIL_REACH_UNKNOWN,
      NULL, 3 },
    { "REFUSED for MX", "a.com", "a.com MX !REFUSED\na.com A 192.0.2.7\n", MAIL_REACH_UNKNOWN, NULL,
      3 },
    { "no answer for MX", "a.com", "a.com MX !TIMEOUT\na.com A 192.0.2.7\n", MAIL_REACH_UNKNOWN,
      NULL, 3 },
    { "nonsense for MX", "a.com", "a.com MX !ERROR\na.com A 192.0.2.7\n", MAIL_REACH_UNKNOWN, NULL,
      3 },
    { "no resolver at all", "a.com", "a.com * !TIMEOUT\n", MAIL_REACH_UNKNOWN, NULL, 3 },
    { "no MX record, and one type of address fails", "a.com", "a.com TXT x\na.com AAAA !SERVFAIL\n",
      MAIL_REACH_UNKNOWN, NULL, 3 },
    { "the only host fails", "a.com", "a.com MX 10 mx.a.com\nmx.a.com * !TIMEOUT\n",
      MAIL_REACH_UNKNOWN, NULL, 5 },
    { "one host fails, the other does not exist", "a.com",
      "a.com MX 10 mx.a.com\na.com MX 20 mx.gone.net\nmx.a.com A !SERVFAIL\n", MAIL_REACH_UNKNOWN,
      NULL, 7 },

    /* hostile names */
    { "a host with a quote", "a.com", "a.com MX 10 x\"y.evil.net\nx\"y.evil.net A 192.0.2.7\n",
      MAIL_REACHES_NOT, NULL, 3 },
    { "a host with a backslash", "a.com",
      "a.com MX 10 x\\\\y.evil.net\nx\\\\y.evil.net A 192.0.2.7\n", MAIL_REACHES_NOT, NULL, 3 },
    { "a host with a dot in a label", "a.com",
      "a.com MX 10 x\\.google.com\nx\\.google.com A 192.0.2.7\n", MAIL_REACHES_NOT, NULL, 3 },
    { "a host with a comma and a brace", "a.com",
      "a.com MX 10 x,y}.evil.net\nx,y}.evil.net A 192.0.2.7\n", MAIL_REACHES_NOT, NULL, 3 },
    { "a host with a blank", "a.com",
      "a.com MX 10 x\\032y.evil.net\nx\\032y.evil.net A 192.0.2.7\n", MAIL_REACHES_NOT, NULL, 3 },
    { "a host with a NUL", "a.com",
      "a.com MX 10 google.com\\000.evil.net\ngoogle.com\\000.evil.net A 192.0.2.7\n",
      MAIL_REACHES_NOT, NULL, 3 },
};

static void check(void **state)
{
    const struct row *row = *state;
    zone_of(row->zone);
    assert_found(row->domain, row->reach, row->keys);
    assert_int_equal(zone_questions, row->questions);
}

/* ---- many hosts and addresses ---- */

static const struct many {
    const char *name;
    int hosts;      /* private ones, the first of preference 1: h1.net … */
    int addresses;  /* of h1.net, each in its own /24 */
    int first_real; /* hosts before it have no address */
    bool has_public;
    enum mail_reach reach;
    size_t host_keys;
    size_t network_keys;
    bool has_many_key;
    size_t questions;
} manies[] = {
    { "as many hosts as are looked up", 8, 1, 1, false, MAIL_REACHES, 8, 8, false, 19 },
    { "one host more", 9, 1, 1, false, MAIL_REACHES, 8, 8, true, 19 },
    { "hundreds of hosts", 180, 1, 1, false, MAIL_REACHES, 8, 8, true, 19 },
    { "public hosts do not count", 8, 1, 1, true, MAIL_REACHES, 8, 8, false, 19 },
    { "the real host behind eight decoys", 9, 1, 9, false, MAIL_REACHES_NOT, 0, 0, false, 19 },
    { "the real host is the eighth", 8, 1, 8, false, MAIL_REACHES, 8, 1, false, 19 },
    { "as many networks as become keys", 1, 16, 1, false, MAIL_REACHES, 1, 16, false, 5 },
    { "one network more", 1, 17, 1, false, MAIL_REACHES, 1, 16, true, 5 },
    { "hundreds of addresses", 1, 250, 1, false, MAIL_REACHES, 1, 16, true, 5 },
    { "many hosts of many addresses", 100, 100, 1, false, MAIL_REACHES, 8, 16, true, 19 },
};

static void add_records(const struct many *row, struct buf *zone)
{
    for (int i = row->hosts; i > 0; i--) {
        buf_format(zone, "a.com MX %d h%d.net\n", i, i);
        if (i >= row->first_real)
            buf_format(zone, "h%d.net A 198.51.%d.1\n", i, i);
    }
    for (int i = 1; i < row->addresses; i++)
        buf_format(zone, "h1.net A 203.0.%d.1\n", i);
    if (row->has_public)
        buf_add_str(zone, "a.com MX 0 alt1.aspmx.l.google.com\na.com MX 0 aspmx.l.google.com\n");
}

static size_t count_in(const char *text, const char *wanted)
{
    size_t count = 0;
    for (; (text = strstr(text, wanted)); text++)
        count++;
    return count;
}

static void check_many(void **state)
{
    const struct many *row = *state;
    scoped(buf_free) struct buf zone = BUF(1 << 16);
    scoped(buf_free) struct buf keys = BUF(MAIL_KEYS_MAX_BYTES);
    struct err why = { 0 };
    add_records(row, &zone);
    zone_of(buf_str(&zone));
    assert_int_equal(mail_hosts_find(hosts, egress, "a.com", clock_ms() + 1000, &keys, &why),
                     row->reach);
    assert_false(keys.full);
    assert_int_equal(zone_questions, row->questions);
    assert_int_equal(count_in(buf_str(&keys), "\"address "), row->network_keys);
    assert_int_equal(count_in(buf_str(&keys), "\"host many-mail-hosts\""), row->has_many_key);
    assert_int_equal(count_in(buf_str(&keys), "\"host h"), row->host_keys);
    assert_true(row->host_keys < 8 || strstr(buf_str(&keys), "\"host h8.net\""));
}

/* 65 addresses of one network: only is_cut shows that there are more. */
static void check_cut(void **state)
{
    scoped(buf_free) struct buf zone = BUF(1 << 16);
    (void)state;
    for (int i = 1; i <= ADDRESSES_MAX; i++)
        buf_format(&zone, "a.com A 192.0.2.%d\n", i);
    zone_of(buf_str(&zone));
    assert_found("a.com", MAIL_REACHES,
                 "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\"}");
    buf_add_str(&zone, "a.com A 192.0.2.100\n");
    zone_of(buf_str(&zone));
    assert_found("a.com", MAIL_REACHES,
                 "{\"address 192.0.2.0/24\",\"domain a.com\",\"host a.com\","
                 "\"host many-mail-hosts\"}");
}

/* An address of a network that has its key is not another network. */
static void check_full(void **state)
{
    scoped(buf_free) struct buf zone = BUF(1 << 16);
    scoped(buf_free) struct buf keys = BUF(MAIL_KEYS_MAX_BYTES);
    struct err why = { 0 };
    (void)state;
    for (int i = 1; i <= MAIL_NETWORKS_MAX; i++)
        buf_format(&zone, "a.com A 192.0.%d.1\n", i);
    buf_add_str(&zone, "a.com A 192.0.1.2\n");
    zone_of(buf_str(&zone));
    assert_int_equal(mail_hosts_find(hosts, egress, "a.com", clock_ms() + 1000, &keys, &why),
                     MAIL_REACHES);
    assert_int_equal(count_in(buf_str(&keys), "\"address "), MAIL_NETWORKS_MAX);
    assert_int_equal(count_in(buf_str(&keys), "many-mail-hosts"), 0);
}

/* The longest names that there are, as many as fit. */
static void check_longest(void **state)
{
    scoped(buf_free) struct buf zone = BUF(1 << 16);
    scoped(buf_free) struct buf keys = BUF(MAIL_KEYS_MAX_BYTES);
    struct err why = { 0 };
    char label[64];
    (void)state;
    memset(label, 'x', sizeof(label) - 1);
    label[63] = '\0';
    for (int i = 1; i <= 9; i++) {
        buf_format(&zone, "a.com MX %d %s.%s.%s.%.49s%d.github.io\n", i, label, label, label, label,
                   i);
        buf_format(&zone, "%s.%s.%s.%.49s%d.github.io A 192.0.%d.1\n", label, label, label, label,
                   i, i);
        buf_format(&zone, "%s.%s.%s.%.49s%d.github.io AAAA 2001:db8:%d::1\n", label, label, label,
                   label, i, i);
    }
    zone_of(buf_str(&zone));
    assert_int_equal(mail_hosts_find(hosts, egress, "a.com", clock_ms() + 1000, &keys, &why),
                     MAIL_REACHES);
    assert_false(keys.full);
    assert_int_equal(count_in(buf_str(&keys), "\"address "), 16);
    assert_int_equal(count_in(buf_str(&keys), "\"host "), 9);
}

/* ---- the file ---- */

#define FIRST "{ name: A, domains: [a.com] }"
#define HOSTS "\nhosts: [{ name: B, suffixes: [mx.com] }]"

static const struct content {
    const char *name;
    const char *yaml;
    const char *want; /* of the error; NULL: it is loaded */
} contents[] = {
    { "both lists", "providers: [" FIRST "]" HOSTS, NULL },
    { "one name in both lists", "providers: [" FIRST "]\nhosts: [{ name: B, suffixes: [a.com] }]",
      NULL },
    { "not YAML", "providers: [" FIRST "\nhosts: x: y\n", "line 2" },
    { "nothing", "", "must have providers and hosts, and nothing else" },
    { "a list alone", "- a.com\n- b.com\n", "providers must be a list" },
    { "providers alone", "providers: [" FIRST "]\n",
      "must have providers and hosts, and nothing else" },
    { "a list of another name", "providers: [" FIRST "]\nsuffixes: []", "hosts must be a list" },
    { "an empty list", "providers: []" HOSTS, "providers must be a list" },
    { "a list that is a text", "providers: a.com" HOSTS, "providers must be a list" },
    { "an entry that is a text", "providers: [" FIRST ", b.com]" HOSTS,
      "providers: entry 2 must have a name and a list of domains" },
    { "no name", "providers: [{ domains: [a.com] }]" HOSTS, "providers: entry 1 must have a name" },
    { "an empty name", "providers: [{ name: '', domains: [a.com] }]" HOSTS,
      "providers: entry 1 must have a name" },
    { "another key instead of the name", "providers: [{ title: A, domains: [a.com] }]" HOSTS,
      "providers: entry 1 must have a name" },
    { "another key", "providers: [{ name: A, domains: [a.com], x: 1 }]" HOSTS,
      "providers: entry 1 must have a name" },
    { "the key of the other list", "providers: [{ name: A, suffixes: [a.com] }]" HOSTS,
      "providers: entry 1 must have a name and a list of domains" },
    { "no domain", "providers: [{ name: A, domains: [] }]" HOSTS,
      "providers: entry 1 must have a name" },
    { "capitals", "providers: [{ name: A, domains: [A.com] }]" HOSTS,
      "providers: entry 1 has \"A.com\", which is not a domain in lower case" },
    { "a final dot", "providers: [{ name: A, domains: [a.com.] }]" HOSTS,
      "which is not a domain in lower case" },
    { "one label", "providers: [{ name: A, domains: [com] }]" HOSTS,
      "which is not a domain in lower case" },
    { "a number", "providers: [{ name: A, domains: [1] }]" HOSTS,
      "which is not a domain in lower case" },
    { "a wildcard", "providers: [" FIRST "]\nhosts: [{ name: B, suffixes: ['*.mx.com'] }]",
      "hosts: entry 1 has \"*.mx.com\", which is not a domain in lower case" },
    { "a domain twice", "providers: [" FIRST ", { name: C, domains: [b.com, a.com] }]" HOSTS,
      "providers: entry 2 has \"a.com\", which is in the list twice" },
};

static char file_path[] = "/tmp/mail-hosts-XXXXXX";

static void write_file(const char *content)
{
    FILE *file = fopen(file_path, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void check_content(void **state)
{
    const struct content *row = *state;
    struct mail_hosts *loaded = NULL;
    struct err err = { 0 };
    write_file(row->yaml);
    scoped(conf_free) struct conf *conf = conf_of(file_path);
    bool ok = mail_hosts_load(conf, &loaded, &err);
    mail_hosts_free(&loaded);
    assert_int_equal(ok, row->want == NULL);
    if (ok)
        return;
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_non_null(strstr(err.message, file_path));
    if (!strstr(err.message, row->want))
        fail_msg("%s", err.message);
}

static void check_reload(void **state)
{
    struct err err = { 0 };
    (void)state;
    write_file("providers: [" FIRST "]" HOSTS);
    scoped(conf_free) struct conf *conf = conf_of(file_path);
    zone_of("a.com MX 10 x.mx.com\nx.mx.com A 192.0.2.1\n");
    assert_found("a.com", MAIL_REACHES,
                 "{\"address 192.0.2.0/24\",\"domain a.com\",\"host mx.com\"}");
    assert_true(mail_hosts_reload(hosts, conf, &err));
    assert_found("a.com", MAIL_REACHES, "{}");
    write_file("providers: [" FIRST);
    assert_false(mail_hosts_reload(hosts, conf, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_found("a.com", MAIL_REACHES, "{}");
    write_file("providers: [{ name: A, domains: [b.com] }]" HOSTS);
    assert_true(mail_hosts_reload(hosts, conf, &err));
    assert_found("a.com", MAIL_REACHES, "{\"domain a.com\"}");
}

static void check_without_dns(void **state)
{
    scoped(buf_free) struct buf keys = BUF(MAIL_KEYS_MAX_BYTES);
    struct err why = { 0 };
    (void)state;
    zone_of("");
    assert_int_equal(mail_hosts_find(hosts, NULL, "a.b.co.uk", 0, &keys, &why), MAIL_REACHES);
    assert_string_equal(buf_str(&keys), "{\"domain b.co.uk\"}");
    buf_clear(&keys);
    assert_int_equal(mail_hosts_find(hosts, NULL, "gmail.com", 0, &keys, &why), MAIL_REACHES);
    assert_string_equal(buf_str(&keys), "{}");
    assert_int_equal(zone_questions, 0);
}

static void check_missing(void **state)
{
    scoped(conf_free) struct conf *conf = conf_of("/nonexistent/mail-hosts.yaml");
    struct mail_hosts *loaded = NULL;
    struct err err = { 0 };
    (void)state;
    assert_false(mail_hosts_load(conf, &loaded, &err));
    assert_null(loaded);
    assert_non_null(strstr(err.message, "/nonexistent/mail-hosts.yaml"));
}

int main(void)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test_setup_teardown(check_cut, open_hosts, close_hosts),
        cmocka_unit_test_setup_teardown(check_full, open_hosts, close_hosts),
        cmocka_unit_test_setup_teardown(check_longest, open_hosts, close_hosts),
        cmocka_unit_test_setup_teardown(check_reload, open_hosts, close_hosts),
        cmocka_unit_test_setup_teardown(check_without_dns, open_hosts, close_hosts),
        cmocka_unit_test(check_missing),
    };
    int descriptor = mkstemp(file_path);
    if (descriptor < 0 || close(descriptor) != 0)
        return 1;
    int failed = RUN_ROWS_ON(rows, check, open_hosts, close_hosts);
    failed += RUN_ROWS_ON(manies, check_many, open_hosts, close_hosts);
    failed += RUN_ROWS(contents, check_content);
    failed += cmocka_run_group_tests(others, NULL, NULL);
    unlink(file_path);
    return failed;
}
