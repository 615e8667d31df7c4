/* tests/unit/svc-email/records/records.c - DKIM keys, DMARC records and MTA-STS policies, without a
 * network. */
#include <string.h>

#include "../keys.h"
#include "base/buf.h"
#include "records/dkim-key.h"
#include "records/dmarc.h"
#include "records/sts-policy.h"
#include "rows.h"

/* ---- DKIM: RFC 6376 section 3.6.1 ---- */

struct key_row {
    const char *name;
    const char *record;
    enum dkim_state state;
    bool is_usable;
    unsigned bits;
    const char *error; /* a part of it; NULL: none */
};

static const struct key_row keys[] = {
    { "RSA of 2048 bits", "v=DKIM1; k=rsa; p=" KEY_2048, DKIM_KEY_VALID, true, 2048 },
    { "p alone", "p=" KEY_2048, DKIM_KEY_VALID, true, 2048 },
    { "a final semicolon", "v=DKIM1; p=" KEY_1024 ";", DKIM_KEY_VALID, true, 1024 },
    { "white space in p", "v=DKIM1;\tp= " KEY_1024 " \t\r\n ; n=a note", DKIM_KEY_VALID, true,
      1024 },
    { "RSA of 512 bits", "p=" KEY_512, DKIM_KEY_VALID, false, 512 },
    { "a bare RSAPublicKey", "p=" KEY_BARE, DKIM_KEY_VALID, true, 2048 },
    { "an even exponent", "p=" KEY_EVEN, DKIM_KEY_VALID, false, 2048 },
    { "Ed25519", "v=DKIM1; k=ed25519; p=" KEY_ED25519, DKIM_KEY_VALID, true, 256 },
    { "Ed25519 that is RSA", "k=ed25519; p=" KEY_2048, DKIM_KEY_INVALID, false, 256, "32 octets" },
    { "RSA that is Ed25519", "p=" KEY_ED25519, DKIM_KEY_INVALID, false, 0, "not an RSA key" },
    { "revoked", "v=DKIM1; p=", DKIM_KEY_REVOKED, false, 0 },
    { "revoked, and a blank", "v=DKIM1; p= ;", DKIM_KEY_REVOKED, false, 0 },
    { "SHA-256", "h=sha1:sha256; p=" KEY_2048, DKIM_KEY_VALID, true, 2048 },
    { "SHA-1 alone", "h=sha1; p=" KEY_2048, DKIM_KEY_VALID, false, 2048 },
    { "for email", "s=other:email; p=" KEY_2048, DKIM_KEY_VALID, true, 2048 },
    { "for all", "s=*; p=" KEY_2048, DKIM_KEY_VALID, true, 2048 },
    { "not for email", "s=other; p=" KEY_2048, DKIM_KEY_INVALID, false, 0, "not for email" },
    { "no p", "v=DKIM1; k=rsa", DKIM_KEY_INVALID, false, 0, "no p" },
    { "another text", "v=spf1 -all", DKIM_KEY_INVALID, false, 0, "no p" },
    { "no tags", "hello", DKIM_KEY_INVALID, false, 0, "not a tag list" },
    { "v at the end", "p=" KEY_2048 "; v=DKIM1", DKIM_KEY_INVALID, false, 0,
      "not as its first tag" },
    { "another version", "v=DKIM2; p=" KEY_2048, DKIM_KEY_INVALID, false, 0, "version" },
    { "a version in small letters", "v=dkim1; p=" KEY_2048, DKIM_KEY_INVALID, false, 0, "version" },
    { "another type", "k=dsa; p=" KEY_2048, DKIM_KEY_INVALID, false, 0, "unknown key type" },
    { "p twice", "p=" KEY_2048 "; p=" KEY_2048, DKIM_KEY_INVALID, false, 0, "twice" },
    { "no base64", "p=MIIB!", DKIM_KEY_INVALID, false, 0, "base64" },
    { "base64 of URLs", "p=MIIB-_", DKIM_KEY_INVALID, false, 0, "base64" },
    { "a cut key", "p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A", DKIM_KEY_INVALID, false, 0,
      "not an RSA key" },
    { "an unknown tag", "v=DKIM1; x=1; p=" KEY_2048, DKIM_KEY_VALID, true, 2048 },
    { "an empty tag", "v=DKIM1;; p=" KEY_2048, DKIM_KEY_VALID, true, 2048 },
};

