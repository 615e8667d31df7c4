/* tests/unit/net/dns/message.c - DNS messages, honest and hostile. */
#include "net/dns/message.h"

#include <arpa/inet.h>
#include <string.h>

#include "net/dns.h"
#include "rows.h"

/* Bytes as string literals; the question is always a.com, at byte 12; com is at byte 14. */
#define ASKED    "\1a\3com\0"
#define QUESTION ASKED "\0\1\0\1"
#define HEAD(flags, answers, authorities, additionals) \
    "\0\0" flags "\0\1\0" answers "\0" authorities "\0" additionals
#define PLAIN(answers) HEAD("\x81\x80", answers, "\0", "\0") QUESTION
#define NAME           "\xc0\x0c"
#define IN_60          "\0\1\0\0\0\x3c"
#define A_RECORD       NAME "\0\1" IN_60 "\0\4\1\2\3\4"
#define ALIAS          NAME "\0\5" IN_60 "\0\4\1b\xc0\x0e"
#define OPT(size)      "\0\0\x29\4\xd0\0\0\0\0" size

static const struct row {
    const char *name;
    struct text bytes;
    bool ok;
    unsigned rcode;
    size_t answers;
} rows[] = {
    { "an address", TEXT(PLAIN("\1") A_RECORD), true, 0, 1 },
    { "nothing", TEXT(PLAIN("\0")), true, 0, 0 },
    { "no such name", TEXT(HEAD("\x81\x83", "\0", "\0", "\0") QUESTION), true, 3, 0 },
    { "an extended code",
      TEXT(HEAD("\x81\x80", "\0", "\0", "\1") QUESTION "\0\0\x29\4\xd0\1\0\0\0\0\0"), true, 16, 0 },
    { "a name in full", TEXT(PLAIN("\1") ASKED "\0\1" IN_60 "\0\4\1\2\3\4"), true, 0, 1 },
    { "capitals", TEXT(HEAD("\x81\x80", "\0", "\0", "\0") "\1A\3CoM\0\0\1\0\1"), true, 0, 0 },
    { "repeated", TEXT(PLAIN("\2") A_RECORD A_RECORD), true, 0, 1 },
    { "another class is skipped", TEXT(PLAIN("\1") NAME "\0\1\0\3\0\0\0\1\0\4\1\2\3\4"), true, 0,
      0 },
    { "a type nobody knows", TEXT(PLAIN("\1") NAME "\xff\0" IN_60 "\0\2xy"), true, 0, 1 },
    { "bytes behind the end", TEXT(PLAIN("\1") A_RECORD "junk"), true, 0, 1 },
    { "an empty TXT", TEXT(PLAIN("\1") NAME "\0\x10" IN_60 "\0\0"), true, 0, 1 },
    { "cut, and says so", TEXT(HEAD("\x83\x80", "\2", "\0", "\0") QUESTION A_RECORD NAME), true, 0,
      1 },

    { "no bytes", TEXT("") },
    { "half a head", TEXT("\0\0\x81\x80\0\1") },
    { "a query", TEXT(HEAD("\1\0", "\0", "\0", "\0") QUESTION) },
    { "another id", TEXT("\0\1\x81\x80\0\1\0\0\0\0\0\0" QUESTION) },
    { "another opcode", TEXT(HEAD("\xa9\x80", "\0", "\0", "\0") QUESTION) },
    { "no question", TEXT("\0\0\x81\x80\0\0\0\0\0\0\0\0") },
    { "two questions", TEXT("\0\0\x81\x80\0\2\0\0\0\0\0\0" QUESTION QUESTION) },
    { "another name", TEXT(HEAD("\x81\x80", "\0", "\0", "\0") "\1b\3com\0\0\1\0\1") },
    { "another type", TEXT(HEAD("\x81\x80", "\0", "\0", "\0") ASKED "\0\x1c\0\1") },
    { "another class", TEXT(HEAD("\x81\x80", "\0", "\0", "\0") ASKED "\0\1\0\3") },
    { "a record less than promised", TEXT(PLAIN("\2") A_RECORD) },
    { "too many records", TEXT("\0\0\x81\x80\0\1\xff\xff\xff\xff\xff\xff" QUESTION) },
    { "a record that is cut", TEXT(PLAIN("\1") NAME "\0\1" IN_60 "\0\4\1\2") },
    { "a length beyond the end", TEXT(PLAIN("\1") NAME "\0\1" IN_60 "\xff\xff\1\2\3\4") },
    { "an address of 3 bytes", TEXT(PLAIN("\1") NAME "\0\1" IN_60 "\0\3\1\2\3") },
    { "an address of 5 bytes", TEXT(PLAIN("\1") NAME "\0\1" IN_60 "\0\5\1\2\3\4\5") },
    { "an IPv6 address of 4 bytes", TEXT(PLAIN("\1") NAME "\0\x1c" IN_60 "\0\4\1\2\3\4") },
    { "a string beyond its record", TEXT(PLAIN("\1") NAME "\0\x10" IN_60 "\0\2\5a"
                                                          "bcdef") },
    { "an MX without host", TEXT(PLAIN("\1") NAME "\0\x0f" IN_60 "\0\2\0\1") },
    { "a CAA tag beyond its record", TEXT(PLAIN("\1") NAME "\1\1" IN_60 "\0\2\0\5") },
    { "an SOA that is cut", TEXT(PLAIN("\1") NAME "\0\6" IN_60 "\0\4\0\0\0\0") },
    { "a name that points to itself", TEXT(PLAIN("\1") "\xc0\x17\0\1" IN_60 "\0\4\1\2\3\4") },
    { "a name that points forward", TEXT(PLAIN("\1") "\xc0\x30\0\1" IN_60 "\0\4\1\2\3\4") },
    { "a name that points beyond the end", TEXT(PLAIN("\1") "\xff\xff\0\1" IN_60 "\0\4\1\2\3\4") },
    { "a circle of two", TEXT(PLAIN("\1") NAME "\0\5" IN_60 "\0\6\1x\xc0\x23\xc0\x23") },
    { "a label of an unknown kind", TEXT(PLAIN("\1") "\x40x\0\0\1" IN_60 "\0\4\1\2\3\4") },
    { "a label beyond the end", TEXT(PLAIN("\1") "\x3fx") },
    { "a name without end", TEXT(PLAIN("\1") "\1x") },
    { "an option beyond its record",
      TEXT(HEAD("\x81\x80", "\0", "\0", "\1") QUESTION OPT("\0\4") "\0\x0f\0\xff") },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(dns_message_free) struct dns_message message = { 0 };
    struct err err = { 0 };
    bool ok = dns_message_read(NULL, row->bytes, "a.com", DNS_A, &message, &err);
    assert_int_equal(ok, row->ok);
    if (!ok) {
        assert_string_equal(err_code(err.kind), "upstream_unavailable");
        assert_null(message.arena);
        return;
    }
    assert_int_equal(message.rcode, row->rcode);
    assert_int_equal(message.answer_count, row->answers);
}

