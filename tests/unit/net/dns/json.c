/* tests/unit/net/dns/json.c - responses in JSON, honest and hostile, as dns_message_read() sees
 * them. 'single quotes' are JSON's double ones, ~ an escaped one. */
#include "net/dns/json.h"

#include <string.h>

#include "base/codec/hex.h"
#include "net/dns/message.h"
#include "rows.h"

static char *json_of(const char *text)
{
    scoped(buf_free) struct buf out = BUF(1 << 20);
    for (; *text; text++)
        if (*text == '~')
            buf_add_str(&out, "\\\"");
        else
            buf_add_byte(&out, *text == '\'' ? '"' : *text);
    return buf_take(&out);
}

/* Turned into a message and read as one. */
static bool read_json(const char *text, uint16_t type, struct dns_message *message)
{
    scoped(mem_free) char *json = json_of(text);
    scoped(buf_free) struct buf wire = BUF(DNS_MESSAGE_BYTES);
    return dns_json_to_wire(text_of(json), &wire) &&
           dns_message_read(NULL, buf_text(&wire), "a.com", type, message, NULL);
}

/* ---- whole answers ---- */

#define ASKED  "'Question':[{'name':'a.com.','type':1}]"
#define RECORD "{'name':'a.com.','type':1,'TTL':60,'data':'1.2.3.4'}"

