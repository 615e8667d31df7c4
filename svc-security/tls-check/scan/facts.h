/*
 * svc-security/tls-check/scan/facts.h - what was seen of a server: all that its judgement rests
 * on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hsts.h"
#include "net/tls/chain.h"
#include "tls-check/protocol/groups.h"
#include "tls-check/protocol/suites.h"

enum { ACCEPTED_MAX = 160 /* connections of a scan, and the suites of SSL 2.0 */ };

struct accepted {
    enum version version;
    const struct suite *suite;
};

/* Three-valued, as a question may not have been asked. */
enum tristate { TRI_UNKNOWN, TRI_NO, TRI_YES };

struct facts {
    bool supports[VERSIONS];
    enum version best;
    enum version negotiated; /* with a client of today */
    bool is_intolerant;      /* of newer versions */

    size_t accepted_count;
    struct accepted accepted[ACCEPTED_MAX]; /* newest version first, in it strong ones first */
    enum tristate has_server_order;
    enum tristate prefers_secrecy; /* forward secrecy, when the client would like it first */

    size_t group_count; /* that were accepted, or seen in a key exchange */
    uint16_t group[GROUPS_MAX];
    bool has_own_curve;
    unsigned dh_bits;         /* the shortest prime of an ephemeral exchange; 0: none was seen */
    const char *common_prime; /* the name of a shared one; NULL: none was seen */
    unsigned common_bits;     /* its size */

    enum tristate has_renegotiation; /* the secure one, RFC 5746 */
    enum tristate has_fallback;      /* RFC 7507; unknown: there is nothing to fall back to */
    bool has_compression;
    bool has_heartbeat;
    bool asks_certificate;

    char alpn[16];
    bool is_http;
    enum tristate has_hsts; /* unknown: no HTTP, or no answer */
    struct hsts hsts;

    size_t certificate_count;                         /* 0: none was seen */
    const struct certificate *certificate[CHAIN_MAX]; /* borrowed; the first is the server's own */
    bool is_in_order;
    size_t extra_count; /* see net/tls/chain.h */
    enum trust trust;
    bool is_for_host;
    bool has_staple;
    enum revocation revocation;
    unsigned sct_count; /* from anywhere */
    int64_t now_s;
};

/* Does the server accept a suite with any of these flags of its cipher, or of its key exchange, in
 * a version from `lowest` on? */
bool facts_have_cipher(const struct facts *facts, unsigned flags, enum version lowest);
bool facts_have_kx(const struct facts *facts, unsigned flags);

/* Fewest and most bits of the accepted ciphers; false when there are none. */
bool facts_cipher_bits(const struct facts *facts, unsigned *least, unsigned *most);

/* Does every accepted suite have any of these flags of its cipher? False when there are none. */
bool facts_all_have_cipher(const struct facts *facts, unsigned flags);

/* Is there a version below TLS 1.2, that is, one that nobody should be made to fall back to? */
bool facts_have_old_version(const struct facts *facts);

/* Is its Strict-Transport-Security as RFC 6797 wants it: one max-age, and no directive twice? */
bool facts_hsts_is_valid(const struct facts *facts);

/* The server's own certificate; NULL when none was seen. */
const struct certificate *facts_leaf(const struct facts *facts);

/* Seconds that a certificate lives, both ends counted (CA/Browser Forum Baseline
 * Requirements 1.6.1, "Validity Period"); 0 when it ends before it begins. */
int64_t certificate_lifetime_s(const struct certificate *certificate);