/* ---- what the records hold ---- */

static void read_answer(struct text bytes, uint16_t type, struct dns_message *message)
{
    struct err err = { 0 };
    assert_true(dns_message_read(NULL, bytes, "a.com", type, message, &err));
}

static void check_fields(void **state)
{
    (void)state;
    scoped(dns_message_free) struct dns_message message = { 0 };
    read_answer(TEXT(HEAD("\x81\xa0", "\7", "\0", "\0") QUESTION A_RECORD ALIAS NAME
                     "\0\x0f" IN_60 "\0\5\0\x0a\1m\0" NAME "\0\x10" IN_60 "\0\6\2ab\2\0\xff" NAME
                     "\0\x21" IN_60 "\0\x0c\0\1\0\2\0\3\2\\.\1x\0" NAME "\1\1" IN_60
                     "\0\x0b\x80\5issueca.x" NAME
                     "\0\6\0\1\xff\xff\xff\xff\0\x1a\0\3a.b\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4"
                     "\0\0\0\5"),
                DNS_A, &message);
    const struct dns_record *record = message.answer;
    assert_true(message.is_authenticated);
    assert_int_equal(message.answer_count, 7);
    assert_string_equal(record[0].name, "a.com");
    assert_int_equal(record[0].ttl, 60);
    assert_int_equal(record[0].address.s6_addr[12], 1);
    assert_string_equal(record[1].target, "b.com");
    assert_string_equal(record[2].target, "m");
    assert_int_equal(record[2].priority, 10);
    assert_int_equal(record[3].string_count, 2);
    assert_memory_equal(record[3].string[1].bytes, "\0\xff", 2);
    assert_int_equal(record[4].port, 3);
    assert_string_equal(record[4].target, "\\\\\\..x");
    assert_int_equal(record[5].flags, 128);
    assert_string_equal(record[5].tag.bytes, "issue");
    assert_string_equal(record[5].value.bytes, "ca.x");
    assert_string_equal(record[6].target, ".");
    assert_string_equal(record[6].rname, "a\\.b");
    assert_int_equal(record[6].minimum, 5);
    assert_int_equal(record[6].ttl, 0); /* RFC 2181 section 8 */
}

