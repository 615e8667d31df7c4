/* svc-email/email-deliverability/tests/sender.c - the check of an address that sends: SPF evaluated
 * for it, its reverse name, and blocklists. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "blocklists/sender-files.h"
#include "email-deliverability/finding.h"
#include "probes/sender.h"
#include "svc-email/zone.h"
#include "text/domains/public-suffix.h"
#include "tool.h"
#include "tools.h"

static struct sender_files files;
static struct public_suffixes *suffixes;
static bool was_seen[FINDINGS];

const struct public_suffixes *__wrap_egress_suffixes(const struct egress *egress);

const struct public_suffixes *__wrap_egress_suffixes(const struct egress *egress)
{
    (void)egress;
    return suffixes;
}

/* ---- lists ---- */

#define LIST(id, category)                       \
    "- { id: " #id ", name: " #id ", zone: " #id \
    ".net, kind: [ipv4, ipv6], terms: open, category: " #category " }\n"
#define TESTS(id)                         \
    "2.0.0.127." #id ".net A 127.0.0.2\n" \
    "2.0.0.0.0.0.f.7.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0." #id ".net A 127.0.0.2\n"
#define LISTS_ANSWER ". NS a.root.\n" TESTS(bad) TESTS(wide) TESTS(other)

static bool open_lists(void)
{
    char path[] = "/tmp/dnsbls-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    fputs(LIST(bad, spam) LIST(wide, network) LIST(other, spam), file);
    fclose(file);
    bool ok = dnsbls_read(path, "", &files.lists, NULL);
    unlink(path);
    return ok;
}

/* The lists' health of an earlier row must not affect the next one. */
static void forget_health(void)
{
    dnsbls_free(&files.lists);
    assert_true(open_lists());
}

/* ---- rows ---- */

#define IP             "93.184.216.34"
#define IP6            "2606:2800:220::1"
#define A_COM          "a.com MX 10 mx.a.com\nmx.a.com A " IP "\nmx.a.com AAAA " IP6 "\n"
#define SPF(terms)     A_COM "a.com TXT \"v=spf1 " terms "\"\n"
#define X(name, terms) name " TXT \"v=spf1 " terms "\"\n"
#define REVERSE        "34.216.184.93.in-addr.arpa PTR mx.a.com.\n"

/* ---- SPF: RFC 7208 ---- */

struct spf_row {
    const char *name;
    const char *zone;
    const char *ip;
    const char *want; /* outcome, and the term that decided */
};

