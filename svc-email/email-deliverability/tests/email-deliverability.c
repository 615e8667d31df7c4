/* svc-email/email-deliverability/tests/email-deliverability.c - the whole tool with a small DNS: a
 * row for each rule, with the points and findings of one check. */
#include <string.h>

#include "base/buf.h"
#include "blocklists/sender-files.h"
#include "email-deliverability/judge.h"
#include "net/http/fetch.h"
#include "svc-email/keys.h"
#include "svc-email/zone.h"
#include "text/domains/public-suffix.h"
#include "tool.h"
#include "tools.h"

static struct sender_files files; /* without lists, which only Sender needs */
static struct public_suffixes *suffixes;
static const char *policy_text; /* content of mta-sts.txt; NULL: the fetch fails */
static const char *policy_type;
static int policy_status;

/* ---- replacements for the network ---- */

const struct public_suffixes *__wrap_egress_suffixes(const struct egress *egress);
bool __wrap_fetch_guarded(struct egress_session *session, const struct target *target,
                          const struct fetch_options *options, struct fetch *fetch,
                          struct err *err);

const struct public_suffixes *__wrap_egress_suffixes(const struct egress *egress)
{
    (void)egress;
    return suffixes;
}

bool __wrap_fetch_guarded(struct egress_session *session, const struct target *target,
                          const struct fetch_options *options, struct fetch *fetch, struct err *err)
{
    (void)session;
    assert_string_equal(target->url, "https://mta-sts.a.com/.well-known/mta-sts.txt");
    assert_int_equal(options->max_redirects, 0);
    assert_true(options->must_verify);
    if (!policy_text)
        return err_set(err, ERR_TARGET_REFUSED, "the host refuses the connection");
    struct fetch_header *header = mem_new(sizeof(*header));
    *header = (struct fetch_header){ TEXT("Content-Type"), text_of(policy_type) };
    *fetch = (struct fetch){ .hop_count = 1, .body = BUF(100000) };
    fetch->hop[0] = (struct fetch_hop){
        .status = policy_status, .tls_verified = true, .header_count = 1, .header = header
    };
    buf_add_str(&fetch->body, policy_text);
    return true;
}

/* ---- rows ---- */

struct row {
    const char *name;
    const char *zone; /* of a.com */
    const char
        *want; /* "SPF pass 30", then its findings without severity info; or "json pointer=value" */
    const char *more;   /* another expectation; NULL: none */
    const char *domain; /* NULL: a.com */
};

#define GOOD_MX    "a.com MX 10 mx.a.com\nmx.a.com A 93.184.216.34\nmx.a.com AAAA 2606:2800:220:1::1\n"
#define GOOD_SPF   "a.com TXT \"v=spf1 mx -all\"\n"
#define GOOD_KEY   "s1._domainkey.a.com TXT \"v=DKIM1; p=" KEY_2048 "\"\n"
#define GOOD_DMARC "_dmarc.a.com TXT \"v=DMARC1; p=reject; rua=mailto:d@a.com\"\n"
#define GOOD_STS   "_mta-sts.a.com TXT \"v=STSv1; id=1\"\n"
#define GOOD_RPT   "_smtp._tls.a.com TXT \"v=TLSRPTv1; rua=mailto:t@a.com\"\n"
#define GOOD       GOOD_MX GOOD_SPF GOOD_KEY GOOD_DMARC GOOD_STS GOOD_RPT
#define CLOSED                                                                         \
    "a.com MX 0 .\na.com TXT \"v=spf1 -all\"\n_dmarc.a.com TXT \"v=DMARC1; p=reject; " \
    "rua=mailto:d@b.com\"\n"                                                           \
    "a.com._report._dmarc.b.com TXT v=DMARC1\nb.com A 93.184.216.34\n"
#define CLOSED_HALF "a.com MX 0 .\na.com TXT \"v=spf1 -all\"\n"
#define SPF(text)   GOOD_MX "a.com TXT \"v=spf1 " text "\"\n" GOOD_DMARC
#define DMARC(text) GOOD_MX GOOD_SPF "_dmarc.a.com TXT \"v=DMARC1; " text "\"\n"
#define DKIM(text)  GOOD_MX GOOD_SPF "s1._domainkey.a.com TXT \"" text "\"\n"
#define NET(name)   name " TXT \"v=spf1 ip4:93.184.216.0/24 -all\"\n"

