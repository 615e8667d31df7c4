/* svc-security/tls-check/scan/scan.c - evaluate the parts that every response has. */
#include "scan.h"

#include <openssl/evp.h>
#include <string.h>
#include <sys/random.h>

#include "base/codec/hex.h"

struct hello scan_hello(const struct scan *scan, enum version highest, enum version lowest)
{
    struct hello hello = {
        .highest = highest,
        .lowest = lowest,
        .host = scan->host,
        .is_short = scan->is_short,
        .has_shares = true,
    };
    if (getrandom(hello.random, sizeof(hello.random), 0) < 0)
        memset(hello.random, 1, sizeof(hello.random)); /* does not need to be secret */
    return hello;
}

void scan_accept(struct scan *scan, enum version version, const struct suite *suite)
{
    struct facts *facts = scan->facts;
    if (!suite || facts->accepted_count == ACCEPTED_MAX)
        return;
    for (size_t i = 0; i < facts->accepted_count; i++)
        if (facts->accepted[i].version == version && facts->accepted[i].suite == suite)
            return;
    facts->accepted[facts->accepted_count] =
        (struct accepted){ version, suite, facts->accepted_count };
    facts->accepted_count++;
}

void scan_add_group(struct scan *scan, uint16_t id)
{
    struct facts *facts = scan->facts;
    for (size_t i = 0; i < facts->group_count; i++)
        if (facts->group[i] == id)
            return;
    if (group_find(id) && facts->group_count < GROUPS_MAX)
        facts->group[facts->group_count++] = id;
}

/* ---- Diffie-Hellman ---- */

static const struct prime {
    const char *name;
    const char *sha256;
} primes[] = {
#define PRIME(name, sha256) { name, sha256 },
#include "primes.def"
#undef PRIME
};

/* Name of a common prime, or NULL. */
static const char *find_prime(struct text prime)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    char hex[2 * EVP_MAX_MD_SIZE + 1];
    unsigned size = 0;
    while (prime.size > 0 && prime.bytes[0] == 0)
        prime = text_skip(prime, 1);
    if (!EVP_Digest(prime.bytes, prime.size, sum, &size, EVP_sha256(), NULL))
        return NULL;
    hex_encode(hex, sum, size);
    for (size_t i = 0; i < countof(primes); i++)
        if (strcmp(primes[i].sha256, hex) == 0)
            return primes[i].name;
    return NULL;
}

static void note_dh(struct facts *facts, const struct key_exchange *exchange)
{
    if (exchange->dh_bits == 0)
        return;
    if (facts->dh_bits == 0 || exchange->dh_bits < facts->dh_bits)
        facts->dh_bits = exchange->dh_bits;
    const char *name = find_prime(exchange->dh_prime);
    if (name && (!facts->common_prime || exchange->dh_bits < facts->common_bits)) {
        facts->common_prime = name;
        facts->common_bits = exchange->dh_bits;
    }
}

/* ---- any response ---- */

static bool is_known_list(const struct scan *scan, struct text list)
{
    struct text first = certificate_at(list, 0);
    for (size_t i = 0; i < scan->list_count; i++) {
        struct text known = certificate_at(buf_text(&scan->list[i]), 0);
        if (first.size == known.size && memcmp(first.bytes, known.bytes, first.size) == 0)
            return true;
    }
    return false;
}

static void note_certificates(struct scan *scan, struct text list)
{
    if (certificate_at(list, 0).size == 0 || scan->list_count == CERTIFICATE_LISTS_MAX ||
        is_known_list(scan, list))
        return;
    struct buf *copy = &scan->list[scan->list_count++];
    *copy = (struct buf)BUF(FLIGHT_BYTES);
    buf_add(copy, list.bytes, list.size);
}

void scan_lists_free(struct scan *scan)
{
    for (size_t i = 0; i < scan->list_count; i++)
        buf_free(&scan->list[i]);
    scan->list_count = 0;
}

void scan_note(struct scan *scan, const struct flight *flight)
{
    struct facts *facts = scan->facts;
    facts->has_compression |= flight->hello.has_compression;
    facts->has_heartbeat |= flight->hello.has_heartbeat;
    facts->asks_certificate |= flight->asks_certificate;
    if (flight->hello.group)
        scan_add_group(scan, flight->hello.group);
    if (flight->has_key_exchange) {
        note_dh(facts, &flight->key_exchange);
        if (flight->key_exchange.curve)
            scan_add_group(scan, flight->key_exchange.curve);
        facts->has_custom_curve |= flight->key_exchange.has_custom_curve;
    }
    note_certificates(scan, buf_text(&flight->certificates));
}
