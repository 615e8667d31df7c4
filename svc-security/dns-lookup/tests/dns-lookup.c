/* svc-security/dns-lookup/tests/dns-lookup.c - convert DNS responses to results. */
#include "dns-lookup/dns-lookup.h"

#include <string.h>

#include "tool.h"
#include "tools.h"

/* A message about a.com, as in tests/unit/net/dns/message.c. */
#define BYTES(flags, answers, authorities, type, rest) \
    TEXT("\0\0" flags "\0\1\0" answers "\0" authorities "\0\0\1a\3com\0" type "\0\1" rest)
#define NAME  "\xc0\x0c"
#define IN_60 "\0\1\0\0\0\x3c"
#define SOA   NAME "\0\6" IN_60 "\0\x16\0\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5"

/* One question and its response; want is a pointer into the result and its JSON. */
static const struct row {
    const char *name;
    uint16_t type;
    enum dns_status status;
    struct text bytes;
    const char *want[5][2];
} rows[] = {
    { "an address",
      DNS_A,
      DNS_ANSWERED,
      BYTES("\x81\xa0", "\1", "\0", "\0\1", NAME "\0\1" IN_60 "\0\4\1\2\3\4"),
      { { "/records/A", "[{'type':'A','name':'a.com','data':'1.2.3.4','ttl':60}]" },
        { "/statuses/A", "'NOERROR'" },
        { "/status", "'NOERROR'" },
        { "/dnssec_authenticated", "true" },
        { "/soa_negative_ttl", "null" } } },
    { "an IPv6 address that maps IPv4",
      DNS_AAAA,
      DNS_ANSWERED,
      BYTES("\x81\x80", "\1", "\0", "\0\x1c",
            NAME "\0\x1c" IN_60 "\0\x10\0\0\0\0\0\0\0\0\0\0\xff\xff\1\2\3\4"),
      { { "/records/AAAA/0/data", "'::ffff:1.2.3.4'" } } },
    { "no record of that type",
      DNS_A,
      DNS_ANSWERED,
      BYTES("\x81\x80", "\0", "\1", "\0\1", SOA),
      { { "/records/A", "[]" },
        { "/statuses/A", "'NODATA'" },
        { "/status", "'NOERROR'" },
        { "/soa_negative_ttl", "5" } } },
    { "no such name",
      DNS_A,
      DNS_ANSWERED,
      BYTES("\x81\x83", "\0", "\0", "\0\1", ""),
      { { "/statuses/A", "'NXDOMAIN'" },
        { "/status", "'NXDOMAIN'" },
        { "/partial", "false" },
        { "/dnssec_authenticated", "false" } } },
    { "servers that fail",
      DNS_A,
      DNS_ANSWERED,
      BYTES("\x81\x82", "\0", "\0", "\0\1", ""),
      { { "/status", "'SERVFAIL'" } } },
    { "an unknown code",
      DNS_A,
      DNS_ANSWERED,
      BYTES("\x81\x89", "\0", "\0", "\0\1", ""),
      { { "/status", "'ERROR'" } } },
    { "no answer",
      DNS_A,
      DNS_TIMEOUT,
      { "", 0 },
      { { "/status", "'TIMEOUT'" }, { "/partial", "true" }, { "/records/A", "[]" } } },
    { "an answer without sense",
      DNS_A,
      DNS_ERROR,
      { "", 0 },
      { { "/status", "'ERROR'" }, { "/partial", "true" } } },
    { "mail, by priority, as received",
      DNS_MX,
      DNS_ANSWERED,
      BYTES("\x81\x80", "\4", "\0", "\0\x0f",
            NAME "\0\x0f" IN_60 "\0\5\0\2\1x\0" NAME "\0\x0f" IN_60 "\0\5\0\1\1z\0" NAME
                 "\0\x0f" IN_60 "\0\5\0\1\1y\0" NAME "\0\x0f" IN_60 "\0\3\0\0\0"),
      { { "/records/MX/0/data", "'0 .'" },
        { "/records/MX/1/data", "'1 z'" },
        { "/records/MX/2/data", "'1 y'" },
        { "/records/MX/3/data", "'2 x'" },
        { "/records/MX/3",
          "{'type':'MX','name':'a.com','data':'2 x','ttl':60,'priority':2,'exchange':'x'}" } } },
    { "text",
      DNS_TXT,
      DNS_ANSWERED,
      BYTES("\x81\x80", "\1", "\0", "\0\x10",
            NAME "\0\x10" IN_60 "\0\x0b\3a\xc3\xff\2\0b\3\xc3\xbc\""),
      { { "/records/TXT/0/data", "'a\\\\195\\\\255\\\\000b\xc3\xbc\\\"'" },
        { "/records/TXT/0/strings/1", "'\\\\000b'" } } },
    { "a character that lies in two strings",
      DNS_TXT,
      DNS_ANSWERED,
      BYTES("\x81\x80", "\1", "\0", "\0\x10", NAME "\0\x10" IN_60 "\0\4\1\xc3\1\xbc"),
      { { "/records/TXT/0/data", "'\xc3\xbc'" }, { "/records/TXT/0/strings/0", "'\\\\195'" } } },
    { "who may issue",
      DNS_CAA,
      DNS_ANSWERED,
      BYTES("\x81\x80", "\1", "\0", "\1\1", NAME "\1\1" IN_60 "\0\x0a\x80\5issuea\"b"),
      { { "/records/CAA/0/data", "'128 issue \\\"a\\\\\\\"b\\\"'" },
        { "/records/CAA/0/value", "'a\\\"b'" } } },
    { "aliases",
      DNS_A,
      DNS_ANSWERED,
      BYTES("\x81\x80", "\2", "\0", "\0\1",
            NAME "\0\5" IN_60 "\0\4\1b\xc0\x0e"
                 "\xc0\x23\0\1" IN_60 "\0\4\1\2\3\4"),
      { { "/cname_chain", "[{'name':'a.com','target':'b.com','ttl':60}]" },
        { "/canonical_name", "'b.com'" },
        { "/cname_loop", NULL },
        { "/records/A/0/name", "'b.com'" } } },
    { "a circle of aliases",
      DNS_A,
      DNS_ANSWERED,
      BYTES("\x81\x80", "\2", "\0", "\0\1",
            NAME "\0\5" IN_60 "\0\4\1b\xc0\x0e"
                 "\xc0\x23\0\5" IN_60 "\0\2" NAME),
      { { "/records/A", "[]" },
        { "/statuses/A", "'NODATA'" },
        { "/cname_loop", "true" },
        { "/canonical_name", "'a.com'" },
        { "/cname_chain", "[{'name':'a.com','target':'b.com','ttl':60},"
                          "{'name':'b.com','target':'a.com','ttl':60}]" } } },
    { "a name that is its own alias",
      DNS_A,
      DNS_ANSWERED,
      BYTES("\x81\x80", "\1", "\0", "\0\1", NAME "\0\5" IN_60 "\0\2" NAME),
      { { "/cname_loop", "true" },
        { "/cname_chain", "[{'name':'a.com','target':'a.com','ttl':60}]" } } },
    { "a loop behind the first alias, in other letter case",
      DNS_A,
      DNS_ANSWERED,
      BYTES("\x81\x80", "\3", "\0", "\0\1",
            NAME "\0\5" IN_60 "\0\4\1b\xc0\x0e"
                 "\xc0\x23\0\5" IN_60 "\0\4\1c\xc0\x0e"
                 "\xc0\x33\0\5" IN_60 "\0\4\1B\xc0\x0e"),
      { { "/cname_loop", "true" },
        { "/canonical_name", "'B.com'" },
        { "/cname_chain/2/name", "'c.com'" },
        { "/cname_chain/3", NULL } } },
    { "records of another name are not shown",
      DNS_A,
      DNS_ANSWERED,
      BYTES("\x81\x80", "\1", "\0", "\0\1", "\1x\0\0\1" IN_60 "\0\4\1\2\3\4"),
      { { "/records/A", "[]" }, { "/statuses/A", "'NODATA'" } } },
};