/* A domain at a provider: its mail server, and the name that its SPF record includes. */
#define RECORD_AT(name)  name " TXT \"v=spf1 ip4:93.184.216.0/24 -all\"\n"
#define KEY_AT(selector) selector "._domainkey.a.com TXT \"v=DKIM1; p=" KEY_2048 "\"\n"
#define AT(mx, spf)                                                               \
    "a.com MX 10 " mx "\n" mx " A 93.184.216.34\na.com TXT \"v=spf1 include:" spf \
    " -all\"\n" RECORD_AT(spf) GOOD_DMARC

#define X10  "xxxxxxxxxx"
#define X20  X10 X10
#define X100 X20 X20 X20 X20 X20
#define X400 X100 X100 X100 X100

static const struct row rows[] = {
    { "all is well", GOOD, "grade=A+", "score=100" },
    { "all is well: MX", GOOD, "MX pass 20" },
    { "all is well: SPF", GOOD, "SPF pass 30" },
    { "all is well: DKIM", GOOD, "DKIM pass 20" },
    { "all is well: DMARC", GOOD, "DMARC pass 30" },
    { "all is well: MTA-STS", GOOD, "MTA-STS pass" },
    { "no MTA-STS is no A+", GOOD_MX GOOD_SPF GOOD_KEY GOOD_DMARC GOOD_RPT, "grade=A",
      "score=100" },
    { "no TLS-RPT is no A+", GOOD_MX GOOD_SPF GOOD_KEY GOOD_DMARC GOOD_STS, "grade=A",
      "score=100" },
    { "a name that does not exist", "b.com A 1.1.1.1\n", "grade=F", "score=0" },
    { "a name that does not exist: a check", "b.com A 1.1.1.1\n", "MX fail 0 DOMAIN_NOT_FOUND" },
    { "closed to mail", CLOSED, "grade=A+", "score=100" },
    { "closed to mail: MX", CLOSED, "MX pass 20" },
    { "closed to mail: DKIM", CLOSED, "DKIM info" },
    { "closed without MX and address",
      "a.com TXT \"v=spf1 -all\"\n_dmarc.a.com TXT \"v=DMARC1; p=reject\"\n", "MX pass 20" },
    { "closed, without DMARC: DMARC", CLOSED_HALF, "DMARC warn 12 DMARC_CLOSED_NONE", "grade=B" },
    { "closed, without DMARC: MX", CLOSED_HALF, "MX pass 20", "score=78" },
    { "closed, without DMARC: DKIM", CLOSED_HALF, "DKIM info" },
    { "sends nothing, without a null MX", "a.com A 93.184.216.34\na.com TXT \"v=spf1 -all\"\n",
      "MX warn 14 MX_CLOSED_IMPLICIT", "grade=B" },
    { "sends nothing, has no address", "a.com TXT \"v=spf1 -all\"\n", "MX pass 20", "grade=B" },
    { "closed: sends no mail", CLOSED, "sends_mail=false", "receives_mail=false" },

#include "email-deliverability/tests/mx-rows.def"

#include "email-deliverability/tests/spf-rows.def"

#include "email-deliverability/tests/dkim-rows.def"

#include "email-deliverability/tests/provider-rows.def"

    { "no DMARC", GOOD_MX GOOD_SPF, "DMARC fail 0 DMARC_NONE" },
    { "two DMARC records", DMARC("p=reject") "_dmarc.a.com TXT \"v=DMARC1; p=none\"\n",
      "DMARC fail 3 DMARC_MULTIPLE" },
    { "an invalid DMARC record", DMARC("p=maybe"), "DMARC fail 3 DMARC_INVALID" },
    { "no p", DMARC("rua=mailto:d@a.com"), "DMARC warn 12 DMARC_NO_P DMARC_P_NONE" },
    { "p=none", DMARC("p=none; rua=mailto:d@a.com"), "DMARC warn 12 DMARC_P_NONE" },
    { "p=quarantine", DMARC("p=quarantine; rua=mailto:d@a.com"), "DMARC pass 25" },
    { "pct=50", DMARC("p=reject; pct=50; rua=mailto:d@a.com"), "DMARC warn 21 DMARC_PCT" },
    { "pct=50 of quarantine", DMARC("p=quarantine; pct=50; rua=mailto:d@a.com"),
      "DMARC warn 18 DMARC_PCT" },
    { "t=y", DMARC("p=reject; t=y; rua=mailto:d@a.com"), "DMARC pass 25 DMARC_TEST_MODE" },
    { "t=y of quarantine", DMARC("p=quarantine; t=y; rua=mailto:d@a.com"),
      "DMARC warn 12 DMARC_P_NONE DMARC_TEST_MODE" },
    { "no reports", DMARC("p=reject"), "DMARC pass 26 DMARC_NO_RUA" },
    { "a weaker sp", DMARC("p=reject; sp=none; rua=mailto:d@a.com"),
      "DMARC pass 26 DMARC_SP_WEAKER" },
    { "a weaker np", DMARC("p=reject; np=none; rua=mailto:d@a.com"),
      "DMARC pass 29 DMARC_NP_WEAKER" },
    { "a bad value", DMARC("p=reject; adkim=x; rua=mailto:d@a.com"),
      "DMARC pass 29 DMARC_BAD_VALUE" },
    { "a part that is not a tag", DMARC("p=reject; nonsense; rua=mailto:d@a.com"),
      "DMARC pass 29 DMARC_BAD_VALUE" },
    { "a record at the domain itself", GOOD_MX "a.com TXT \"v=DMARC1; p=reject\"\n",
      "DMARC fail 0 DMARC_NONE DMARC_WRONG_LOCATION" },
    { "a blank in front", GOOD_MX "_dmarc.a.com TXT \" v=DMARC1; p=reject\"\n",
      "DMARC fail 0 DMARC_NONE DMARC_LEADING_SPACE" },
    { "SPF at _dmarc", GOOD_MX "_dmarc.a.com TXT \"v=spf1 -all\"\n",
      "DMARC fail 0 DMARC_NONE DMARC_SPF_THERE" },
    { "another text at _dmarc", GOOD_DMARC GOOD_MX "_dmarc.a.com TXT \"hello\"\n",
      "DMARC pass 30" },
    { "an external address that agrees",
      DMARC("p=reject; rua=mailto:d@b.com") "a.com._report._dmarc.b.com TXT \"v=DMARC1\"\nb.com A "
                                            "93.184.216.34\n",
      "DMARC pass 30", "/checks/3/data/rua/0/authorised=true" },
    { "an external address that agrees to all",
      DMARC("p=reject; rua=mailto:d@b.com") "*._report._dmarc.b.com TXT \"v=DMARC1;\"\nb.com A "
                                            "93.184.216.34\n",
      "DMARC pass 30" },
    { "an external address that does not agree",
      DMARC("p=reject; rua=mailto:d@b.com") "b.com A 93.184.216.34\n",
      "DMARC pass 28 DMARC_EXTERNAL_UNAUTHORISED" },
    { "an external address that does not answer",
      DMARC("p=reject; rua=mailto:d@b.com") "*.b.com * !SERVFAIL\nb.com A 93.184.216.34\n",
      "DMARC pass 30", "/checks/3/data/rua/0/authorised=null" },
    { "an address of the same owner",
      DMARC("p=reject; rua=mailto:d@reports.a.com") "reports.a.com A 93.184.216.34\n",
      "DMARC pass 30" },
    { "an address that takes no mail", DMARC("p=reject; rua=mailto:d@x.a.com"),
      "DMARC pass 29 DMARC_RUA_UNREACHABLE" },
    { "a destination of another scheme", DMARC("p=reject; rua=https://a.com/"),
      "DMARC pass 30 DMARC_RUA_SCHEME" },
    { "an address without mailto:", DMARC("p=reject; rua=d@a.com"),
      "DMARC pass 26 DMARC_RUA_NO_MAILTO" },
    { "one of two without mailto:", DMARC("p=reject; rua=mailto:d@a.com,e@a.com"),
      "DMARC pass 30 DMARC_RUA_NO_MAILTO" },
    { "a DMARC record in quotes", GOOD_MX "_dmarc.a.com TXT \"'v=DMARC1; p=reject'\"\n",
      "DMARC fail 0 DMARC_NONE DMARC_QUOTED" },
    { "a DMARC record without a semicolon", GOOD_MX "_dmarc.a.com TXT \"v=DMARC1 p=reject\"\n",
      "DMARC fail 0 DMARC_NONE DMARC_GLUED" },
    { "three destinations", DMARC("p=reject; rua=mailto:a@a.com,mailto:b@a.com,mailto:c@a.com"),
      "DMARC pass 30 DMARC_RUA_MANY" },
    { "DMARC without an answer", GOOD_MX GOOD_SPF GOOD_KEY "_dmarc.a.com TXT !SERVFAIL\n",
      "DMARC error" },
    { "the organisation's policy", GOOD_MX GOOD_DMARC "x.a.com A 93.184.216.34\n", "DMARC pass 30",
      "/checks/3/data/discovery=org", "x.a.com" },
    { "the organisation's sp",
      DMARC("p=reject; sp=none; rua=mailto:d@a.com") "x.a.com A 93.184.216.34\n",
      "DMARC warn 12 DMARC_P_NONE", "/checks/3/data/effective_policy=none", "x.a.com" },
    { "a policy between both",
      GOOD_DMARC "_dmarc.x.a.com TXT \"v=DMARC1; p=none\"\ny.x.a.com A 93.184.216.34\n",
      "/checks/3/data/rfc7489/domain=a.com", "/checks/3/data/rfc9989/domain=a.com", "y.x.a.com" },
    { "psd=n makes an organisation",
      GOOD_MX GOOD_DMARC
      "_dmarc.x.a.com TXT \"v=DMARC1; p=none; psd=n\"\ny.x.a.com A 93.184.216.34\n",
      "/checks/3/data/rfc9989/domain=x.a.com", "DMARC pass 29 DMARC_DISCOVERY_DIFFERS",
      "y.x.a.com" },
    { "psd=y below the organisation",
      "_dmarc.com TXT \"v=DMARC1; p=reject; psd=y\"\nx.a.com A 93.184.216.34\n",
      "/checks/3/data/rfc9989/policy=reject", "DMARC fail 0 DMARC_NONE DMARC_DISCOVERY_DIFFERS",
      "x.a.com" },
    { "eight labels are walked one by one", GOOD_DMARC "1.2.3.4.5.6.a.com A 93.184.216.34\n",
      "/checks/3/data/rfc9989/queries/1=_dmarc.2.3.4.5.6.a.com",
      "/checks/3/data/rfc9989/queries/7=_dmarc.com", "1.2.3.4.5.6.a.com" },
    { "a parent that does not answer is no difference",
      GOOD_MX GOOD_DMARC "_dmarc.com TXT !SERVFAIL\nx.a.com A 93.184.216.34\n", "DMARC pass 30",
      NULL, "x.a.com" },
    { "pct of none", DMARC("p=none; pct=50; rua=mailto:d@a.com"), "DMARC warn 12 DMARC_P_NONE" },
    { "t=y of none", DMARC("p=none; t=y; rua=mailto:d@a.com"),
      "DMARC warn 12 DMARC_P_NONE DMARC_TEST_MODE" },
    { "nine labels are walked in eight questions",
      GOOD_DMARC "1.2.3.4.5.6.7.a.com A 93.184.216.34\n",
      "/checks/3/data/rfc9989/queries/1=_dmarc.3.4.5.6.7.a.com",
      "/checks/3/data/rfc9989/queries/7=_dmarc.com", "1.2.3.4.5.6.7.a.com" },

    { "no MTA-STS", GOOD_MX, "MTA-STS info" },
    { "two MTA-STS records", GOOD "_mta-sts.a.com TXT \"v=STSv1; id=2\"\n",
      "MTA-STS fail MTA_STS_RECORD" },
    { "no id", GOOD_MX "_mta-sts.a.com TXT \"v=STSv1;\"\n", "MTA-STS fail MTA_STS_RECORD" },
    { "an id of 33 letters",
      GOOD_MX "_mta-sts.a.com TXT \"v=STSv1; id=123456789012345678901234567890123\"\n",
      "MTA-STS fail MTA_STS_RECORD" },
    { "an id of 32 letters",
      GOOD_MX "_mta-sts.a.com TXT \"v=STSv1; id=12345678901234567890123456789012\"\n",
      "MTA-STS pass" },
    { "an id with a hyphen", GOOD_MX "_mta-sts.a.com TXT \"v=STSv1; id=2026-11\"\n",
      "MTA-STS fail MTA_STS_RECORD" },
    { "a max_age of a day", GOOD, "MTA-STS pass", "/checks/4/detail=v=STSv1; id=1, mode enforce" },
    { "no policy", GOOD, "MTA-STS fail MTA_STS_FETCH" },
    { "status 404", GOOD, "MTA-STS fail MTA_STS_FETCH" },
    { "a redirect to the policy", GOOD, "MTA-STS fail MTA_STS_FETCH" },
    { "a bad policy", GOOD, "MTA-STS fail MTA_STS_POLICY" },
    { "an MX outside the enforced policy", GOOD, "MTA-STS fail MTA_STS_MX_ENFORCED" },
    { "an MX outside the tested policy", GOOD, "MTA-STS warn MTA_STS_MX MTA_STS_MODE" },
    { "mode none", GOOD, "MTA-STS warn MTA_STS_MODE" },
    { "a short max_age", GOOD, "MTA-STS warn MTA_STS_MAX_AGE" },
    { "an HTML policy", GOOD, "MTA-STS warn MTA_STS_TYPE" },
    { "a key of the policy twice", GOOD, "MTA-STS pass MTA_STS_REPEATED" },
    { "TLS-RPT", GOOD, "TLS-RPT pass" },
    { "TLS-RPT by https", GOOD_MX "_smtp._tls.a.com TXT \"v=TLSRPTv1;rua=https://a.com/x\"\n",
      "TLS-RPT pass" },
    { "TLS-RPT without rua", GOOD_MX "_smtp._tls.a.com TXT \"v=TLSRPTv1;\"\n",
      "TLS-RPT warn TLS_RPT_RECORD" },
    { "TLS-RPT twice", GOOD "_smtp._tls.a.com TXT \"v=TLSRPTv1; rua=mailto:a@a.com\"\n",
      "TLS-RPT warn TLS_RPT_RECORD" },
    { "TLS-RPT without an answer", GOOD_MX "_smtp._tls.a.com TXT !REFUSED\n", "TLS-RPT error" },
    { "BIMI",
      GOOD "default._bimi.a.com TXT \"v=BIMI1; l=https://a.com/l.svg; a=https://a.com/l.pem\"\n",
      "BIMI pass" },
    { "BIMI of the organisation",
      GOOD_DMARC
      "default._bimi.a.com TXT \"v=BIMI1; l=https://a.com/l.svg\"\nx.a.com A 93.184.216.34\n",
      "BIMI pass", "/checks/6/data/location=a.com", "x.a.com" },
    { "BIMI is declined", GOOD "default._bimi.a.com TXT \"v=BIMI1; l=; a=;\"\n", "BIMI pass" },
    { "BIMI with a PNG", GOOD "default._bimi.a.com TXT \"v=BIMI1; l=https://a.com/l.png\"\n",
      "BIMI warn BIMI_RECORD" },
    { "BIMI without DMARC", GOOD_MX "default._bimi.a.com TXT \"v=BIMI1; l=https://a.com/l.svg\"\n",
      "BIMI warn BIMI_DMARC" },
    { "BIMI with quarantine",
      DMARC("p=quarantine") "default._bimi.a.com TXT \"v=BIMI1; l=https://a.com/l.svg\"\n",
      "BIMI pass" },
    { "BIMI with a part of quarantine",
      DMARC("p=quarantine; pct=50") "default._bimi.a.com TXT \"v=BIMI1; l=https://a.com/l.svg\"\n",
      "BIMI warn BIMI_DMARC" },
    { "not signed", GOOD, "DNSSEC info" },
    { "signed", GOOD "a.com AD\n", "DNSSEC pass" },
    { "no TLSA", GOOD, "DANE info" },
    { "TLSA", GOOD "a.com AD\n_25._tcp.mx.a.com TLSA 3 1 1 0a0b\n", "DANE info",
      "/checks/8/data/hosts/0/records=1" },
    { "TLSA without DNSSEC", GOOD "_25._tcp.mx.a.com TLSA 3 1 1 0a0b\n",
      "DANE warn DANE_INSECURE" },

    { "umlauts", "xn--bcher-kva.com A 93.184.216.34\n", "domain=xn--bcher-kva.com",
      "domain_unicode=b\xc3\xbc"
      "cher.com",
      "B\xc3\xbc"
      "cher.com" },
    { "what to do first", GOOD_MX GOOD_KEY, "/recommendations/0/code=SPF_NONE",
      "/recommendations/1/code=DMARC_NONE" },
    { "the summary", GOOD, "/summary/pass=6", "/summary/info=3" },
};

