/* svc-security/tls-check/tests/fuzz/tls-flight.c - parse any bytes of a TLS server, at once and in
 * pieces, with the same result. The first byte is the size of the pieces. */
#include <assert.h>
#include <string.h>

#include "target.h"
#include "tls-check/scan/flight.h"

static void check(const struct flight *flight)
{
    struct text list = buf_text(&flight->certificates);
    size_t bytes = 0;
    for (size_t i = 0; certificate_at(list, i).size > 0; i++)
        bytes += certificate_at(list, i).size + 3;
    assert(bytes <= list.size);
    assert(flight->bytes <= FLIGHT_BYTES);
    assert(!flight->has_key_exchange || flight->has_hello);
    assert(!flight->has_hello || flight->hello.version >= SSLV3);
    assert(flight->key_exchange.dh_prime.size * 8 >= flight->key_exchange.dh_bits);
    (void)flight_has_parameters(flight);
}

static void check_same(const struct flight *a, const struct flight *b)
{
    assert(a->state == b->state && a->alert == b->alert && a->has_hello == b->has_hello);
    assert(a->is_done == b->is_done && a->asks_certificate == b->asks_certificate);
    assert(a->hello.suite_id == b->hello.suite_id && a->hello.version == b->hello.version);
    assert(a->certificates.size == b->certificates.size);
    assert(a->key_exchange.dh_bits == b->key_exchange.dh_bits);
    assert(a->key_exchange.curve == b->key_exchange.curve);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(flight_free) struct flight whole = FLIGHT_INIT;
    scoped(flight_free) struct flight pieces = FLIGHT_INIT;
    if (size == 0)
        return 0;
    struct text text = { (const char *)bytes + 1, size - 1 };
    size_t step = 1 + bytes[0];

    flight_read(&whole, text);
    for (size_t at = 0; at < text.size; at += step) {
        size_t left = text.size - at;
        flight_read(&pieces, (struct text){ text.bytes + at, left < step ? left : step });
    }
    check(&whole);
    check(&pieces);
    check_same(&whole, &pieces);
    return 0;
}
