/* tests/unit/svc-email/records/spf.c - the grammar of RFC 7208 section 12, term by term, and what
 * macros become. */
#include "records/spf.h"

#include <string.h>

#include "base/codec/cidr.h"
#include "rows.h"

/* ---- records ---- */

struct record_row {
    const char *record; /* its name, too */
    const char *term;   /* that is wrong; NULL: none is */
    size_t position;    /* of it */
};

static const struct record_row records[] = {
    { "v=spf1", NULL },
    { "v=spf1 ", NULL },
    { "v=spf1 -all", NULL },
    { "v=spf1   -all   ", NULL },
    { "V=SPF1 -ALL", NULL },
    { "v=spf1 a mx ptr -all", NULL },
    { "v=spf1 a:example.com mx:example.com ptr:example.com ~all", NULL },
    { "v=spf1 a/24 mx//64 a/24//64 a:example.com/0//0 ?all", NULL },
    { "v=spf1 +a -mx ~ptr ?exists:example.com", NULL },
    { "v=spf1 ip4:192.0.2.1 ip4:192.0.2.0/24 ip4:0.0.0.0/0", NULL },
    { "v=spf1 ip6:2001:db8::1 ip6:2001:db8::/32 ip6:::/0 ip6:::ffff:192.0.2.1", NULL },
    { "v=spf1 include:_spf.example.com include:a-b.example.com.", NULL },
    { "v=spf1 redirect=example.com exp=explain.example.com", NULL },
    { "v=spf1 exists:%{i}._x.%{d}", NULL },
    { "v=spf1 exists:%{ir}.%{v}._spf.%{d2} exists:%{l1r-}.%{D}", NULL },
    { "v=spf1 exists:%{l1r+.-/,_=}.example.com", NULL },
    { "v=spf1 include:%%.%_.%-.example.com", NULL },
    { "v=spf1 a:%{d}", NULL },
    { "v=spf1 a:foo/bar.example.com/24", NULL },
    { "v=spf1 unknown=anything%{s} x-y.z_1=", NULL },
    { "v=spf1 include=example.com all=x", NULL }, /* modifiers that nobody knows */
    { "v=spf1 exp=%{d}.example.com unknown=%{r}", NULL },
    { "v=spf1 exp=%{c}.example.com", "exp=%{c}.example.com", 7 },
    { "v=spf1 exp=%{r}", "exp=%{r}", 7 },
    { "v=spf1 -all exp=x.%{T}.example.com", "exp=x.%{T}.example.com", 12 },
    { "v=spf1 a:example.xn--p1ai", NULL },
    { "v=spf1 a:example.1a a:example.a-1", NULL },
    { "v=spf1 a:example.com mx -all moo=1", NULL },

    { "v=spf1\t-all", "\t-all", 6 },
    { "v=spf1 a\tmx", "a\tmx", 7 },
    { "v=spf1 all.", "all.", 7 },
    { "v=spf1 all:example.com", "all:example.com", 7 },
    { "v=spf1 -all/24", "-all/24", 7 },
    { "v=spf1 ip4:1.2.3.4/33", "ip4:1.2.3.4/33", 7 },
    { "v=spf1 ip4:1.2.3.4/08", "ip4:1.2.3.4/08", 7 },
    { "v=spf1 ip4:1.2.3.4/", "ip4:1.2.3.4/", 7 },
    { "v=spf1 ip4:1.2.3.4//24", "ip4:1.2.3.4//24", 7 },
    { "v=spf1 ip4:1.2.3", "ip4:1.2.3", 7 },
    { "v=spf1 ip4:1.2.3.256", "ip4:1.2.3.256", 7 },
    { "v=spf1 ip4:01.2.3.4", "ip4:01.2.3.4", 7 },
    { "v=spf1 ip4:::1", "ip4:::1", 7 },
    { "v=spf1 ip4", "ip4", 7 },
    { "v=spf1 ip4:", "ip4:", 7 },
    { "v=spf1 ip4:example.com", "ip4:example.com", 7 },
    { "v=spf1 ip6::::1", "ip6::::1", 7 },
    { "v=spf1 ip6:2001:db8::/129", "ip6:2001:db8::/129", 7 },
    { "v=spf1 ip6:1.2.3.4", "ip6:1.2.3.4", 7 },
    { "v=spf1 ip6", "ip6", 7 },
    { "v=spf1 a:/24", "a:/24", 7 },
    { "v=spf1 a:", "a:", 7 },
    { "v=spf1 a/33", "a/33", 7 },
    { "v=spf1 a//129", "a//129", 7 },
    { "v=spf1 a/24/64", "a/24/64", 7 },
    { "v=spf1 a//64/24", "a//64/24", 7 },
    { "v=spf1 a:example.com:8080", "a:example.com:8080", 7 },
    { "v=spf1 a:localhost", "a:localhost", 7 },
    { "v=spf1 a:example.123", "a:example.123", 7 },
    { "v=spf1 a:example.com-", "a:example.com-", 7 },
    { "v=spf1 a:example.-com", "a:example.-com", 7 },
    { "v=spf1 a:ex\xc3\xa4mple.com", "a:ex\xc3\xa4mple.com", 7 },
    { "v=spf1 mx:", "mx:", 7 },
    { "v=spf1 mx=example.com.:", NULL },
    { "v=spf1 include", "include", 7 },
    { "v=spf1 include:", "include:", 7 },
    { "v=spf1 include/24", "include/24", 7 },
    { "v=spf1 include:example.com/24", "include:example.com/24", 7 },
    { "v=spf1 exists", "exists", 7 },
    { "v=spf1 exists:", "exists:", 7 },
    { "v=spf1 exists:%{z}.example.com", "exists:%{z}.example.com", 7 },
    { "v=spf1 exists:%{c}.example.com", "exists:%{c}.example.com", 7 },
    { "v=spf1 exists:%{i0}.example.com", "exists:%{i0}.example.com", 7 },
    { "v=spf1 exists:%{ir-x}.example.com", "exists:%{ir-x}.example.com", 7 },
    { "v=spf1 exists:%{i.example.com", "exists:%{i.example.com", 7 },
    { "v=spf1 exists:example.com%", "exists:example.com%", 7 },
    { "v=spf1 exists:%a.example.com", "exists:%a.example.com", 7 },
    { "v=spf1 exists:%{}.example.com", "exists:%{}.example.com", 7 },
    { "v=spf1 unknown=%", "unknown=%", 7 },
    { "v=spf1 ptr/24", "ptr/24", 7 },
    { "v=spf1 redirect", "redirect", 7 },
    { "v=spf1 redirect=", "redirect=", 7 },
    { "v=spf1 redirect:example.com", "redirect:example.com", 7 },
    { "v=spf1 -redirect=example.com", "-redirect=example.com", 7 },
    { "v=spf1 redirect=a.com redirect=b.com", "redirect=b.com", 22 },
    { "v=spf1 exp=a.com exp=a.com", "exp=a.com", 17 },
    { "v=spf1 moo", "moo", 7 },
    { "v=spf1 =moo", "=moo", 7 },
    { "v=spf1 1=moo", "1=moo", 7 },
    { "v=spf1 --all", "--all", 7 },
    { "v=spf1 -", "-", 7 },
    { "v=spf1 -all;", "-all;", 7 },
    { "v=spf1 -all \"", "\"", 12 },
    { "v=spf1 -all moo", "moo", 12 }, /* also behind all */
    { "v=spf1 a, mx", "a,", 7 },
    { "v=spf1 ip4: 192.0.2.1", "ip4:", 7 },
};