/* ---- findings of severity info, which the rows above leave out ---- */

/* The finding is in the result for the zone, and not in that for a domain without problems. */
struct info_row {
    const char *name; /* its code */
    const char *zone;
    bool is_in_good; /* also in the result for a domain without problems */
};

static const struct info_row infos[] = {
    { "MX_NULL", "a.com MX 0 .\n" },
    { "MX_SINGLE", GOOD, true },
    { "MX_NO_IPV6", "a.com MX 10 mx.a.com\nmx.a.com A 93.184.216.34\n" },
    { "SPF_SOFTFAIL", SPF("mx ~all") },
    { "SPF_A_MX_UNUSED", SPF("a:x.a.com -all") },
    { "SPF_UNKNOWN_MODIFIER", SPF("mx moo=x -all") },
    { "SPF_MACRO", SPF("exists:%{i}.a.com -all") },
    { "SPF_TYPE99", GOOD "a.com SPF \"v=spf1 -all\"\n" },
    { "SPF_SENDER_ID", GOOD "a.com TXT \"spf2.0/pra -all\"\n" },
    { "SPF_UPPERCASE", GOOD_MX "a.com TXT \"v=SPF1 -all\"\n" },
    { "SPF_KNOWN_VENDOR",
      SPF("include:_spf.google.com -all") "_spf.google.com TXT \"v=spf1 -all\"\n" },
    { "DKIM_KEY_LONG", DKIM("p=" KEY_4352) },
    { "DKIM_SHARED_KEY", GOOD "k1._domainkey.a.com TXT \"p=" KEY_2048 "\"\n" },
    { "DKIM_CNAME", GOOD_MX "k1._domainkey.a.com CNAME k.b.com\nk.b.com TXT \"p=" KEY_2048 "\"\n" },
    { "DKIM_WILDCARD", GOOD_MX "*._domainkey.a.com TXT \"hello\"\n" },
    { "DMARC_UNRELATED_TXT", GOOD "_dmarc.a.com TXT \"hello\"\n" },
    { "DMARC_RUA_SIZE", DMARC("p=reject; rua=mailto:d@a.com!10m") },
    { "DMARC_DEPRECATED_TAG", DMARC("p=reject; ri=3600") },
    { "DMARC_UNKNOWN_TAG", DMARC("p=reject; x=y") },
    { "DMARC_P_ORDER", DMARC("sp=reject; p=reject") },
    { "DMARC_FO_WITHOUT_RUF", DMARC("p=reject; fo=1") },
    { "DMARC_STRICT", DMARC("p=reject; adkim=s") },
    { "MTA_STS_ABSENT", GOOD_MX },
    { "TLS_RPT_ABSENT", GOOD_MX },
    { "BIMI_ABSENT", GOOD, true },
    { "BIMI_DECLINED", GOOD "default._bimi.a.com TXT \"v=BIMI1; l=; a=;\"\n" },
    { "DNSSEC_ABSENT", GOOD, true },
    { "DANE_ABSENT", GOOD, true },
};

