/*
 * svc-security/tls-check/scan/flight.h - what a server says after a client's hello, read as far as
 * it is plaintext: records (RFC 5246 section 6.2), in them alerts and handshake messages.
 *
 * Reading is pure: bytes in, facts out. The work is linear in the bytes, whatever they are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "tls-check/protocol/suites.h"

enum { FLIGHT_BYTES = 16 << 10 /* more is not read from one connection */ };

enum flight_state {
    FLIGHT_OPEN,    /* nothing final yet */
    FLIGHT_ALERT,   /* the server refused with a fatal alert */
    FLIGHT_GARBAGE, /* this is not TLS, or not as it should be */
    FLIGHT_FULL,    /* it said more than we read */
};

enum alert {
    ALERT_INAPPROPRIATE_FALLBACK = 86,
    ALERT_UNRECOGNIZED_NAME = 112,
};

struct server_hello {
    enum version version;
    const struct suite *suite; /* NULL: one that we do not know */
    uint16_t suite_id;
    bool is_retry;        /* HelloRetryRequest, RFC 8446 section 4.1.4 */
    bool has_compression; /* a method but null was chosen */
    bool has_renegotiation;
    bool has_heartbeat;
    uint16_t group; /* of the key share; 0: none */
};

/* What is known of a ServerKeyExchange; all zero: nothing. */
struct key_exchange {
    unsigned dh_bits;
    struct text dh_prime; /* big-endian, borrowed from the flight */
    unsigned rsa_bits;    /* of the key of an export suite */
    uint16_t curve;       /* a named one */
    bool has_own_curve;   /* parameters instead of a name */
};

/* A zero struct with the BUFs of FLIGHT_INIT is a flight of which nothing was read. */
struct flight {
    enum flight_state state;
    uint8_t alert;      /* the description when state is FLIGHT_ALERT */
    size_t bytes;       /* read so far */
    struct buf record;  /* the one that is not complete yet */
    struct buf message; /* likewise */
    bool has_hello;
    struct server_hello hello;
    struct buf certificates; /* the list of the Certificate message, see certificate_at() */
    struct key_exchange key_exchange;
    struct buf parameters; /* what key_exchange borrows from */
    bool has_key_exchange;
    bool asks_certificate; /* of the client */
    bool is_done;          /* ServerHelloDone, or all that follows is encrypted */
};

#define FLIGHT_INIT                                                         \
    {                                                                       \
        .record = BUF(FLIGHT_BYTES), .message = BUF(FLIGHT_BYTES),          \
        .certificates = BUF(FLIGHT_BYTES), .parameters = BUF(FLIGHT_BYTES), \
    }

/* Read on. What comes after the state left FLIGHT_OPEN, or after is_done, is ignored. */
void flight_read(struct flight *flight, struct text bytes);

/* Certificate i of such a list in DER, borrowed; an empty text past the end. */
struct text certificate_at(struct text list, size_t i);

/* Is the next thing to come of no interest to one who wants to know which suite was chosen and with
 * what parameters? */
bool flight_has_parameters(const struct flight *flight);

void flight_free(struct flight *flight);

/* ---- SSL 2.0, whose records and messages are others ---- */

struct ssl2_hello {
    bool has_certificate;
    size_t suite_count;
    const struct suite *suite[SUITES_SSL2_MAX]; /* those of ours that the server has, too */
};

enum ssl2_answer {
    SSL2_MORE,  /* not complete */
    SSL2_HELLO, /* SERVER-HELLO of SSL 2.0 */
    SSL2_NO,    /* anything else */
};

/* All bytes so far of the answer to a CLIENT-HELLO of SSL 2.0. */
enum ssl2_answer ssl2_read(struct text bytes, struct ssl2_hello *hello);