static const struct spf_row spf_rows[] = {
    { "ip4", SPF("ip4:" IP " -all"), IP, "pass ip4:" IP },
    { "ip4 network", SPF("ip4:93.184.216.0/24 -all"), IP, "pass ip4:93.184.216.0/24" },
    { "ip4 of another network", SPF("ip4:93.184.217.0/24 -all"), IP, "fail -all" },
    { "ip4 for an IPv6 address", SPF("ip4:0.0.0.0/0 -all"), IP6, "fail -all" },
    { "ip6", SPF("ip6:2606:2800::/32 -all"), IP6, "pass ip6:2606:2800::/32" },
    { "ip6 for an IPv4 address", SPF("ip6:::/0 -all"), IP, "fail -all" },
    { "~all", SPF("~all"), IP, "softfail ~all" },
    { "?all", SPF("?all"), IP, "neutral ?all" },
    { "no all", SPF("ip4:1.2.3.4"), IP, "neutral " },
    { "a qualifier of another term", SPF("-ip4:" IP " +all"), IP, "fail -ip4:" IP },
    { "no record", A_COM, IP, "none " },
    { "two records", SPF("-all") X("a.com", "+all"), IP, "permerror " },
    { "a syntax error after the match", SPF("ip4:" IP " -al"), IP, "permerror " },
    { "a", SPF("a -all") "a.com A " IP "\n", IP, "pass a" },
    { "a with a prefix", SPF("a/24 -all") "a.com A 93.184.216.1\n", IP, "pass a/24" },
    { "a for IPv6", SPF("a//64 -all") "a.com AAAA 2606:2800:220::9\n", IP6, "pass a//64" },
    { "a of another name", SPF("a:b.com -all") "b.com A " IP "\n", IP, "pass a:b.com" },
    { "mx", SPF("mx -all"), IP, "pass mx" },
    { "mx for IPv6", SPF("mx -all"), IP6, "pass mx" },
    { "mx with a prefix", SPF("mx/24 -all"), "93.184.216.99", "pass mx/24" },
    { "a null MX", "a.com MX 0 .\na.com TXT \"v=spf1 mx -all\"\n", IP, "fail -all" },
    { "include", SPF("include:b.com -all") X("b.com", "ip4:" IP " -all"), IP,
      "pass include:b.com" },
    { "include that fails", SPF("include:b.com ~all") X("b.com", "-all"), IP, "softfail ~all" },
    { "include that softfails", SPF("include:b.com -all") X("b.com", "~all"), IP, "fail -all" },
    { "include without a record", SPF("include:b.com -all") "b.com A " IP "\n", IP,
      "permerror include:b.com" },
    { "include of an invalid record", SPF("include:b.com -all") X("b.com", "bad"), IP,
      "permerror include:b.com" },
    { "include whose server fails", SPF("include:b.com -all") "b.com TXT !SERVFAIL\n", IP,
      "temperror include:b.com" },
    { "include of itself", SPF("include:a.com -all"), IP, "permerror include:a.com" },
    { "redirect", SPF("redirect=b.com") X("b.com", "ip4:" IP " -all"), IP, "pass ip4:" IP },
    { "redirect that fails", SPF("redirect=b.com") X("b.com", "-all"), IP, "fail -all" },
    { "redirect without a record", SPF("redirect=b.com") "b.com A " IP "\n", IP, "permerror " },
    { "redirect with all", SPF("redirect=b.com ~all") X("b.com", "+all"), IP, "softfail ~all" },
    { "exists by address", SPF("exists:%{i}.b.com -all") IP ".b.com A 127.0.0.2\n", IP,
      "pass exists:%{i}.b.com" },
    { "exists by another address", SPF("exists:%{i}.b.com -all") "1.1.1.1.b.com A 127.0.0.2\n", IP,
      "fail -all" },
    { "exists, reversed",
      SPF("exists:%{ir}.%{v}.b.com -all") "34.216.184.93.in-addr.b.com A 127.0.0.2\n", IP,
      "pass exists:%{ir}.%{v}.b.com" },
    { "exists asks for A, for IPv6, too", SPF("exists:b.com -all") "b.com A 127.0.0.2\n", IP6,
      "pass exists:b.com" },
    { "an include by macro", SPF("include:%{d}.b.com -all") X("a.com.b.com", "+all"), IP,
      "pass include:%{d}.b.com" },
    { "ptr", SPF("ptr -all") REVERSE, IP, "pass ptr" },
    { "ptr of another domain", SPF("ptr:b.com -all") REVERSE, IP, "fail -all" },
    { "ptr that does not lead back", SPF("ptr -all") "34.216.184.93.in-addr.arpa PTR x.a.com.\n",
      IP, "fail -all" },
    { "%{p}", SPF("exists:%{p} -all") REVERSE, IP, "pass exists:%{p}" },
    { "ten lookups", SPF("exists:a.com a a a a a a a a mx -all") "a.com A 1.1.1.1\n",
      "93.184.216.34", "pass exists:a.com" },
    { "ten lookups without a match", SPF("a a a a a a a a a a -all") "a.com A 1.1.1.1\n", IP,
      "fail -all" },
    { "eleven lookups", SPF("a a a a a a a a a a a -all") "a.com A 1.1.1.1\n", IP, "permerror a" },
    { "a match before the eleventh lookup",
      SPF("a a a ip4:" IP " a a a a a a a a -all") "a.com A 1.1.1.1\n", IP, "pass ip4:" IP },
    { "two void lookups", SPF("a:1.b.com a:2.b.com -all") "b.com A 1.1.1.1\n", IP, "fail -all" },
    { "three void lookups", SPF("a:1.b.com a:2.b.com a:3.b.com -all") "b.com A 1.1.1.1\n", IP,
      "permerror a:3.b.com" },
    { "a server that does not answer", SPF("a:b.com -all") "b.com A !SERVFAIL\n", IP,
      "temperror a:b.com" },
    { "an MX without an answer", SPF("mx:b.com -all") "b.com MX !TIMEOUT\n", IP,
      "temperror mx:b.com" },
    { "exists without an answer", SPF("exists:b.com -all") "b.com A !SERVFAIL\n", IP,
      "temperror exists:b.com" },
    { "a match before a server that fails", SPF("ip4:" IP " a:b.com -all") "b.com A !SERVFAIL\n",
      IP, "pass ip4:" IP },
    { "eleven mail servers",
      SPF("mx:b.com -all") "b.com MX 1 1.b.com\nb.com MX 1 2.b.com\nb.com MX 1 3.b.com\nb.com MX 1 "
                           "4.b.com\nb.com MX 1 5.b.com\nb.com MX 1 6.b.com\nb.com MX 1 "
                           "7.b.com\nb.com MX 1 "
                           "8.b.com\nb.com MX 1 9.b.com\nb.com MX 1 10.b.com\nb.com MX 1 "
                           "11.b.com\n",
      IP, "permerror mx:b.com" },
};