/* The findings of all rows. */
static bool was_seen[FINDINGS];

static bool has_finding(const cJSON *result, const char *code)
{
    const cJSON *row;
    const cJSON *finding;
    cJSON_ArrayForEach(row, json_get(result, "checks"))
        cJSON_ArrayForEach(finding, json_get(row, "findings"))
            if (strcmp(json_text(finding, "/code"), code) == 0)
                return true;
    return false;
}

static void note_seen(const cJSON *result)
{
    for (unsigned i = 0; i < FINDINGS; i++)
        was_seen[i] |= has_finding(result, finding_rows[i].code);
}

/* ---- the policies of rows ---- */

static const struct {
    const char *row;
    int status;
    const char *type;
    const char *text;
} policies[] = {
    { "no policy", 0, NULL, NULL },
    { "status 404", 404, "text/plain", "" },
    { "a redirect to the policy", 301, "text/plain", "" },
    { "a bad policy", 200, "text/plain", "hello" },
    { "an MX outside the enforced policy", 200, "text/plain",
      "version: STSv1\nmode: enforce\nmx: mx.b.com\nmax_age: 604800\n" },
    { "an MX outside the tested policy", 200, "text/plain",
      "version: STSv1\nmode: testing\nmx: mx.b.com\nmax_age: 604800\n" },
    { "mode none", 200, "text/plain", "version: STSv1\nmode: none\nmax_age: 604800\n" },
    { "a max_age of a day", 200, "text/plain",
      "version: STSv1\nmode: enforce\nmx: mx.a.com\nmax_age: 86400\n" },
    { "a short max_age", 200, "text/plain",
      "version: STSv1\nmode: enforce\nmx: mx.a.com\nmax_age: 86399\n" },
    { "an HTML policy", 200, "text/html",
      "version: STSv1\nmode: enforce\nmx: mx.a.com\nmax_age: 604800\n" },
    { "a key of the policy twice", 200, "text/plain",
      "version: STSv1\nmode: enforce\nmode: none\nmx: mx.a.com\nmax_age: 604800\n" },
};

