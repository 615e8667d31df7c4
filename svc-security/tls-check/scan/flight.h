/*
 * svc-security/tls-check/scan/flight.h - parse the plaintext part of a server's response to a
 * ClientHello: records (RFC 5246 section 6.2) with alerts and handshake messages.
 *
 * Pure functions on bytes, in linear time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "tls-check/protocol/suites.h"

enum { FLIGHT_BYTES = 16 << 10 /* limit per connection */ };

enum flight_state {
    FLIGHT_OPEN,    /* incomplete */
    FLIGHT_ALERT,   /* fatal alert */
    FLIGHT_GARBAGE, /* not TLS, or malformed */
    FLIGHT_FULL,    /* more than FLIGHT_BYTES */
};

enum alert {
    ALERT_INAPPROPRIATE_FALLBACK = 86,
    ALERT_UNRECOGNIZED_NAME = 112,
};

struct server_hello {
    enum version version;
    const struct suite *suite; /* NULL if unknown */
    uint16_t suite_id;
    bool is_retry;        /* HelloRetryRequest, RFC 8446 section 4.1.4 */
    bool has_compression; /* a compression method other than null */
    bool has_renegotiation;
    bool has_heartbeat;
    uint16_t group; /* of the key share, or 0 */
};

/* Content of a ServerKeyExchange; zero if unknown. */
struct key_exchange {
    unsigned dh_bits;
    struct text dh_prime;  /* big-endian, borrowed from the flight */
    unsigned rsa_bits;     /* RSA bits of an export suite's key */
    uint16_t curve;        /* named curve */
    bool has_custom_curve; /* explicit parameters instead of a named curve */
};

/* Initialize with FLIGHT_INIT. */
struct flight {
    enum flight_state state;
    uint8_t alert;      /* alert description in FLIGHT_ALERT */
    size_t bytes;       /* read so far */
    struct buf record;  /* incomplete record */
    struct buf message; /* incomplete handshake message */
    bool has_hello;
    struct server_hello hello;
    struct buf certificates; /* the list of the Certificate message, see certificate_at() */
    struct key_exchange key_exchange;
    struct buf parameters; /* memory of key_exchange */
    bool has_key_exchange;
    bool asks_certificate; /* requests a client certificate */
    bool is_done;          /* after ServerHelloDone, or the rest is encrypted */
};

#define FLIGHT_INIT                                                         \
    {                                                                       \
        .record = BUF(FLIGHT_BYTES), .message = BUF(FLIGHT_BYTES),          \
        .certificates = BUF(FLIGHT_BYTES), .parameters = BUF(FLIGHT_BYTES), \
    }

/* Parse more bytes. Ignored once state is not FLIGHT_OPEN, or after is_done. */
void flight_read(struct flight *flight, struct text bytes);

/* Certificate i of the list in DER, borrowed; empty past the end. */
struct text certificate_at(struct text list, size_t i);

/* Are suite and key exchange parameters complete? */
bool flight_has_parameters(const struct flight *flight);

void flight_free(struct flight *flight);

/* ---- SSL 2.0, with its own records and messages ---- */

struct ssl2_hello {
    bool has_certificate;
    size_t suite_count;
    const struct suite *suite[SUITES_SSL2_MAX]; /* suites of our hello that the server supports */
};

enum ssl2_answer {
    SSL2_MORE,  /* incomplete */
    SSL2_HELLO, /* SERVER-HELLO of SSL 2.0 */
    SSL2_NO,    /* anything else */
};

/* Parse all bytes so far of the response to an SSL 2.0 CLIENT-HELLO. */
enum ssl2_answer ssl2_read(struct text bytes, struct ssl2_hello *hello);