static void check_spf(void **state)
{
    const struct spf_row *row = *state;
    const struct lookup_limits limits = { 160, 2500, 2, clock_ms() + 9500 };
    struct sender_facts sender = { 0 };
    struct in6_addr address;
    zone_of(row->zone);
    forget_health();
    assert_true(address_parse(text_of(row->ip), &address));
    sender_collect(&address, "a.com", files.lists, NULL, &limits, &sender);
    scoped(buf_free) struct buf got = BUF(1000);
    buf_format(&got, "%s %s", spf_outcome_names[sender.spf.outcome],
               sender.spf.term ? sender.spf.term : "");
    assert_string_equal(buf_str(&got), row->want);
    assert_int_equal(sender.spf.why != NULL,
                     sender.spf.outcome == SPF_PERMERROR || sender.spf.outcome == SPF_TEMPERROR);
    sender_free(&sender);
}

/* ---- the whole check ---- */

#define GOOD SPF("mx -all") REVERSE LISTS_ANSWER

struct row {
    const char *name;
    const char *zone;
    const char *ip;
    const char *want; /* "pass may_send=true", then its findings */
};

static const struct row rows[] = {
    { "all is well", GOOD, IP, "pass may_send=true" },
    { "IPv6",
      GOOD
      "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.2.2.0.0.0.8.2.6.0.6.2.ip6.arpa PTR mx.a.com.\n",
      IP6, "pass may_send=true" },
    { "another address", GOOD "1.1.1.1.in-addr.arpa PTR one.com.\none.com A 1.1.1.1\n", "1.1.1.1",
      "fail may_send=false SENDER_SPF_FAIL" },
    { "softfail", SPF("~all") REVERSE LISTS_ANSWER, IP, "fail may_send=false SENDER_SPF_SOFTFAIL" },
    { "neutral", SPF("?all") REVERSE LISTS_ANSWER, IP, "fail may_send=false SENDER_SPF_NEUTRAL" },
    { "no SPF", A_COM REVERSE LISTS_ANSWER, IP, "fail may_send=false SENDER_SPF_NONE" },
    { "invalid SPF", SPF("mx:") REVERSE LISTS_ANSWER, IP,
      "fail may_send=false SENDER_SPF_PERMERROR" },
    { "SPF without an answer", SPF("a:b.com -all") "b.com A !SERVFAIL\n" REVERSE LISTS_ANSWER, IP,
      "error may_send=null SENDER_SPF_TEMPERROR" },
    { "no reverse name", SPF("mx -all") LISTS_ANSWER, IP, "fail may_send=false SENDER_NO_REVERSE" },
    { "a reverse name that leads elsewhere",
      SPF("mx -all") LISTS_ANSWER "34.216.184.93.in-addr.arpa PTR b.com.\nb.com A 1.1.1.1\n", IP,
      "fail may_send=false SENDER_REVERSE_UNCONFIRMED" },
    { "the second reverse name leads back",
      SPF("mx -all") LISTS_ANSWER
      "34.216.184.93.in-addr.arpa PTR b.com.\nb.com A 1.1.1.1\n" REVERSE,
      IP, "pass may_send=true" },
    { "a reverse name without an answer",
      SPF("mx -all") LISTS_ANSWER "*.93.in-addr.arpa PTR !SERVFAIL\n", IP,
      "error may_send=null SENDER_REVERSE_UNKNOWN" },
    { "a reverse name whose address has no answer",
      SPF("mx -all") LISTS_ANSWER "34.216.184.93.in-addr.arpa PTR b.com.\nb.com A !SERVFAIL\n", IP,
      "error may_send=null SENDER_REVERSE_UNKNOWN" },
    { "listed", GOOD "34.216.184.93.bad.net A 127.0.0.2\n", IP,
      "fail may_send=false SENDER_LISTED" },
    { "listed with its network", GOOD "34.216.184.93.wide.net A 127.0.0.2\n", IP,
      "pass may_send=true SENDER_NETWORK_LISTED" },
    { "lists that do not answer", SPF("mx -all") REVERSE ". NS a.root.\n*.net * !SERVFAIL\n", IP,
      "error may_send=null SENDER_LISTS_UNKNOWN" },
    { "listed, and others do not answer",
      SPF("mx -all") REVERSE
      ". NS a.root.\n" TESTS(bad) "34.216.184.93.bad.net A 127.0.0.2\n"
                                  "*.wide.net * !SERVFAIL\n*.other.net * !SERVFAIL\n",
      IP, "fail may_send=false SENDER_LISTED SENDER_LISTS_UNKNOWN" },
    { "a domain that does not exist", "b.com A 1.1.1.1\n" REVERSE LISTS_ANSWER, IP,
      "info may_send=false" },
};