static void check_key(void **state)
{
    const struct key_row *row = *state;
    struct dkim_key key;
    dkim_key_read(text_of(row->record), &key);
    assert_string_equal(key.error && !row->error ? key.error : "", "");
    assert_int_equal(key.state, row->state);
    assert_int_equal(dkim_key_is_usable(&key), row->is_usable);
    assert_int_equal(key.bits, row->bits);
    if (row->error)
        assert_non_null(strstr(key.error, row->error));
}

static void check_flags(void **state)
{
    struct dkim_key key;
    (void)state;
    dkim_key_read(text_of("t=s:Y; p=" KEY_BARE), &key);
    assert_true(key.is_testing && key.is_strict && key.is_bare);
    dkim_key_read(text_of("t=x; p=" KEY_2048), &key);
    assert_false(key.is_testing || key.is_strict || key.is_bare);
}

/* ---- DMARC: RFC 7489 section 6.3 ---- */

struct dmarc_row {
    const char *record; /* its name, too */
    const char *want; /* p/sp/np of a domain, a subdomain and one that does not exist, then what is
                       * odd: lack pct=N test psd=X bad:TAG unknown late rua=N ruf=N; void */
};

static const struct dmarc_row dmarcs[] = {
    { "v=DMARC1; p=reject", "reject/reject/reject" },
    { "v=DMARC1;p=none;", "none/none/none" },
    { "v = DMARC1 ; p = Quarantine", "quarantine/quarantine/quarantine" },
    { "v=DMARC1; p=reject; sp=none", "reject/none/none" },
    { "v=DMARC1; p=reject; sp=quarantine; np=none", "reject/quarantine/none" },
    { "v=DMARC1; p=none; np=reject", "none/none/reject" },
    { "v=DMARC1; p=reject; t=y", "reject/reject/reject test" },
    { "v=DMARC1; p=reject; psd=y", "reject/reject/reject psd=y" },
    { "v=DMARC1; p=reject; psd=n; t=n", "reject/reject/reject psd=n" },
    { "v=DMARC1; p=reject; pct=30", "reject/reject/reject pct=30" },
    { "v=DMARC1; p=reject; pct=0", "reject/reject/reject pct=0" },
    { "v=DMARC1; p=reject; pct=101", "reject/reject/reject bad:pct" },
    { "v=DMARC1; p=reject; pct=-1", "reject/reject/reject bad:pct" },
    { "v=DMARC1; p=reject; pct=", "reject/reject/reject bad:pct" },
    { "v=DMARC1; p=reject; sp=block", "reject/reject/reject bad:sp" },
    { "v=DMARC1; p=reject; adkim=x; aspf=S", "reject/reject/reject bad:adkim" },
    { "v=DMARC1; p=reject; fo=0:1:d:s", "reject/reject/reject" },
    { "v=DMARC1; p=reject; fo=2", "reject/reject/reject bad:fo" },
    { "v=DMARC1; p=reject; rf=afrf; ri=3600", "reject/reject/reject" },
    { "v=DMARC1; p=reject; rf=iodef", "reject/reject/reject bad:rf" },
    { "v=DMARC1; p=reject; ri=4294967296", "reject/reject/reject bad:ri" },
    { "v=DMARC1; p=reject; psd=x; t=maybe", "reject/reject/reject bad:psd bad:t" },
    { "v=DMARC1; p=reject; x=1; foo=bar", "reject/reject/reject unknown" },
    { "v=DMARC1;; p=reject;;", "reject/reject/reject" },
    { "v=DMARC1; sp=none; p=reject", "reject/none/none late" },
    { "v=DMARC1; p=reject; rua=mailto:a@b.com", "reject/reject/reject rua=1" },
    { "v=DMARC1; p=reject; rua=mailto:a@b.com!10m,mailto:c@d.com ; ruf=mailto:e@f.com",
      "reject/reject/reject rua=2 ruf=1" },
    { "v=DMARC1; rua=mailto:a@b.com", "none/none/none lack rua=1" },
    { "v=DMARC1; p=block; rua=mailto:a@b.com", "none/none/none lack bad:p rua=1" },
    { "v=DMARC1; p=block", "void" },
    { "v=DMARC1", "void" },
    { "v=DMARC1; p=", "void" },
    { "v=DMARC1; rua=https://a.com/", "void" },
    { "v=DMARC1; p=none; p=reject", "void" },
    { "v=DMARC1; p=reject; nonsense", "reject/reject/reject part" },
    { "v=DMARC1, p=reject", NULL },
    { "v=DMARC1p=reject", NULL },
    { "v=dmarc1; p=reject", NULL },
    { "V=DMARC1; p=reject", NULL },
    { "v=DMARC2; p=reject", NULL },
    { " v=DMARC1; p=reject", NULL },
    { "p=reject; v=DMARC1", NULL },
    { "", NULL },
};