static void check_record(void **state)
{
    const struct record_row *row = *state;
    struct text text = text_of(row->record);
    struct spf_record record;
    struct spf_error error;
    if (text.bytes[6] != '\t')
        assert_true(spf_is_record(text));
    bool ok = spf_read(text, &record, &error);
    assert_int_equal(ok, row->term == NULL);
    if (!row->term)
        return spf_record_free(&record);
    assert_int_equal(error.term.size, strlen(row->term));
    assert_memory_equal(error.term.bytes, row->term, error.term.size);
    assert_int_equal(error.position, row->position);
    assert_null(record.term);
}

/* ---- which text is a record ---- */

struct version_row {
    const char *text; /* its name, too */
    bool is_record;
};

static const struct version_row versions[] = {
    { "v=spf1", true },      { "v=spf1 a", true },         { "V=sPf1 a", true },
    { "v=spf10", false },    { "v=spf1-all", false },      { " v=spf1 -all", false },
    { "spf2.0/pra", false }, { "\"v=spf1 -all\"", false }, { "", false },
    { "v=spf", false },
};

static void check_version(void **state)
{
    const struct version_row *row = *state;
    assert_int_equal(spf_is_record(text_of(row->text)), row->is_record);
}

/* ---- macros ---- */

struct macro_row {
    const char *spec; /* its name, too */
    const char *name; /* NULL: it depends on the mail */
};