static void check_errors(void **state)
{
    (void)state;
    scoped(dns_message_free) struct dns_message message = { 0 };
    read_answer(TEXT(HEAD("\x81\x82", "\0", "\0", "\1") QUESTION OPT("\0\x14") "\0\x0a\0\2xy"
                                                                               "\0\x0f\0\5\0\x16why"
                                                                               "\0\x0f\0\1z"),
                DNS_A, &message);
    assert_int_equal(message.error_count, 1);
    assert_int_equal(message.error[0].code, 22);
    assert_string_equal(message.error[0].text.bytes, "why");
}

/* It has nothing that takes memory: not a name, not an option. */
static void check_root(void **state)
{
    static const struct text bytes =
        TEXT(HEAD("\x81\x83", "\0", "\0", "\1") "\0\0\2\0\1" OPT("\0\0"));
    scoped(dns_message_free) struct dns_message message = { 0 };
    (void)state;
    assert_true(dns_message_read(NULL, bytes, ".", DNS_NS, &message, NULL));
    assert_int_equal(message.rcode, DNS_NXDOMAIN);
    assert_int_equal(message.error_count, 0);
}

/* A name that is 255 octets long is read, one of 256 is not; 128 jumps are, 129 are not. */
static void check_long_names(void **state)
{
    (void)state;
    for (size_t octets = 255; octets <= 256; octets++) {
        scoped(buf_free) struct buf bytes = BUF(1000);
        scoped(dns_message_free) struct dns_message message = { 0 };
        struct err err;
        size_t left = octets - 1;
        buf_add(&bytes, PLAIN("\1"), sizeof(PLAIN("\1")) - 1);
        while (left > 0) {
            size_t size = left > 64 ? 63 : left - 1;
            buf_add_byte(&bytes, (char)size);
            for (size_t i = 0; i < size; i++)
                buf_add_byte(&bytes, 1);
            left -= size + 1;
        }
        buf_add(&bytes, "\0\0\1" IN_60 "\0\4\1\2\3\4", 15);
        bool ok = dns_message_read(NULL, buf_text(&bytes), "a.com", DNS_A, &message, &err);
        assert_int_equal(ok, octets == 255);
        if (ok)
            assert_int_equal(strlen(message.answer[0].name), 250 * 4 + 3);
    }
}

static void check_jumps(void **state)
{
    (void)state;
    for (size_t jumps = 127; jumps <= 129; jumps++) {
        scoped(buf_free) struct buf bytes = BUF(2000);
        scoped(dns_message_free) struct dns_message message = { 0 };
        struct err err;
        /* an unknown record that holds pointers, each to the one before it */
        buf_add(&bytes, PLAIN("\2"), sizeof(PLAIN("\2")) - 1);
        buf_add(&bytes, NAME "\xff\0" IN_60, 10);
        buf_add_byte(&bytes, (char)(2 * jumps >> 8));
        buf_add_byte(&bytes, (char)(2 * jumps));
        size_t target = 12;
        for (size_t i = 0; i + 1 < jumps; i++) {
            size_t here = bytes.size;
            buf_add_byte(&bytes, (char)(0xc0 | target >> 8));
            buf_add_byte(&bytes, (char)target);
            target = here;
        }
        buf_add(&bytes, "\0\0", 2);
        buf_add_byte(&bytes, (char)(0xc0 | target >> 8));
        buf_add_byte(&bytes, (char)target);
        buf_add(&bytes, "\0\1" IN_60 "\0\4\1\2\3\4", 14);
        assert_int_equal(dns_message_read(NULL, buf_text(&bytes), "a.com", DNS_A, &message, &err),
                         jumps <= 128);
    }
}

/* ---- large messages ---- */

/* This many addresses, all with one name of 255 octets, which is four times as long when it is
 * written out. */
static void add_large(struct buf *bytes, uint16_t count)
{
    static const char name[] = "\xc0\x17"; /* of the first record, behind the question */
    buf_add(bytes, "\0\0\x81\x80\0\1", 6);
    dns_add_u16(bytes, count);
    buf_add(bytes, "\0\0\0\0" QUESTION, 4 + sizeof(QUESTION) - 1);
    for (unsigned i = 0; i < count; i++) {
        for (size_t label = 0; i == 0 && label < 4; label++) {
            buf_add_byte(bytes, label < 3 ? 63 : 61);
            for (int k = 0; k < (label < 3 ? 63 : 61); k++)
                buf_add_byte(bytes, 1);
        }
        buf_add(bytes, i == 0 ? "" : name, i == 0 ? 1 : 2);
        buf_add(bytes, "\0\1" IN_60 "\0\4\1\2", 12);
        dns_add_u16(bytes, i);
    }
}

