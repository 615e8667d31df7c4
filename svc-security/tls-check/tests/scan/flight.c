/* svc-security/tls-check/tests/scan/flight.c - responses of servers, valid and hostile, and our
 * hellos. */
#include "tls-check/scan/flight.h"

#include <string.h>

#include "base/codec/hex.h"
#include "rows.h"
#include "tls-check/scan/hello.h"

#define R32   "0101010101010101010101010101010101010101010101010101010101010101"
#define RETRY "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c"
/* ServerHello bodies: 38 bytes without extensions and with an empty session id */
#define HELLO(version, suite, method) version R32 "00" suite method
#define HELLO_RSA \
    "16030300"    \
    "2a"          \
    "02000026" HELLO("0303", "009c", "00")
#define HELLO_DHE \
    "160303002a"  \
    "02000026" HELLO("0303", "009e", "00")
#define HELLO_ECDHE \
    "160303002a"    \
    "02000026" HELLO("0303", "c02f", "00")
#define HELLO_EXPORT \
    "160301002a"     \
    "02000026" HELLO("0301", "0003", "00")
#define DONE     \
    "1603030004" \
    "0e000000"

static const struct row {
    const char *name;
    const char *hex;
    enum flight_state state;
    const char *version; /* NULL without a hello */
    uint16_t suite;
    bool is_done;
    /* parameters */
    unsigned dh_bits;
    unsigned rsa_bits;
    uint16_t curve;
    bool has_custom_curve;
    uint8_t alert;
} rows[] = {
    { "nothing", "", FLIGHT_OPEN },
    { "half a record header", "1603", FLIGHT_OPEN },
    { "half a record", "160303002a0200", FLIGHT_OPEN },
    { "a hello", HELLO_RSA, FLIGHT_OPEN, "TLSv1.2", 0x009C },
    { "a hello and its end", HELLO_RSA DONE, FLIGHT_OPEN, "TLSv1.2", 0x009C, true },
    { "SSL 3.0",
      "160300002a"
      "02000026" HELLO("0300", "0005", "00"),
      FLIGHT_OPEN, "SSLv3", 5 },
    { "a message in two records",
      "1603030004"
      "02000026"
      "1603030026" HELLO("0303", "009c", "00"),
      FLIGHT_OPEN, "TLSv1.2", 0x009C },
    { "two messages in a record",
      "160303002e"
      "02000026" HELLO("0303", "009c", "00") "0e000000",
      FLIGHT_OPEN, "TLSv1.2", 0x009C, true },
    { "TLS 1.3 by its extension",
      "1603030032"
      "0200002e" HELLO("0303", "1301", "00") "0006002b00020304",
      FLIGHT_OPEN, "TLSv1.3", 0x1301, true },
    { "an unknown suite",
      "160303002a"
      "02000026" HELLO("0303", "0a0a", "00"),
      FLIGHT_OPEN, "TLSv1.2", 0x0A0A },

    { "DHE",
      HELLO_DHE "1603030011"
                "0c00000d"
                "0003"
                "010001"
                "0001"
                "02"
                "0001"
                "05"
                "0000",
      FLIGHT_OPEN, "TLSv1.2", 0x009E, .dh_bits = 17 },
    { "zeros before a prime do not count",
      HELLO_DHE "1603030012"
                "0c00000e"
                "0004"
                "0000ffff"
                "0001"
                "02"
                "0001"
                "05"
                "0000",
      FLIGHT_OPEN, "TLSv1.2", 0x009E, .dh_bits = 16 },
    { "a prime of no bytes",
      HELLO_DHE "1603030006"
                "0c000002"
                "0000",
      FLIGHT_OPEN, "TLSv1.2", 0x009E },
    { "a prime that is cut",
      HELLO_DHE "1603030007"
                "0c000003"
                "000401",
      FLIGHT_GARBAGE, "TLSv1.2", 0x009E },
    { "ECDHE",
      HELLO_ECDHE "1603030009"
                  "0c000005"
                  "03"
                  "0017"
                  "0104",
      FLIGHT_OPEN, "TLSv1.2", 0xC02F, .curve = 23 },
    { "a custom curve",
      HELLO_ECDHE "1603030006"
                  "0c000002"
                  "0105",
      FLIGHT_OPEN, "TLSv1.2", 0xC02F, .has_custom_curve = true },
    { "an RSA key of export strength",
      HELLO_EXPORT "1603010008"
                   "0c000004"
                   "0002"
                   "8001",
      FLIGHT_OPEN, "TLSv1.0", 0x0003, .rsa_bits = 16 },
    { "parameters twice",
      HELLO_ECDHE "1603030009"
                  "0c000005"
                  "03"
                  "0017"
                  "0104"
                  "1603030009"
                  "0c000005"
                  "03"
                  "0018"
                  "0104",
      FLIGHT_GARBAGE, "TLSv1.2", 0xC02F, .curve = 23 },
    { "parameters before a hello",
      "1603030009"
      "0c000005"
      "03"
      "0017"
      "0104",
      FLIGHT_GARBAGE },

    { "a fatal alert", "15030100020228", FLIGHT_ALERT, .alert = 40 },
    { "a fallback is refused", "15030300020256", FLIGHT_ALERT,
      .alert = ALERT_INAPPROPRIATE_FALLBACK },
    { "a warning goes by", "15030100020170" HELLO_RSA, FLIGHT_OPEN, "TLSv1.2", 0x009C },
    { "an alert of one byte", "150301000102", FLIGHT_GARBAGE },
    { "an alert of none", "1503010000", FLIGHT_GARBAGE },
    { "an alert after the hello", HELLO_RSA "15030300020228", FLIGHT_ALERT, "TLSv1.2", 0x009C,
      .alert = 40 },

    { "HTTP", "485454502f312e3120343030", FLIGHT_GARBAGE },
    { "SSH", "5353482d322e302d", FLIGHT_GARBAGE },
    { "four bytes of SSH wait", "53534832", FLIGHT_OPEN },
    { "zeros", "0000000000", FLIGHT_GARBAGE },
    { "a record of another version", "1602000004", FLIGHT_GARBAGE },
    { "a record that is too large", "160303ffff", FLIGHT_GARBAGE },
    { "an empty handshake record", "1603030000", FLIGHT_GARBAGE },
    { "application data before a hello",
      "1703030001"
      "00",
      FLIGHT_GARBAGE },
    { "a change of cipher before a hello",
      "1403030001"
      "01",
      FLIGHT_GARBAGE },
    { "a hello with an unknown version",
      "160303002a"
      "02000026" HELLO("0505", "009c", "00"),
      FLIGHT_GARBAGE },
    { "a hello of SSL 2.0 in TLS",
      "160303002a"
      "02000026" HELLO("0002", "009c", "00"),
      FLIGHT_GARBAGE },
    { "an extension names no version",
      "1603030032"
      "0200002e" HELLO("0303", "1301", "00") "0006002b00020505",
      FLIGHT_GARBAGE },
    { "a hello that is cut",
      "1603030008"
      "02000004"
      "03030101",
      FLIGHT_GARBAGE },
    { "extensions that are cut",
      "160303002d"
      "02000029" HELLO("0303", "009c", "00") "0005ff",
      FLIGHT_GARBAGE },
    { "a hello twice", HELLO_RSA HELLO_RSA, FLIGHT_GARBAGE, "TLSv1.2", 0x009C },
    { "an unknown message",
      HELLO_RSA "1603030004"
                "63000000",
      FLIGHT_GARBAGE, "TLSv1.2", 0x009C },
    { "a message of 16 MB waits",
      "1603030004"
      "02ffffff",
      FLIGHT_OPEN },
    { "what comes after the end is not looked at", HELLO_RSA DONE "ffffffffff", FLIGHT_OPEN,
      "TLSv1.2", 0x009C, true },
};