static const struct macro_row macros[] = {
    { "Example.COM", "example.com" },
    { "a.%{d}", "a.strong.email.example.com" },
    { "%{D}", "strong.email.example.com" },
    { "%{d4}", "strong.email.example.com" },
    { "%{d2}", "example.com" },
    { "%{d1}", "com" },
    { "%{dr}", "com.example.email.strong" },
    { "%{d2r}", "email.strong" },
    { "%{dg}", NULL },
    { "%{d-}", "strong.email.example.com" },
    { "%{d1e}", NULL },
    { "%{d2-}.x.com", "strong.email.example.com.x.com" },
    { "%%a.com", "%a.com" },
    { "%_a.com", "\\032a.com" },
    { "%-a.com", "%20a.com" },
    { "%{i}.%{d}", NULL },
    { "%{s}", NULL },
    { "%{l}.a.com", NULL },
    { "%{o}", NULL },
    { "a.com.", "a.com" },
    { "a\\b.com", "a\\\\b.com" },
};

static void check_macro(void **state)
{
    const struct macro_row *row = *state;
    scoped(buf_free) struct buf name = BUF(4096);
    bool ok = spf_expand(text_of(row->spec), "strong.email.example.com", NULL, &name);
    assert_int_equal(ok, row->name != NULL);
    if (ok)
        assert_string_equal(buf_str(&name), row->name);
}

/* RFC 7208 section 7.4, without its rows about the local part, which is postmaster here. */
struct sender_row {
    const char *spec; /* its name, too */
    const char *address;
    const char *name;
};

static const struct sender_row sender_rows[] = {
    { "%{s}", "192.0.2.3", "postmaster@email.example.com" },
    { "%{S}", "192.0.2.3", "postmaster%40email.example.com" },
    { "%{o}", "192.0.2.3", "email.example.com" },
    { "%{d2r}.%{h1}", "192.0.2.3", "email.strong.com" },
    { "%{ir}.%{v}._spf.%{d2}", "192.0.2.3", "3.2.0.192.in-addr._spf.example.com" },
    { "%{lr-}.lp._spf.%{d2}", "192.0.2.3", "postmaster.lp._spf.example.com" },
    { "%{ir}.%{v}.%{l1r-}.lp._spf.%{d2}", "192.0.2.3",
      "3.2.0.192.in-addr.postmaster.lp._spf.example.com" },
    { "%{d2}.trusted-domains.example.net", "192.0.2.3", "example.com.trusted-domains.example.net" },
    { "%{ir}.%{v}._spf.example.com", "2001:db8::cb01",
      "1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6._spf.example.com" },
    { "%{p}._spf.%{d2}", "192.0.2.3", "mx.example.org._spf.example.com" },
    { "%{i2}.a.com", "192.0.2.3", "2.3.a.com" },
};

static void check_sender_macro(void **state)
{
    const struct sender_row *row = *state;
    struct spf_sender sender = { .domain = "email.example.com", .validated = "mx.example.org" };
    scoped(buf_free) struct buf name = BUF(4096);
    assert_true(address_parse(text_of(row->address), &sender.address));
    assert_true(spf_expand(text_of(row->spec), "strong.email.example.com", &sender, &name));
    assert_string_equal(buf_str(&name), row->name);
}

/* RFC 7208 section 7.3: labels go from the left. */
static void check_long_name(void **state)
{
    enum { TIMES = 30 };
    scoped(buf_free) struct buf spec = BUF(4096);
    scoped(buf_free) struct buf name = BUF(4096);
    (void)state;
    for (int i = 0; i < TIMES; i++)
        buf_add_str(&spec, "0123456789.");
    buf_add_str(&spec, "com");
    assert_true(spf_expand(buf_text(&spec), "a.com", NULL, &name));
    assert_int_equal(name.size, 22 * 11 + 3);
    assert_string_equal(buf_str(&name) + name.size - 4, ".com");
}

int main(void)
{
    static const struct CMUnitTest others[] = { cmocka_unit_test(check_long_name) };
    int failed = RUN_ROWS(records, check_record);
    failed += RUN_ROWS(versions, check_version);
    failed += RUN_ROWS(macros, check_macro);
    failed += RUN_ROWS(sender_rows, check_sender_macro);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