static void describe(const struct dmarc *dmarc, struct buf *out)
{
    for (int subject = DMARC_OF_ITSELF; subject <= DMARC_OF_MISSING_SUBDOMAIN; subject++)
        buf_format(out, "%s%s", subject > 0 ? "/" : "",
                   dmarc_policy_name(dmarc_policy_for(dmarc, (enum dmarc_subject)subject)));
    if (dmarc->has_no_policy)
        buf_add_str(out, " lack");
    if (dmarc->pct < 100)
        buf_format(out, " pct=%u", dmarc->pct);
    if (dmarc->is_testing)
        buf_add_str(out, " test");
    if (dmarc->psd != 'u')
        buf_format(out, " psd=%c", dmarc->psd);
    for (unsigned i = 0; i < DMARC_TAGS; i++)
        if (dmarc->is_bad[i])
            buf_format(out, " bad:%s", dmarc_tag_name((enum dmarc_tag)i));
    if (dmarc->has_unknown_tag)
        buf_add_str(out, " unknown");
    if (dmarc->has_malformed_part)
        buf_add_str(out, " part");
    if (dmarc->has_p_late)
        buf_add_str(out, " late");
    if (dmarc->rua.count > 0)
        buf_format(out, " rua=%zu", dmarc->rua.count);
    if (dmarc->ruf.count > 0)
        buf_format(out, " ruf=%zu", dmarc->ruf.count);
}

static void check_dmarc(void **state)
{
    const struct dmarc_row *row = *state;
    scoped(buf_free) struct buf got = BUF(1000);
    struct dmarc dmarc;
    assert_int_equal(dmarc_is_record(text_of(row->record)), row->want != NULL);
    if (!row->want)
        return;
    dmarc_read(text_of(row->record), &dmarc);
    if (dmarc.is_void)
        buf_add_str(&got, "void");
    else
        describe(&dmarc, &got);
    assert_string_equal(buf_str(&got), row->want);
}

/* ---- destinations of reports: RFC 7489 section 6.2 ---- */

struct uri_row {
    const char *uri;    /* its name, too */
    const char *domain; /* ""; it has no address */
    bool has_size;
};

static const struct uri_row uris[] = {
    { "mailto:a@b.com", "b.com" },
    { "MAILTO:a@b.com", "b.com" },
    { "mailto:a@b.com!10m", "b.com", true },
    { "mailto:a@b.com!50", "b.com", true },
    { "mailto:a@b.com!x", "" },
    { "mailto:a+b@c.d.com?subject=x", "c.d.com" },
    { "mailto:a", "" },
    { "mailto:@b.com", "" },
    { "mailto:a@", "" },
    { "mailto:a@b", "" },
    { "mailto:a@b..com", "" },
    { "mailto:a b@c.com", "" },
    { "mailto:.a@b.com", "" },
    { "a@b.com", "" },
    { "https://b.com/", "" },
};