/* The policy of a row, else one that enforces the zone's first mail server. */
static void choose_policy(const char *row, const char *zone)
{
    static char own[400];
    char mx[HOST_BYTES] = "*.a.com";
    int size = sscanf(zone, "a.com MX 10 %255s", mx);
    (void)size;
    snprintf(own, sizeof(own), "version: STSv1\nmode: enforce\nmx: %s\nmax_age: 604800\n", mx);
    policy_status = 200;
    policy_type = "text/plain; charset=us-ascii";
    policy_text = own;
    for (size_t i = 0; i < countof(policies); i++)
        if (strcmp(policies[i].row, row) == 0) {
            policy_status = policies[i].status;
            policy_type = policies[i].type;
            policy_text = policies[i].text;
        }
}

/* ---- expectations ---- */

/* "SPF pass 30 SPF_PTR", without findings of severity info. */
static void describe(const cJSON *row, struct buf *out)
{
    const cJSON *finding;
    buf_format(out, "%s %s", json_text(row, "/name"), json_text(row, "/status"));
    if (json_is(json_get(row, "points"), cJSON_Number))
        buf_format(out, " %d", json_get(row, "points")->valueint);
    cJSON_ArrayForEach(finding, json_get(row, "findings"))
        if (strcmp(json_text(finding, "/severity"), "info") != 0)
            buf_format(out, " %s", json_text(finding, "/code"));
}