/* Parse in pieces of this size. */
static void read_hex(const char *hex, size_t step, struct flight *flight)
{
    scoped(buf_free) struct buf bytes = BUF(4096);
    assert_true(hex_decode(&bytes, text_of(hex)));
    for (size_t at = 0; at < bytes.size; at += step) {
        size_t left = bytes.size - at;
        flight_read(flight, (struct text){ bytes.bytes + at, left < step ? left : step });
    }
}

static void check_parameters(const struct row *row, const struct flight *flight)
{
    assert_int_equal(flight->key_exchange.dh_bits, row->dh_bits);
    assert_int_equal(flight->key_exchange.rsa_bits, row->rsa_bits);
    assert_int_equal(flight->key_exchange.curve, row->curve);
    assert_int_equal(flight->key_exchange.has_custom_curve, row->has_custom_curve);
}

static void check(void **state)
{
    const struct row *row = *state;
    const size_t steps[] = { 4096, 1, 7 };
    for (size_t i = 0; i < countof(steps); i++) {
        scoped(flight_free) struct flight flight = FLIGHT_INIT;
        read_hex(row->hex, steps[i], &flight);
        assert_int_equal(flight.state, row->state);
        assert_int_equal(flight.has_hello, row->version != NULL);
        assert_int_equal(flight.alert, row->alert);
        assert_int_equal(flight.is_done, row->is_done);
        if (row->version)
            assert_string_equal(version_name(flight.hello.version), row->version);
        assert_int_equal(flight.hello.suite_id, row->suite);
        check_parameters(row, &flight);
    }
}