static void check_uri(void **state)
{
    const struct uri_row *row = *state;
    scoped(mem_free) char *record = str_format("v=DMARC1; p=none; rua=%s", row->uri);
    struct dmarc dmarc;
    dmarc_read(text_of(record), &dmarc);
    assert_int_equal(dmarc.rua.count, 1);
    assert_true(text_is(dmarc.rua.item[0].domain, row->domain));
    assert_int_equal(dmarc.rua.item[0].has_size, row->has_size);
}

/* ---- MTA-STS: RFC 8461 section 3.2 ---- */

struct policy_row {
    const char *name;
    const char *policy;
    const char *error;  /* a part of it; NULL: none */
    const char *allows; /* a host; NULL: mail.a.com */
    bool refuses;
};

#define HEAD "version: STSv1\n"
#define AGE  "max_age: 86400\n"

static const struct policy_row policies[] = {
    { "as it should be", HEAD "mode: enforce\nmx: mail.a.com\n" AGE },
    { "CRLF", "version: STSv1\r\nmode: testing\r\nmx: mail.a.com\r\nmax_age: 1\r\n" },
    { "no line end", HEAD "mode: enforce\nmx: mail.a.com\nmax_age: 1" },
    { "a wildcard", HEAD "mode: enforce\nmx: *.a.com\n" AGE },
    { "capitals", HEAD "mode: enforce\nmx: MAIL.A.com\n" AGE },
    { "one of several", HEAD "mode: enforce\nmx: b.com\nmx: *.a.com\n" AGE },
    { "a wildcard is one label", HEAD "mode: enforce\nmx: *.a.com\n" AGE, NULL, "x.mail.a.com",
      true },
    { "a wildcard is a label", HEAD "mode: enforce\nmx: *.a.com\n" AGE, NULL, "a.com", true },
    { "another host", HEAD "mode: enforce\nmx: mail.b.com\n" AGE, NULL, NULL, true },
    { "none needs no mx", HEAD "mode: none\n" AGE, NULL, NULL, true },
    { "an unknown key", HEAD "mode: enforce\nfoo: bar\nmx: mail.a.com\n" AGE },
    { "a key twice", HEAD "mode: enforce\nmode: none\nmx: mail.a.com\n" AGE },
    { "no version", "mode: enforce\nmx: mail.a.com\n" AGE, "does not begin" },
    { "empty", "", "no version" },
    { "another version", "version: STSv2\nmode: enforce\nmx: a.com\n" AGE, "other than STSv1" },
    { "no mode", HEAD "mx: mail.a.com\n" AGE, "no mode" },
    { "another mode", HEAD "mode: maybe\nmx: mail.a.com\n" AGE, "a mode other" },
    { "no max_age", HEAD "mode: enforce\nmx: mail.a.com\n", "no max_age" },
    { "max_age of a year and a second", HEAD "mode: enforce\nmx: a.com\nmax_age: 31557601\n",
      "max_age" },
    { "no mx", HEAD "mode: enforce\n" AGE, "no mx" },
    { "an mx that is none", HEAD "mode: enforce\nmx: a b\n" AGE, "not a host name" },
    { "a page", "<html>\n<body>hello</body>\n", "not key: value" },
};

static void check_policy(void **state)
{
    const struct policy_row *row = *state;
    struct sts_policy policy;
    sts_policy_read(text_of(row->policy), &policy);
    assert_int_equal(policy.error != NULL, row->error != NULL);
    if (row->error && policy.error)
        assert_non_null(strstr(policy.error, row->error));
    else
        assert_int_equal(sts_policy_allows(&policy, row->allows ? row->allows : "mail.a.com"),
                         !row->refuses);
    assert_int_equal(policy.has_repeats, strcmp(row->name, "a key twice") == 0);
}

int main(void)
{
    static const struct CMUnitTest others[] = { cmocka_unit_test(check_flags) };
    int failed = RUN_ROWS(keys, check_key);
    failed += RUN_ROWS(dmarcs, check_dmarc);
    failed += RUN_ROWS(uris, check_uri);
    failed += RUN_ROWS(policies, check_policy);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
