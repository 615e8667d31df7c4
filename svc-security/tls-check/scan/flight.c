/* svc-security/tls-check/scan/flight.c - parse a server's response to a ClientHello. */
#include "flight.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "reader.h"

enum record_type {
    RECORD_CHANGE_CIPHER = 20,
    RECORD_ALERT = 21,
    RECORD_HANDSHAKE = 22,
    RECORD_APPLICATION_DATA = 23,
};

enum {
    RECORD_HEADER_BYTES = 5,
    RECORD_BYTES_MAX = (1 << 14) + 2048, /* RFC 5246 section 6.2.3 */
    MESSAGE_HEADER_BYTES = 4,
    RANDOM_BYTES = 32,
    ALERT_LEVEL_FATAL = 2,
};

static uint32_t number_at(const char *bytes, unsigned size)
{
    struct reader reader = { { bytes, size }, false };
    return read_number(&reader, size);
}

static void set_malformed(struct flight *flight)
{
    flight->state = FLIGHT_GARBAGE;
}

/* ---- ServerHello ---- */

static void read_extension(struct server_hello *hello, uint32_t type, struct text body,
                           enum version *selected)
{
    struct reader reader = { body, false };
    switch (type) {
    case 15:
        hello->has_heartbeat = true;
        break;
    case 43: /* supported_versions, RFC 8446 section 4.2.1 */
        if (!version_of_number((uint16_t)read_number(&reader, 2), selected))
            *selected = SSLV2;
        break;
    case 51: /* key_share; in a HelloRetryRequest only the group */
        hello->group = (uint16_t)read_number(&reader, 2);
        break;
    case 0xFF01:
        hello->has_renegotiation = true;
        break;
    default:
        break;
    }
}

static bool read_extensions(struct server_hello *hello, struct reader *message)
{
    enum version selected = hello->version;
    if (message->rest.size == 0)
        return true; /* extensions are optional */
    struct reader list = { read_vector(message, 2), false };
    while (list.rest.size > 0) {
        uint32_t type = read_number(&list, 2);
        struct text body = read_vector(&list, 2);
        if (!list.is_short)
            read_extension(hello, type, body, &selected);
    }
    hello->version = selected;
    return !list.is_short && !message->is_short && selected != SSLV2;
}

/* RFC 8446 section 4.1.3: the random bytes of a HelloRetryRequest. */
static const unsigned char retry_random[RANDOM_BYTES] = {
    0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
    0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
};

static void read_server_hello(struct flight *flight, struct reader *message)
{
    struct server_hello hello = { 0 };
    bool is_version = version_of_number((uint16_t)read_number(message, 2), &hello.version);
    struct text random = read_bytes(message, RANDOM_BYTES);
    read_vector(message, 1); /* session id */
    hello.suite_id = (uint16_t)read_number(message, 2);
    hello.suite = suite_find(hello.suite_id);
    hello.has_compression = read_number(message, 1) != 0;
    if (message->is_short || !is_version || hello.version < SSLV3 || flight->has_hello ||
        !read_extensions(&hello, message))
        return set_malformed(flight);
    hello.is_retry = memcmp(random.bytes, retry_random, RANDOM_BYTES) == 0;
    flight->hello = hello;
    flight->has_hello = true;
    flight->is_done = hello.version == TLSV13;
}

/* ---- Certificate ---- */

static void read_certificates(struct flight *flight, struct reader *message)
{
    struct text list = read_vector(message, 3);
    if (message->is_short || flight->certificates.size > 0)
        return set_malformed(flight);
    buf_add(&flight->certificates, list.bytes, list.size);
}

struct text certificate_at(struct text list, size_t i)
{
    struct reader reader = { list, false };
    struct text certificate = { 0 };
    for (size_t j = 0; j <= i && !reader.is_short; j++)
        certificate = read_vector(&reader, 3);
    return certificate;
}

/* ---- ServerKeyExchange ---- */

/* Bits of a big-endian number. */
static unsigned bits_of(struct text number)
{
    while (number.size > 0 && number.bytes[0] == 0)
        number = text_skip(number, 1);
    if (number.size == 0)
        return 0;
    unsigned bits = (unsigned)(8 * (number.size - 1));
    for (unsigned first = (unsigned char)number.bytes[0]; first > 0; first >>= 1)
        bits++;
    return bits;
}