static void assert_at(const cJSON *result, const char *pointer, const char *want)
{
    scoped(buf_free) struct buf got = BUF(1 << 20);
    scoped(buf_free) struct buf quoted = BUF(1 << 20);
    const cJSON *node = json_at(result, pointer);
    if (!want) {
        assert_null(node);
        return;
    }
    assert_non_null(node);
    json_print(node, &got);
    add_quoted(&quoted, want);
    assert_string_equal(buf_str(&got), buf_str(&quoted));
}

static void check(void **state)
{
    const struct row *row = *state;
    const struct dns_question question = { "a.com", row->type };
    scoped(dns_answer_free) struct dns_answer answer = { .status = row->status };
    scoped(job_free) struct job *job = job_of("dns-lookup", "{'domain':'a.com'}");
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    if (row->status == DNS_ANSWERED)
        assert_true(dns_message_read(NULL, row->bytes, "a.com", row->type, &answer.message, &err));
    dns_report("a.com", &question, &answer, 1, 0, result);
    assert_fits(job, result);
    for (size_t i = 0; i < countof(row->want) && row->want[i][0]; i++)
        assert_at(result, row->want[i][0], row->want[i][1]);
}

/* One existing type shows that the name exists; otherwise the worst status is reported. */
static void check_overall(void **state)
{
    (void)state;
    static const struct {
        const char *flags[2]; /* NULL: timeout */
        const char *want;
    } mixes[] = {
        { { "\x81\x83", "\x81\x80" }, "NOERROR" },  { { "\x81\x83", "\x81\x82" }, "SERVFAIL" },
        { { "\x81\x83", NULL }, "TIMEOUT" },        { { NULL, "\x81\x80" }, "NOERROR" },
        { { "\x81\x85", "\x81\x82" }, "SERVFAIL" }, { { "\x81\x85", "\x81\x84" }, "REFUSED" },
    };
    for (size_t m = 0; m < countof(mixes); m++) {
        const struct dns_question questions[] = { { "a.com", DNS_A }, { "a.com", DNS_A } };
        struct dns_answer answers[2] = { { .status = DNS_TIMEOUT }, { .status = DNS_TIMEOUT } };
        scoped(json_free) cJSON *result = json_object();
        struct err err;
        for (size_t i = 0; i < 2; i++) {
            char bytes[] = "\0\0\0\0\0\1\0\0\0\0\0\0\1a\3com\0\0\1\0\1";
            if (!mixes[m].flags[i])
                continue;
            memcpy(bytes + 2, mixes[m].flags[i], 2);
            answers[i].status = DNS_ANSWERED;
            assert_true(dns_message_read(NULL, (struct text){ bytes, sizeof(bytes) - 1 }, "a.com",
                                         DNS_A, &answers[i].message, &err));
        }
        dns_report("a.com", questions, answers, 2, 0, result);
        assert_string_equal(json_text(result, "/status"), mixes[m].want);
        for (size_t i = 0; i < 2; i++)
            dns_answer_free(&answers[i]);
    }
}