static bool read_large(uint16_t count, struct memory_budget *budget, struct dns_message *message)
{
    scoped(buf_free) struct buf bytes = BUF(DNS_MESSAGE_BYTES);
    add_large(&bytes, count);
    return dns_message_read(budget, buf_text(&bytes), "a.com", DNS_A, message, NULL);
}

static void check_count(void **state)
{
    scoped(dns_message_free) struct dns_message message = { 0 };
    (void)state;
    assert_false(read_large(1025, NULL, &message));
    assert_true(read_large(1024, NULL, &message));
    assert_int_equal(message.answer_count, 1024);
    assert_int_equal(strlen(message.answer[1023].name), 250 * 4 + 3);
}

static void check_room(void **state)
{
    scoped(dns_message_free) struct dns_message large = { 0 };
    scoped(dns_message_free) struct dns_message small = { 0 };
    struct memory_budget budget;
    (void)state;
    memory_budget_open(&budget, 2 << 20, 4096, "full");
    assert_true(read_large(1024, &budget, &large));
    assert_in_range(memory_budget_reserved(&budget), 1 << 20, 2 << 20);
    assert_false(read_large(1024, &budget, &small)); /* not both */
    assert_true(read_large(2, &budget, &small));     /* a small one needs no memory budget */
    dns_message_free(&large);
    assert_int_equal(memory_budget_reserved(&budget), 0);
    assert_true(read_large(1024, &budget, &large));
    dns_message_free(&large);
    memory_budget_close(&budget);
}

/* ---- following aliases ---- */

static void check_follow(void **state)
{
    (void)state;
    static const struct dns_question question = { "A.com", DNS_A };
    scoped(dns_message_free) struct dns_message found = { 0 };
    scoped(dns_message_free) struct dns_message circle = { 0 };
    scoped(dns_message_free) struct dns_message foreign = { 0 };
    const char *owner;
    read_answer(TEXT(PLAIN("\2") ALIAS "\xc0\x23\0\1" IN_60 "\0\4\1\2\3\4"), DNS_A, &found);
    assert_int_equal(dns_follow(&found, &question, &owner), 1);
    assert_string_equal(owner, "b.com");
    read_answer(TEXT(PLAIN("\2") ALIAS "\xc0\x23\0\5" IN_60 "\0\2" NAME), DNS_A, &circle);
    assert_int_equal(dns_follow(&circle, &question, &owner), 0);
    read_answer(TEXT(PLAIN("\1") "\1x\0\0\1" IN_60 "\0\4\1\2\3\4"), DNS_A, &foreign);
    assert_int_equal(dns_follow(&foreign, &question, &owner), 0);
    assert_string_equal(owner, "A.com");
}

/* ---- writing ---- */

static void check_write(void **state)
{
    (void)state;
    static const char want[] = "\0\0\1\x20\0\1\0\0\0\0\0\1\6_dmarc\1a\3com\0\0\x10\0\1"
                               "\0\0\x29\4\xd0\0\0\0\0\0";
    scoped(buf_free) struct buf query = BUF(DNS_QUERY_BYTES);
    scoped(buf_free) struct buf root = BUF(DNS_QUERY_BYTES);
    assert_true(dns_message_write("_dmarc.a.com", DNS_TXT, &query));
    assert_int_equal(query.size, sizeof(want));
    assert_memory_equal(query.bytes, want, sizeof(want));
    assert_true(dns_message_write(".", DNS_NS, &root));
    assert_memory_equal(root.bytes + 12, "\0\0\2\0\1", 5);
}

static void check_types(void **state)
{
    (void)state;
    assert_int_equal(dns_type_of("CAA"), DNS_CAA);
    assert_int_equal(dns_type_of("aaaa"), DNS_AAAA);
    assert_int_equal(dns_type_of("what"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_fields),     cmocka_unit_test(check_errors),
        cmocka_unit_test(check_long_names), cmocka_unit_test(check_jumps),
        cmocka_unit_test(check_root),       cmocka_unit_test(check_count),
        cmocka_unit_test(check_room),       cmocka_unit_test(check_follow),
        cmocka_unit_test(check_write),      cmocka_unit_test(check_types),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