static void assert_check(const cJSON *result, const char *want)
{
    const cJSON *row;
    size_t size = strcspn(want, " ");
    cJSON_ArrayForEach(row, json_get(result, "checks")) {
        scoped(buf_free) struct buf got = BUF(1000);
        const char *name = json_text(row, "/name");
        if (strlen(name) != size || strncmp(name, want, size) != 0)
            continue;
        describe(row, &got);
        assert_string_equal(buf_str(&got), want);
        return;
    }
    fail_msg("no check %s", want);
}

/* "name=text" or "/pointer=text", compared with the value in JSON without quotes. */
static void assert_member(const cJSON *result, const char *want)
{
    const char *equals = strchr(want, '=');
    scoped(mem_free) char *pointer =
        str_format("%s%.*s", want[0] == '/' ? "" : "/", (int)(equals - want), want);
    scoped(buf_free) struct buf got = BUF(10000);
    const cJSON *node = json_at(result, pointer);
    assert_non_null(node);
    if (json_is(node, cJSON_String))
        buf_add_str(&got, json_text_of(node).bytes);
    else
        json_print(node, &got);
    assert_string_equal(buf_str(&got), equals + 1);
}

static void assert_wanted(const cJSON *result, const char *want)
{
    if (strchr(want, '=') && !strchr(want, ' '))
        assert_member(result, want);
    else if (strchr(want, '='))
        assert_member(result, want);
    else
        assert_check(result, want);
}