static void read_curve(struct key_exchange *exchange, struct reader *message)
{
    enum { NAMED_CURVE = 3 };
    uint32_t type = read_number(message, 1);
    if (type == NAMED_CURVE)
        exchange->curve = (uint16_t)read_number(message, 2);
    else
        exchange->has_custom_curve = true;
}

/* The suite determines which of the three formats it has. */
static void read_key_exchange(struct flight *flight, struct reader *message)
{
    struct key_exchange exchange = { 0 };
    unsigned flags = flight->hello.suite ? flight->hello.suite->kx->flags & KX_SENDS : 0;

    if (flight->has_key_exchange)
        return set_malformed(flight);
    buf_add(&flight->parameters, message->rest.bytes, message->rest.size);
    struct reader own = { buf_text(&flight->parameters), false };
    if (flags & KX_SENDS_EC) {
        read_curve(&exchange, &own);
    } else if (flags & KX_SENDS_DH) {
        exchange.dh_prime = read_vector(&own, 2);
        exchange.dh_bits = bits_of(exchange.dh_prime);
    } else if (flags & KX_SENDS_RSA) {
        exchange.rsa_bits = bits_of(read_vector(&own, 2));
    }
    if (own.is_short)
        return set_malformed(flight);
    flight->key_exchange = exchange;
    flight->has_key_exchange = true;
}

/* ---- messages and records ---- */

enum message_type {
    MESSAGE_HELLO_REQUEST = 0,
    MESSAGE_SERVER_HELLO = 2,
    MESSAGE_CERTIFICATE = 11,
    MESSAGE_KEY_EXCHANGE = 12,
    MESSAGE_CERTIFICATE_REQUEST = 13,
    MESSAGE_DONE = 14,
    MESSAGE_STATUS = 22,
};

static void read_message(struct flight *flight, uint32_t type, struct text body)
{
    struct reader message = { body, false };
    if (!flight->has_hello && type != MESSAGE_SERVER_HELLO && type != MESSAGE_HELLO_REQUEST)
        return set_malformed(flight);
    switch (type) {
    case MESSAGE_SERVER_HELLO:
        return read_server_hello(flight, &message);
    case MESSAGE_CERTIFICATE:
        return read_certificates(flight, &message);
    case MESSAGE_KEY_EXCHANGE:
        return read_key_exchange(flight, &message);
    case MESSAGE_CERTIFICATE_REQUEST:
        flight->asks_certificate = true;
        return;
    case MESSAGE_DONE:
        flight->is_done = true;
        return;
    case MESSAGE_HELLO_REQUEST:
    case MESSAGE_STATUS:
        return;
    default:
        return set_malformed(flight);
    }
}

static bool is_reading(const struct flight *flight)
{
    return flight->state == FLIGHT_OPEN && !flight->is_done;
}

/* Move bytes into `open` until it has the wanted size. */
static void gather_bytes(struct buf *open, size_t wanted, struct text *bytes)
{
    size_t size = MIN(wanted - open->size, bytes->size);
    buf_add(open, bytes->bytes, size);
    *bytes = text_skip(*bytes, size);
}

/* Records may split handshake messages anywhere (RFC 5246 section 6.2.1). */
static void gather_message(struct flight *flight, struct text *bytes)
{
    struct buf *message = &flight->message;
    size_t wanted = MESSAGE_HEADER_BYTES;
    if (message->size >= MESSAGE_HEADER_BYTES)
        wanted += number_at(message->bytes + 1, 3);
    gather_bytes(message, wanted, bytes);
}

static bool is_message_complete(const struct buf *message)
{
    return message->size >= MESSAGE_HEADER_BYTES &&
           message->size == MESSAGE_HEADER_BYTES + number_at(message->bytes + 1, 3);
}

static void read_handshake(struct flight *flight, struct text bytes)
{
    while (bytes.size > 0 && is_reading(flight)) {
        gather_message(flight, &bytes);
        if (!is_message_complete(&flight->message))
            continue;
        struct text body = text_skip(buf_text(&flight->message), MESSAGE_HEADER_BYTES);
        read_message(flight, number_at(flight->message.bytes, 1), body);
        buf_clear(&flight->message);
    }
}

/* A warning, such as unrecognized_name (RFC 6066 section 3), does not end the handshake. */
static void read_alert(struct flight *flight, struct text body)
{
    if (body.size != 2)
        return set_malformed(flight);
    if (body.bytes[0] != ALERT_LEVEL_FATAL)
        return;
    flight->state = FLIGHT_ALERT;
    flight->alert = (uint8_t)body.bytes[1];
}

