/*
 * svc-security/tls-check/scan/hello.h - write a ClientHello. Libraries no longer offer SSL 2.0, SSL
 * 3.0 and old suites.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "tls-check/protocol/version.h"

enum {
    HELLO_BYTES = 1024, /* larger than any hello */
    HELLO_RANDOM_BYTES = 32,
    SUITE_RENEGOTIATION = 0x00FF, /* RFC 5746 section 3.3 */
    SUITE_FALLBACK = 0x5600,      /* RFC 7507 */
};

/* Offer of a hello; pointers are borrowed. */
struct hello {
    enum version highest; /* at least SSLV3 */
    enum version lowest;  /* used if highest is TLSV13: all versions in between are offered */
    uint16_t number;      /* wire number; 0: that of `highest` */
    const char *host;     /* for server_name; NULL for IP addresses */
    const uint16_t *suites;
    size_t suite_count;
    const uint16_t *groups; /* NULL: all curves, common ones first */
    size_t group_count;
    bool has_shares;      /* a TLS 1.3 hello has keys for X25519 and P-256 */
    bool has_compression; /* also offers DEFLATE; never with TLS 1.3 */
    bool is_short;        /* below 256 bytes with few extensions, for servers that drop longer
                           * ones */
    uint8_t random[HELLO_RANDOM_BYTES]; /* also used for session id and X25519 key */
};

/* Append the record. out is limited to HELLO_BYTES, which may truncate a short hello of more than
 * 40 suites, or any of more than 160. */
void hello_write(const struct hello *hello, struct buf *out);

/* Append the CLIENT-HELLO of SSL 2.0, which offers all ciphers of suites-ssl2.def. */
void hello_write_ssl2(const uint8_t random[static HELLO_RANDOM_BYTES], struct buf *out);