static bool run(const char *domain, const char *zone, cJSON *result, struct err *err)
{
    scoped(mem_free) char *request = str_format("{'domain':'%s'}", domain);
    zone_of(zone);
    return run_tool_with(&files, email_deliverability, "email-deliverability", request, result,
                         NULL, err);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    choose_policy(row->name, row->zone);
    bool ok = run(row->domain ? row->domain : "a.com", row->zone, result, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    assert_true(zone_questions <= 160);
    note_seen(result);
    assert_wanted(result, row->want);
    if (row->more)
        assert_wanted(result, row->more);
}

static void check_info(void **state)
{
    const struct info_row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(json_free) cJSON *good = json_object();
    struct err err = { 0 };
    choose_policy("", "");
    assert_true(run("a.com", row->zone, result, &err));
    assert_true(run("a.com", GOOD, good, &err));
    note_seen(result);
    assert_true(has_finding(result, row->name));
    assert_int_equal(has_finding(good, row->name), row->is_in_good);
}

/* ---- rejections ---- */

struct refusal {
    const char *name;
    const char *request;
    enum err_kind kind;
    const char *zone;
};

static const struct refusal refusals[] = {
    { "two core checks fail", "{'domain':'a.com'}", ERR_UPSTREAM_UNAVAILABLE,
      "a.com A 93.184.216.34\na.com MX !SERVFAIL\na.com TXT !SERVFAIL\n" },
    { "nothing answers", "{'domain':'a.com'}", ERR_UPSTREAM_UNAVAILABLE,
      "*.com * !TIMEOUT\na.com * !TIMEOUT\n" },
    { "an IP address", "{'domain':'192.0.2.1'}", ERR_INVALID_DOMAIN, "" },
    { "a bad selector", "{'domain':'a.com','dkim_selectors':['-a']}", ERR_INVALID_VALUE, "" },
    { "an empty selector", "{'domain':'a.com','dkim_selectors':['']}", ERR_INVALID_VALUE, "" },
    { "six selectors", "{'domain':'a.com','dkim_selectors':['a','b','c','d','e','f']}",
      ERR_TOO_MANY_ITEMS, "" },
};

static void check_refusal(void **state)
{
    const struct refusal *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    zone_of(row->zone);
    assert_false(run_tool_with(&files, email_deliverability, "email-deliverability", row->request,
                               result, NULL, &err));
    assert_int_equal(err.kind, row->kind);
}

/* ---- others ---- */

static void check_own_selectors(void **state)
{
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    (void)state;
    choose_policy("", "");
    zone_of(GOOD_MX GOOD_SPF GOOD_DMARC "own.x._domainkey.a.com TXT \"p=" KEY_2048 "\"\n");
    assert_true(
        run_tool_with(&files, email_deliverability, "email-deliverability",
                      "{'domain':'https://a.com/','dkim_selectors':['OWN.x','own.x','google']}",
                      result, NULL, &err));
    assert_check(result, "DKIM pass 20");
    assert_member(result, "/checks/2/data/found/0/selector=own.x");
    assert_int_equal(json_size(json_at(result, "/checks/2/data/selectors_checked")), 10);
}

/* Endless includes stop at 40 queries. */
static void check_bomb(void **state)
{
    scoped(buf_free) struct buf zone = BUF(100000);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    (void)state;
    buf_add_str(&zone, GOOD_MX "a.com TXT \"v=spf1 include:0.b.com include:1.b.com -all\"\n");
    for (int i = 0; i < 60; i++)
        buf_format(&zone, "%d.b.com TXT \"v=spf1 include:%d.b.com include:%d.b.com -all\"\n", i,
                   2 * i + 2, 2 * i + 3);
    assert_true(run("a.com", buf_str(&zone), result, &err));
    assert_member(result, "/checks/1/data/truncated=true");
    assert_true(zone_questions < 160);
}

/* Some row has each finding of findings.def; sender.c and cases.yaml have the others. */
static void check_all_seen(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FINDINGS; i++)
        if (finding_rows[i].check < CHECK_SENDER && !was_seen[i])
            fail_msg("no row has %s", finding_rows[i].code);
}

static int open_data(void **state)
{
    struct err err;
    (void)state;
    return public_suffixes_load("", &suffixes, &err) &&
                   mail_providers_load(SOURCE_ROOT "/svc-email/senders/mail-providers.yaml",
                                       &files.providers, &err)
               ? 0
               : -1;
}

static int close_data(void **state)
{
    (void)state;
    public_suffixes_free(&suffixes);
    mail_providers_free(&files.providers);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(check_own_selectors),
        cmocka_unit_test(check_bomb),
        cmocka_unit_test(check_all_seen),
    };
    if (open_data(NULL) != 0)
        return 1;
    int failed = RUN_ROWS(rows, check);
    failed += RUN_ROWS(infos, check_info);
    failed += RUN_ROWS(refusals, check_refusal);
    failed += cmocka_run_group_tests(others, NULL, NULL);
    close_data(NULL);
    return failed;
}