static const struct row {
    const char *name;
    const char *json;
    bool ok;
    unsigned rcode;
    size_t answers;
} rows[] = {
    { "as Google says it",
      "{'Status':0,'TC':false,'RD':true,'RA':true,'AD':false,'CD':false," ASKED ",'Answer':[" RECORD
      "],'Comment':'Response from 192.0.2.1.'}",
      true, 0, 1 },
    { "names without dots",
      "{'Status':0,'Question':[{'name':'a.com','type':1}],"
      "'Answer':[{'name':'a.com','type':1,'TTL':60,'data':'1.2.3.4'}]}",
      true, 0, 1 },
    { "no answer", "{'Status':0," ASKED "}", true, 0, 0 },
    { "no such name", "{'Status':3," ASKED ",'Comment':['one','two']}", true, 3, 0 },
    { "an extended code", "{'Status':23," ASKED "}", true, 23, 0 },
    { "the largest code", "{'Status':4095," ASKED "}", true, 4095, 0 },
    { "a type nobody takes apart",
      "{'Status':0," ASKED ",'Answer':[{'name':'a.com.','type':46,'TTL':60,'data':'A 8 2'}," RECORD
      "]}",
      true, 0, 1 },
    { "no OPT comes in",
      "{'Status':0," ASKED ",'Answer':[{'name':'.','type':41,'TTL':4278190080,"
      "'data':'\\\\# 0'}]}",
      true, 0, 0 },

    { "nothing", "" },
    { "no JSON", "<html>" },
    { "half of it", "{'Status':0," },
    { "a list", "[]" },
    { "no status", "{" ASKED "}" },
    { "a status that is not a number", "{'Status':'0'," ASKED "}" },
    { "a status below zero", "{'Status':-1," ASKED "}" },
    { "a status beyond all", "{'Status':4096," ASKED "}" },
    { "no question", "{'Status':0}" },
    { "two questions",
      "{'Status':0,'Question':[{'name':'a.com','type':1},{'name':'a.com','type':1}]}" },
    { "another name", "{'Status':0,'Question':[{'name':'b.com','type':1}]}" },
    { "another type", "{'Status':0,'Question':[{'name':'a.com','type':28}]}" },
    { "a question that is a text", "{'Status':0,'Question':['a.com']}" },
    { "a record without TTL",
      "{'Status':0," ASKED ",'Answer':[{'name':'a.com.','type':1,'data':'1.2.3.4'}]}" },
    { "an invalid TTL",
      "{'Status':0," ASKED ",'Answer':[{'name':'a.com.','type':1,'TTL':1.5,'data':'1.2.3.4'}]}" },
    { "a TTL beyond 32 bits", "{'Status':0," ASKED ",'Answer':[{'name':'a.com.','type':1,"
                              "'TTL':4294967296,'data':'1.2.3.4'}]}" },
    { "a record without data",
      "{'Status':0," ASKED ",'Answer':[{'name':'a.com.','type':1,'TTL':60}]}" },
    { "a record without name",
      "{'Status':0," ASKED ",'Answer':[{'type':1,'TTL':60,'data':'1.2.3.4'}]}" },
    { "nested deep", "{'Status':0," ASKED ",'Comment':[[[[[[[[[[]]]]]]]]]]}" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(dns_message_free) struct dns_message message = { 0 };
    bool ok = read_json(row->json, DNS_A, &message);
    assert_int_equal(ok, row->ok);
    assert_int_equal(message.rcode, row->rcode);
    assert_int_equal(message.answer_count, row->answers);
}

/* ---- data ---- */

static const struct data_row {
    const char *name;
    uint16_t type;
    const char *data; /* within a JSON string */
    const char *want; /* rdata in hex; NULL: rejected */
} data_rows[] = {
    { "an address", DNS_A, "192.0.2.7", "c0000207" },
    { "an address of the other kind", DNS_A, "2001:db8::7", NULL },
    { "no address", DNS_A, "192.0.2", NULL },
    { "two addresses", DNS_A, "192.0.2.7 192.0.2.8", NULL },
    { "no data", DNS_A, "", NULL },
    { "an IPv6 address", DNS_AAAA, "2001:db8::7", "20010db8000000000000000000000007" },
    { "an IPv4 address in IPv6", DNS_AAAA, "::ffff:1.2.3.4", "00000000000000000000ffff01020304" },
    { "an IPv4 address where IPv6 belongs", DNS_AAAA, "192.0.2.7", NULL },
    { "a name", DNS_NS, "b.com.", "016203636f6d00" },
    { "a name without its dot", DNS_CNAME, "b.com", "016203636f6d00" },
    { "the root", DNS_NS, ".", "00" },
    { "dots within a label", DNS_NS, "a\\\\.b.com.", "03612e6203636f6d00" },
    { "octets by number", DNS_NS, "\\\\000\\\\255.com.", "0200ff03636f6d00" },
    { "an octet beyond all", DNS_NS, "\\\\256.com.", NULL },
    { "half an octet", DNS_NS, "a\\\\25", NULL },
    { "a backslash at the end", DNS_NS, "a\\\\", NULL },
    { "an empty label", DNS_NS, "a..com.", NULL },
    { "a label of 64", DNS_NS,
      "0123456789012345678901234567890123456789012345678901234567890123.com", NULL },
    { "an exchange", DNS_MX, "10 b.com.", "000a016203636f6d00" },
    { "no exchange", DNS_MX, "0 .", "000000" },
    { "a priority beyond 16 bits", DNS_MX, "65536 b.com.", NULL },
    { "half an exchange", DNS_MX, "10", NULL },
    { "a service", DNS_SRV, "1 2 5061 b.com.", "0001000213c5016203636f6d00" },
    { "a zone", DNS_SOA, "b. c. 4294967295 2 3 4 5",
      "016200016300ffffffff00000002000000030000000400000005" },
    { "a zone without its last number", DNS_SOA, "b. c. 1 2 3 4", NULL },
    { "a serial beyond 32 bits", DNS_SOA, "b. c. 4294967296 2 3 4 5", NULL },
    { "a text without quotes", DNS_TXT, "v=spf1 -all", "0b763d73706631202d616c6c" },
    { "an empty text", DNS_TXT, "", "00" },
    { "a text in quotes", DNS_TXT, "~v=spf1 -all~", "0b763d73706631202d616c6c" },
    { "strings", DNS_TXT, "~a~ ~b~", "01610162" },
    { "strings without a blank", DNS_TXT, "~a~~b~", "01610162" },
    { "an empty string", DNS_TXT, "~~", "00" },
    { "escapes", DNS_TXT, "~\\\\~\\\\\\\\\\\\200~", "03225cc8" },
    { "a quote that is not closed", DNS_TXT, "~a", NULL },
    { "words behind the quotes", DNS_TXT, "~a~ b", NULL },
    { "who may issue", DNS_CAA, "0 issue ~b.c~", "00056973737565622e63" },
    { "who may, without quotes", DNS_CAA, "128 issue b.c", "80056973737565622e63" },
    { "nobody may", DNS_CAA, "0 issue ~~", "00056973737565" },
    { "a certificate's digest", DNS_TLSA, "3 1 1 0A0b 0c", "0301010a0b0c" },
    { "a digest that is not hex", DNS_TLSA, "3 1 1 xy", NULL },
    { "CAA without a tag", DNS_CAA, "0", NULL },
    { "flags beyond 8 bits", DNS_CAA, "256 issue ~b~", NULL },
    { "in hex", DNS_CAA, "\\\\# 10 00 05 69737375 65622E63", "00056973737565622e63" },
    { "in hex, shorter than promised", DNS_A, "\\\\# 4 010203", NULL },
    { "in hex, half a digit", DNS_A, "\\\\# 4 0102030", NULL },
    { "in hex, what the type cannot be", DNS_A, "\\\\# 3 010203", NULL },
};

static void check_data(void **state)
{
    const struct data_row *row = *state;
    scoped(mem_free) char *json = str_format(
        "{'Status':0,'Question':[{'name':'a.com.','type':%u}],'Answer':[{'name':'a.com.',"
        "'type':%u,'TTL':60,'data':'%s'}]}",
        row->type, row->type, row->data);
    scoped(dns_message_free) struct dns_message message = { 0 };
    bool ok = read_json(json, row->type, &message);
    assert_int_equal(ok, row->want != NULL);
    if (!ok)
        return;
    char got[2 * 64 + 1];
    assert_int_equal(message.answer_count, 1);
    assert_true(message.answer[0].rdata.size <= 64);
    hex_encode(got, message.answer[0].rdata.bytes, message.answer[0].rdata.size);
    assert_string_equal(got, row->want);
    assert_int_equal(message.answer[0].ttl, 60);
    assert_string_equal(message.answer[0].name, "a.com");
}

/* ---- cases without a row ---- */

static void flags_and_the_other_section(void **state)
{
    (void)state;
    scoped(dns_message_free) struct dns_message message = { 0 };
    assert_true(read_json("{'Status':0,'TC':true,'AD':true," ASKED ",'Authority':[" RECORD "]}",
                          DNS_A, &message));
    assert_true(message.is_truncated);
    assert_true(message.is_authenticated);
    assert_int_equal(message.answer_count, 0);
    assert_int_equal(message.authority_count, 1);
}

static void a_long_text_becomes_strings(void **state)
{
    (void)state;
    scoped(buf_free) struct buf json = BUF(1 << 16);
    scoped(dns_message_free) struct dns_message message = { 0 };
    buf_add_str(&json,
                "{'Status':0,'Question':[{'name':'a.com','type':16}],'Answer':[{'name':'a.com',"
                "'type':16,'TTL':1,'data':'");
    for (int i = 0; i < 256; i++)
        buf_add_byte(&json, 'x');
    buf_add_str(&json, "'}]}");
    assert_true(read_json(buf_str(&json), DNS_TXT, &message));
    assert_int_equal(message.answer[0].string_count, 2);
    assert_int_equal(message.answer[0].string[0].size, 255);
    assert_int_equal(message.answer[0].string[1].size, 1);
}

static void more_than_a_message_holds(void **state)
{
    (void)state;
    scoped(buf_free) struct buf json = BUF(1 << 20);
    scoped(dns_message_free) struct dns_message message = { 0 };
    buf_add_str(&json, "{'Status':0," ASKED ",'Answer':[" RECORD);
    for (int i = 0; i < 5000; i++)
        buf_add_str(&json, "," RECORD);
    buf_add_str(&json, "]}");
    assert_false(read_json(buf_str(&json), DNS_A, &message));
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(flags_and_the_other_section),
        cmocka_unit_test(a_long_text_becomes_strings),
        cmocka_unit_test(more_than_a_message_holds),
    };
    return RUN_ROWS(rows, check) + RUN_ROWS(data_rows, check_data) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