static void flags_of_a_hello(void **state)
{
    (void)state;
    scoped(flight_free) struct flight flight = FLIGHT_INIT;
    read_hex("1603030036"
             "02000032" HELLO("0303", "009c", "01") "000a"
                                                    "ff01000100"
                                                    "000f000101",
             4096, &flight);
    assert_true(flight.has_hello);
    assert_true(flight.hello.has_compression);
    assert_true(flight.hello.has_renegotiation);
    assert_true(flight.hello.has_heartbeat);
    assert_false(flight.hello.is_retry);
}

static void a_retry_names_its_group(void **state)
{
    (void)state;
    scoped(flight_free) struct flight flight = FLIGHT_INIT;
    read_hex("1603030038"
             "02000034"
             "0303" RETRY "00"
             "1301"
             "00"
             "000c"
             "002b00020304"
             "00330002001e",
             4096, &flight);
    assert_true(flight.hello.is_retry);
    assert_int_equal(flight.hello.group, 30);
    assert_int_equal(flight.hello.version, TLSV13);
}

static void certificates_in_their_order(void **state)
{
    (void)state;
    scoped(flight_free) struct flight flight = FLIGHT_INIT;
    read_hex(HELLO_RSA "1603030010"
                       "0b00000c"
                       "000009"
                       "000002"
                       "aabb"
                       "000001"
                       "cc",
             3, &flight);
    struct text list = buf_text(&flight.certificates);
    assert_int_equal(certificate_at(list, 0).size, 2);
    assert_memory_equal(certificate_at(list, 1).bytes, "\xcc", 1);
    assert_int_equal(certificate_at(list, 2).size, 0);
    assert_false(flight.asks_certificate);
    read_hex("1603030004"
             "0d000000",
             4096, &flight);
    assert_true(flight.asks_certificate);
}

/* Endless warnings and endless messages are limited. */
static void no_endless_talk(void **state)
{
    (void)state;
    const char *const endless[] = { "15030100020170",
                                    "1603030004"
                                    "00000000",
                                    "1603030001"
                                    "02" };
    for (size_t i = 0; i < countof(endless); i++) {
        scoped(flight_free) struct flight flight = FLIGHT_INIT;
        for (size_t rounds = 0; rounds < 10000 && flight.state == FLIGHT_OPEN; rounds++)
            read_hex(endless[i], 4096, &flight);
        assert_int_not_equal(flight.state, FLIGHT_OPEN);
        assert_true(flight.bytes <= FLIGHT_BYTES);
    }
}

/* ---- SSL 2.0 ---- */

#define SSL2_BODY \
    "0400010002"  \
    "0002"        \
    "0006"        \
    "0001"        \
    "aabb"        \
    "0700c0"      \
    "010080"      \
    "ff"

