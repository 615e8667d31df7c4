/* svc-security/tls-check/tests/scores.c - the score and its three parts. */
#include "tls-check/grade.h"
#include "world.h"

static const struct row {
    const char *name;
    const char *suites;
    int protocol;
    int key_exchange;
    int cipher;
    int total;
    struct poke poke[3];
} rows[] = {
    { "TLS 1.2 with 128 bits", "TLSv1.2:C02F", 100, 90, 80, 89 },
    { "TLS 1.2 with 256 bits, key of 4096",
      "TLSv1.2:C030",
      100,
      100,
      100,
      100,
      { LEAF(key_bits, 4096) } },
    { "128 and 256 bits", "TLSv1.2:C02F TLSv1.2:C030", 100, 90, 90, 93 },
    { "SSL 3.0 and TLS 1.2", "SSLv3:002F TLSv1.2:C02F", 90, 90, 80, 86 },
    { "TLS 1.0 alone", "TLSv1.0:002F", 90, 90, 80, 86 },
    { "TLS 1.1 and 1.2", "TLSv1.1:002F TLSv1.2:C02F", 97, 90, 80, 88 },
    { "SSL 2.0 alone is nothing", "SSLv2:010080", 0, 90, 80, 0 },
    { "no encryption alone is nothing", "TLSv1.2:0002", 100, 90, 0, 0 },
    { "no encryption and 256 bits", "TLSv1.2:0002 TLSv1.2:C030", 100, 90, 50, 77 },
    { "3DES counts 112 bits", "TLSv1.2:000A", 100, 90, 20, 65 },
    { "an anonymous suite", "TLSv1.2:C019", 100, 0, 100, 0 },
    { "an export suite", "TLSv1.2:0003", 100, 40, 20, 50 },
    { "RSA of 511 bits", "TLSv1.2:C02F", 100, 20, 80, 68, { LEAF(key_bits, 511) } },
    { "RSA of 1023 bits", "TLSv1.2:C02F", 100, 40, 80, 74, { LEAF(key_bits, 1023) } },
    { "RSA of 2047 bits", "TLSv1.2:C02F", 100, 80, 80, 86, { LEAF(key_bits, 2047) } },
    { "the ephemeral key is the weaker one",
      "TLSv1.2:C02F",
      100,
      40,
      80,
      74,
      { FACT(dh_bits, 768) } },
    { "EC of 109 bits",
      "TLSv1.2:C02F",
      100,
      20,
      80,
      68,
      { LEAF(key_type, KEY_EC), LEAF(key_bits, 109) } },
    { "EC of 122 bits",
      "TLSv1.2:C02F",
      100,
      40,
      80,
      74,
      { LEAF(key_type, KEY_EC), LEAF(key_bits, 122) } },
    { "EC of 162 bits",
      "TLSv1.2:C02F",
      100,
      80,
      80,
      86,
      { LEAF(key_type, KEY_EC), LEAF(key_bits, 162) } },
    { "EC of 224 bits",
      "TLSv1.2:C02F",
      100,
      90,
      80,
      89,
      { LEAF(key_type, KEY_EC), LEAF(key_bits, 224) } },
    { "EC of 225 bits",
      "TLSv1.2:C02F",
      100,
      100,
      80,
      92,
      { LEAF(key_type, KEY_EC), LEAF(key_bits, 225) } },
    { "RSA exponent 1", "TLSv1.2:C02F", 100, 0, 80, 0, { LEAF(rsa_exponent, 1) } },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct issues none = { 0 };
    struct world world;
    struct grade graded;

    make_world(row->suites, row->poke, countof(row->poke), &world);
    grade(&(const struct facts *){ &world.facts }, 1, &none, &graded);
    assert_int_equal(graded.protocol, row->protocol);
    assert_int_equal(graded.key_exchange, row->key_exchange);
    assert_int_equal(graded.cipher, row->cipher);
    assert_int_equal(graded.score, row->total);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
