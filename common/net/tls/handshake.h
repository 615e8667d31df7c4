/*
 * common/net/tls/handshake.h - one TLS handshake with OpenSSL, to inspect the server, not to trust
 * it: nothing is verified, and old versions and weak suites are accepted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/host.h"
#include "net/tls/chain.h"

enum { HANDSHAKE_STAPLE_BYTES = 64 << 10 };

/* Certificates that a client accepts. A server with several chooses by this. */
enum handshake_kind {
    HANDSHAKE_ANY,
    HANDSHAKE_RSA,
    HANDSHAKE_RSA_PSS, /* a key for RSASSA-PSS alone, RFC 5756 */
    HANDSHAKE_ECDSA,
    HANDSHAKE_EDDSA,
    HANDSHAKE_DSA,
};

/* Protocols that the client offers. Mail servers may reject a client that offers only those of
 * HTTP. */
enum handshake_alpn { HANDSHAKE_HTTP, HANDSHAKE_NO_ALPN };

struct handshake {
    bool is_complete;
    uint16_t version;      /* as on the wire: 0x0303 for TLS 1.2 */
    char alpn[16];         /* "h2", "http/1.1"; "" if none was negotiated */
    struct chain *chain;   /* NULL: none */
    struct buf staple;     /* OCSP response in DER; empty: none */
    unsigned sct_count;    /* total in certificate, handshake and OCSP response */
    bool asks_certificate; /* it requests a client certificate */
};

#define HANDSHAKE_INIT                         \
    {                                          \
        .staple = BUF(HANDSHAKE_STAPLE_BYTES), \
    }

/*
 * Do a handshake over a connected, non-blocking socket, which stays the caller's, until the
 * deadline (by clock_ms()). Fills in what the server has sent, also if the handshake failed. Start
 * with HANDSHAKE_INIT.
 */
void handshake(int fd, const struct host *host, enum handshake_kind kind, enum handshake_alpn alpn,
               int64_t deadline_ms, struct handshake *result);

void handshake_free(struct handshake *result);