static enum finding finding_of(const char *code)
{
    unsigned i = 0;
    while (strcmp(finding_rows[i].code, code) != 0)
        i++;
    return (enum finding)i;
}

static void describe(const cJSON *row, struct buf *out)
{
    const cJSON *finding;
    const cJSON *may = json_at(row, "/data/may_send");
    buf_format(out, "%s may_send=%s", json_text(row, "/status"),
               json_is(may, cJSON_NULL)   ? "null"
               : json_is(may, cJSON_True) ? "true"
                                          : "false");
    cJSON_ArrayForEach(finding, json_get(row, "findings")) {
        was_seen[finding_of(json_text(finding, "/code"))] = true;
        buf_format(out, " %s", json_text(finding, "/code"));
    }
}

static bool run(const char *zone, const char *request, cJSON *result, struct err *err)
{
    zone_of(zone);
    forget_health();
    return run_tool_with(&files, email_deliverability, "email-deliverability", request, result,
                         NULL, err);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(mem_free) char *request = str_format("{'domain':'a.com','ip':' %s '}", row->ip);
    struct err err = { 0 };
    bool ok = run(row->zone, request, result, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    scoped(buf_free) struct buf got = BUF(1000);
    describe(json_at(result, "/checks/9"), &got);
    assert_string_equal(buf_str(&got), row->want);
    assert_int_equal(json_size(json_get(result, "checks")), 10);
    assert_string_equal(json_text(result, "/checks/9/name"), "Sender");
    assert_string_equal(json_text(result, "/checks/9/data/ip"), row->ip);
}

/* The score and the other checks are as without the address. */
static void check_the_rest(void **state)
{
    scoped(json_free) cJSON *with = json_object();
    scoped(json_free) cJSON *without = json_object();
    scoped(buf_free) struct buf text = BUF(1 << 16);
    scoped(buf_free) struct buf other = BUF(1 << 16);
    struct err err;
    (void)state;
    assert_true(run(GOOD, "{'domain':'a.com','ip':'1.1.1.1'}", with, &err));
    assert_true(run(GOOD, "{'domain':'a.com'}", without, &err));
    assert_int_equal(json_size(json_get(without, "checks")), 9);
    for (int i = 0; i < 9; i++) {
        scoped(mem_free) char *place = str_format("/checks/%d", i);
        json_print(json_at(with, place), &text);
        json_print(json_at(without, place), &other);
    }
    assert_string_equal(buf_str(&text), buf_str(&other));
    assert_int_equal(json_get(with, "score")->valueint, json_get(without, "score")->valueint);
}

/* ---- rejections ---- */

struct refusal {
    const char *name;
    const char *ip;
};

static const struct refusal refusals[] = {
    { "not an address", "mx.a.com" },
    { "a network", "93.184.216.0/24" },
    { "a private address", "10.0.0.1" },
    { "loopback", "127.0.0.2" },
    { "brackets", "[2606:2800:220::1]" },
    { "documentation", "2001:db8::1" },
    { "a mapped private address", "::ffff:10.0.0.1" },
};

static void check_refusal(void **state)
{
    const struct refusal *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(mem_free) char *request = str_format("{'domain':'a.com','ip':'%s'}", row->ip);
    struct err err = { 0 };
    assert_false(run(GOOD, request, result, &err));
    assert_int_equal(err.kind, ERR_INVALID_IP);
    assert_int_equal(zone_questions, 0);
}

/* A second attempt may repeat queries about the domain, but not what lists and servers see. */
static void check_attempts(void **state)
{
    static const struct {
        const char *request;
        bool is_repeated;
    } requests[] = {
        { "{'domain':'a.com'}", true },
        { "{'domain':'a.com','smtp':false}", true },
        { "{'domain':'a.com','smtp':true}", false },
        { "{'domain':'a.com','ip':'" IP "'}", false },
    };
    (void)state;
    for (size_t i = 0; i < countof(requests); i++) {
        scoped(job_free) struct job *job = job_of("email-deliverability", requests[i].request);
        scoped(json_free) cJSON *result = json_object();
        struct err err = { 0 };
        zone_of(GOOD);
        job->data = &files;
        job->attempt = 2;
        assert_int_equal(email_deliverability(job, result, &err), requests[i].is_repeated);
        assert_int_equal(err.kind, requests[i].is_repeated ? ERR_NONE : ERR_WORKER_LOST);
    }
}

static void check_all_seen(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FINDINGS; i++)
        if (finding_rows[i].check == CHECK_SENDER && !was_seen[i])
            fail_msg("no row has %s", finding_rows[i].code);
}

int main(void)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(check_the_rest),
        cmocka_unit_test(check_attempts),
        cmocka_unit_test(check_all_seen),
    };
    struct err err;
    if (!public_suffixes_load("", &suffixes, &err) || !open_lists() ||
        !mail_providers_load(SOURCE_ROOT "/svc-email/senders/mail-providers.yaml", &files.providers,
                             &err))
        return 1;
    int failed = RUN_ROWS(spf_rows, check_spf);
    failed += RUN_ROWS(rows, check);
    failed += RUN_ROWS(refusals, check_refusal);
    failed += cmocka_run_group_tests(others, NULL, NULL);
    public_suffixes_free(&suffixes);
    mail_providers_free(&files.providers);
    dnsbls_free(&files.lists);
    return failed;
}