static const struct refused_row {
    const char *name;
    const char *request;
    const char *code;
} refused[] = {
    { "a URL", "{'domain':'https://a.com'}", "invalid_domain" },
    { "an address", "{'domain':'1.2.3.4'}", "invalid_domain" },
    { "nothing", "{'domain':''}", "invalid_domain" },
    { "no text", "{'domain':1}", "invalid_type" },
    { "no domain", "{}", "missing_field" },
    { "NUL", "{'domain':'a\\u0000.com'}", "invalid_value" },
    { "an unsupported type", "{'domain':'a.com','types':['ANY']}", "invalid_value" },
    { "a type with more behind it", "{'domain':'a.com','types':['A,MX']}", "invalid_value" },
    { "an empty type", "{'domain':'a.com','types':['']}", "invalid_value" },
    { "a type that is a number", "{'domain':'a.com','types':[1]}", "invalid_type" },
    { "types that are not a list", "{'domain':'a.com','types':'A'}", "invalid_type" },
};

static void check_refused(void **state)
{
    const struct refused_row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    assert_false(run_tool(dns_lookup, "dns-lookup", row->request, result, NULL, &err));
    assert_string_equal(err_code(err.kind), row->code);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(check_overall) };
    return RUN_ROWS(rows, check) + RUN_ROWS(refused, check_refused) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
