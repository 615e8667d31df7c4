/*
 * common/net/tls/handshake.h - one TLS handshake by OpenSSL, to look at the server and not to trust
 * it: nothing is verified, and old versions and weak suites are welcome.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/host.h"
#include "net/tls/chain.h"

enum { HANDSHAKE_STAPLE_BYTES = 64 << 10 };

struct handshake {
    bool is_complete;
    uint16_t version;      /* on the wire: 0x0303 for TLS 1.2 */
    char alpn[16];         /* "h2", "http/1.1"; "" when none was agreed */
    struct chain *chain;   /* NULL: none came */
    struct buf staple;     /* OCSP response in DER; empty: none came */
    unsigned sct_count;    /* in certificate, handshake and OCSP response together */
    bool asks_certificate; /* of the client */
};

#define HANDSHAKE_INIT                         \
    {                                          \
        .staple = BUF(HANDSHAKE_STAPLE_BYTES), \
    }

/*
 * Shake hands over a connected, non-blocking socket, which stays the caller's, until the deadline
 * (by clock_ms()). What the server showed is filled in as far as it came, also when the handshake
 * failed in the end. Fill a struct of HANDSHAKE_INIT.
 */
void handshake(int fd, const struct host *host, int64_t deadline_ms, struct handshake *result);

void handshake_free(struct handshake *result);
