/*
 * svc-security/tls-check/scan/hello.h - a client's first message, made by hand: the library could
 * offer neither SSL 2.0 and 3.0 nor the suites it no longer has.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "tls-check/protocol/version.h"

enum {
    HELLO_BYTES = 1024, /* more than any hello has */
    HELLO_RANDOM_BYTES = 32,
    SUITE_RENEGOTIATION = 0x00FF, /* RFC 5746 section 3.3 */
    SUITE_FALLBACK = 0x5600,      /* RFC 7507 */
};

/* What is offered; every pointer is borrowed. */
struct hello {
    enum version highest; /* at least SSLV3 */
    enum version lowest;  /* matters when highest is TLSV13: all versions in between are offered */
    uint16_t number;      /* instead of the number of `highest`; 0: that one */
    const char *host;     /* for server_name; NULL: none, as for addresses */
    const uint16_t *suites;
    size_t suite_count;
    const uint16_t *groups; /* NULL: all curves, the usual ones first */
    size_t group_count;
    bool has_shares;      /* keys for X25519 and P-256 come with a TLS 1.3 hello */
    bool has_compression; /* DEFLATE is offered too; never with TLS 1.3 */
    bool is_short;        /* below 256 bytes, for servers that drop longer ones: few extensions */
    uint8_t random[HELLO_RANDOM_BYTES]; /* also gives the session id and the X25519 key */
};

/* Append the record. A short hello of more than 40 suites, or any of more than 160, may be cut off
 * by the ceiling of out, HELLO_BYTES. */
void hello_write(const struct hello *hello, struct buf *out);

/* Append the CLIENT-HELLO of SSL 2.0, which offers all ciphers of suites-ssl2.def. */
void hello_write_ssl2(const uint8_t random[static HELLO_RANDOM_BYTES], struct buf *out);