static void read_record(struct flight *flight, uint32_t type, struct text body)
{
    if (type == RECORD_ALERT)
        read_alert(flight, body);
    else if (type == RECORD_HANDSHAKE && body.size > 0)
        read_handshake(flight, body);
    else
        set_malformed(flight);
}

/* Checked immediately: other protocols differ in the first bytes. */
static bool is_record_header(const char *bytes)
{
    uint32_t type = number_at(bytes, 1);
    return type >= RECORD_CHANGE_CIPHER && type <= RECORD_APPLICATION_DATA &&
           number_at(bytes + 1, 1) == 3 && number_at(bytes + 3, 2) <= RECORD_BYTES_MAX;
}

static void gather_record(struct flight *flight, struct text *bytes)
{
    struct buf *record = &flight->record;
    size_t wanted = RECORD_HEADER_BYTES;
    if (record->size >= RECORD_HEADER_BYTES)
        wanted += number_at(record->bytes + 3, 2);
    gather_bytes(record, wanted, bytes);
    if (record->size == RECORD_HEADER_BYTES && !is_record_header(record->bytes))
        set_malformed(flight);
}

static bool is_record_complete(const struct buf *record)
{
    return record->size >= RECORD_HEADER_BYTES &&
           record->size == RECORD_HEADER_BYTES + number_at(record->bytes + 3, 2);
}

void flight_read(struct flight *flight, struct text bytes)
{
    size_t room = FLIGHT_BYTES - flight->bytes;
    bool is_too_much = bytes.size > room;
    bytes.size = MIN(bytes.size, room);
    flight->bytes += bytes.size;

    while (bytes.size > 0 && is_reading(flight)) {
        gather_record(flight, &bytes);
        if (flight->state != FLIGHT_OPEN || !is_record_complete(&flight->record))
            continue;
        struct text body = text_skip(buf_text(&flight->record), RECORD_HEADER_BYTES);
        read_record(flight, number_at(flight->record.bytes, 1), body);
        buf_clear(&flight->record);
    }
    if (is_too_much && is_reading(flight))
        flight->state = FLIGHT_FULL;
}

bool flight_has_parameters(const struct flight *flight)
{
    const struct suite *suite = flight->hello.suite;
    if (!flight->has_hello)
        return false;
    return flight->is_done || flight->has_key_exchange || !suite || !(suite->kx->flags & KX_SENDS);
}

void flight_free(struct flight *flight)
{
    buf_free(&flight->record);
    buf_free(&flight->message);
    buf_free(&flight->certificates);
    buf_free(&flight->parameters);
    *flight = (struct flight)FLIGHT_INIT;
}

/* ---- SSL 2.0 ---- */

enum ssl2_answer ssl2_read(struct text bytes, struct ssl2_hello *hello)
{
    enum { SERVER_HELLO = 4, HEADER_BIT = 0x8000, LENGTH_MASK = 0x7FFF, ID_BYTES = 3 };
    struct reader reader = { bytes, false };
    uint32_t length = read_number(&reader, 2);
    uint32_t type = read_number(&reader, 1);
    if (reader.is_short)
        return SSL2_MORE;
    if (!(length & HEADER_BIT) || type != SERVER_HELLO || (length & LENGTH_MASK) == 0 ||
        (length & LENGTH_MASK) > FLIGHT_BYTES)
        return SSL2_NO;
    if (bytes.size < 2 + (length & LENGTH_MASK))
        return SSL2_MORE;
    reader.rest.size = (length & LENGTH_MASK) - 1; /* bytes of this message only */

    read_number(&reader, 2); /* session id hit, certificate type */
    bool is_version = read_number(&reader, 2) == version_number(SSLV2);
    uint32_t certificate_bytes = read_number(&reader, 2);
    uint32_t suite_bytes = read_number(&reader, 2);
    read_number(&reader, 2); /* length of the connection id */
    read_bytes(&reader, certificate_bytes);
    struct reader list = { read_bytes(&reader, suite_bytes), false };
    if (reader.is_short || !is_version || suite_bytes % ID_BYTES != 0)
        return SSL2_NO;
    *hello = (struct ssl2_hello){ .has_certificate = certificate_bytes > 0 };
    while (list.rest.size > 0 && hello->suite_count < SUITES_SSL2_MAX) {
        const struct suite *suite = suite_find_ssl2(read_number(&list, ID_BYTES));
        if (suite)
            hello->suite[hello->suite_count++] = suite;
    }
    return SSL2_HELLO;
}