static const struct ssl2_row {
    const char *name;
    const char *hex;
    enum ssl2_answer answer;
    size_t suite_count;
    const char *first;
} ssl2_rows[] = {
    { "a hello", "8014" SSL2_BODY, SSL2_HELLO, 2, "SSL_CK_DES_192_EDE3_CBC_WITH_MD5" },
    { "more behind it", "8014" SSL2_BODY "00", SSL2_HELLO, 2, "SSL_CK_DES_192_EDE3_CBC_WITH_MD5" },
    { "unknown suites",
      "8011"
      "0400010002"
      "0002"
      "0003"
      "0001"
      "aabb"
      "ffffff"
      "ff",
      SSL2_HELLO, 0, NULL },
    { "not complete",
      "8014"
      "040001",
      SSL2_MORE, 0, NULL },
    { "nothing", "", SSL2_MORE, 0, NULL },
    { "an error message",
      "8003"
      "000001",
      SSL2_NO, 0, NULL },
    { "a TLS alert", "15030100020246", SSL2_NO, 0, NULL },
    { "another version",
      "8014"
      "0400010300"
      "0002"
      "0006"
      "0001"
      "aabb"
      "0700c0"
      "010080"
      "ff",
      SSL2_NO, 0, NULL },
    { "suites of four bytes",
      "8014"
      "0400010002"
      "0003"
      "0004"
      "0001"
      "aabbcc"
      "0700c001"
      "0080ff",
      SSL2_NO, 0, NULL },
    { "lengths beyond the message",
      "8004"
      "0400010002"
      "0002"
      "0006"
      "0001"
      "aabb"
      "0700c0"
      "010080"
      "ff",
      SSL2_NO, 0, NULL },
    { "a message of no bytes", "800004", SSL2_NO, 0, NULL },
    { "lengths that lie",
      "800c"
      "0400010002"
      "ffff"
      "0006"
      "0001"
      "aa",
      SSL2_NO, 0, NULL },
};

static void check_ssl2(void **state)
{
    const struct ssl2_row *row = *state;
    scoped(buf_free) struct buf bytes = BUF(256);
    struct ssl2_hello hello = { 0 };
    assert_true(hex_decode(&bytes, text_of(row->hex)));
    assert_int_equal(ssl2_read(buf_text(&bytes), &hello), row->answer);
    if (row->answer != SSL2_HELLO)
        return;
    assert_true(hello.has_certificate);
    assert_int_equal(hello.suite_count, row->suite_count);
    if (row->first)
        assert_string_equal(hello.suite[0]->name, row->first);
}

/* ---- hellos ---- */

static void hellos_have_their_sizes(void **state)
{
    (void)state;
    uint16_t ids[SUITES_OFFER_MAX];
    size_t count = suites_of_kind(SUITES_INSECURE, TLSV12, ids);
    for (unsigned version = SSLV3; version <= TLSV13; version++) {
        struct hello hello = { .highest = (enum version)version,
                               .lowest = SSLV3,
                               .host = "www.example.com",
                               .suites = ids,
                               .suite_count = count,
                               .has_shares = true };
        scoped(buf_free) struct buf out = BUF(HELLO_BYTES);
        hello_write(&hello, &out);
        assert_false(out.full);
        assert_int_equal((unsigned char)out.bytes[3] << 8 | (unsigned char)out.bytes[4],
                         out.size - 5);
        assert_int_equal((unsigned char)out.bytes[7] << 8 | (unsigned char)out.bytes[8],
                         out.size - 9);
        if (version < TLSV13)
            assert_true(out.size < 512);
        hello.is_short = true;
        hello.suite_count = 40;
        buf_clear(&out);
        hello_write(&hello, &out);
        if (version < TLSV13)
            assert_true(out.size < 256);
    }
}

/* The longest host name, and all suites. */
static void the_longest_hello_fits(void **state)
{
    (void)state;
    uint16_t ids[160] = { 0 };
    char name[254];
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    struct hello hello = { .highest = TLSV13,
                           .lowest = TLSV10,
                           .host = name,
                           .suites = ids,
                           .suite_count = countof(ids),
                           .has_shares = true };
    scoped(buf_free) struct buf out = BUF(HELLO_BYTES);
    hello_write(&hello, &out);
    assert_false(out.full);
}

static void an_ssl2_hello(void **state)
{
    (void)state;
    const uint8_t random[HELLO_RANDOM_BYTES] = { 1 };
    scoped(buf_free) struct buf out = BUF(HELLO_BYTES);
    char hex[2 * 64];
    hello_write_ssl2(random, &out);
    assert_int_equal(out.size, 2 + 9 + 7 * 3 + 16);
    hex_encode(hex, out.bytes, 14);
    assert_string_equal(hex, "802e"
                             "01"
                             "0002"
                             "0015"
                             "0000"
                             "0010"
                             "010080");
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(flags_of_a_hello),
        cmocka_unit_test(a_retry_names_its_group),
        cmocka_unit_test(certificates_in_their_order),
        cmocka_unit_test(no_endless_talk),
        cmocka_unit_test(hellos_have_their_sizes),
        cmocka_unit_test(the_longest_hello_fits),
        cmocka_unit_test(an_ssl2_hello),
    };
    return RUN_ROWS(rows, check) + RUN_ROWS(ssl2_rows, check_ssl2) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
