/*
 * svc-security/tls-check/scan/facts.h - the facts about a server: input of issues and grade.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hsts.h"
#include "net/tls/chain.h"
#include "tls-check/protocol/groups.h"
#include "tls-check/protocol/suites.h"

enum { ACCEPTED_MAX = 160 /* connections of a scan, plus the suites of SSL 2.0 */ };

struct accepted {
    enum version version;
    const struct suite *suite;
    size_t place; /* in order of acceptance */
};

/* Three-valued, because a test may not have run. */
enum tristate { TRI_UNKNOWN, TRI_NO, TRI_YES };

struct facts {
    bool supports[VERSIONS];
    enum version best;
    enum version negotiated; /* with a current client */
    bool is_intolerant;      /* intolerant of newer versions */

    size_t accepted_count;
    struct accepted accepted[ACCEPTED_MAX]; /* newest version first, then strongest first */
    enum tristate has_server_order;
    enum tristate prefers_secrecy; /* prefers forward secrecy if the client does */

    size_t group_count; /* groups accepted, or seen in a key exchange */
    uint16_t group[GROUPS_MAX];
    bool has_custom_curve;
    unsigned dh_bits;         /* shortest ephemeral prime, or 0 */
    const char *common_prime; /* name of a common prime, or NULL */
    unsigned common_bits;     /* size of the common prime */

    enum tristate has_renegotiation; /* secure renegotiation, RFC 5746 */
    enum tristate has_fallback;      /* RFC 7507; unknown with only one version */
    bool has_compression;
    bool has_heartbeat;
    bool asks_certificate;

    char alpn[16];
    bool is_http;
    enum tristate has_hsts; /* unknown without an HTTP response */
    struct hsts hsts;

    size_t certificate_count;                         /* 0 if none was received */
    const struct certificate *certificate[CHAIN_MAX]; /* borrowed; the server's own comes first */
    bool is_in_order;
    size_t extra_count; /* see net/tls/chain.h */
    enum trust trust;
    bool is_for_host;
    bool has_staple;
    enum revocation revocation;
    unsigned sct_count; /* from all sources */
    int64_t now_s;
};

/* Does the server accept a suite with any of these cipher flags, or key exchange flags, in a
 * version from `lowest` on? */
bool facts_have_cipher(const struct facts *facts, unsigned flags, enum version lowest);
bool facts_have_kx(const struct facts *facts, unsigned flags);

/* Minimum and maximum bits of the accepted ciphers. Returns false without suites. */
bool facts_cipher_bits(const struct facts *facts, unsigned *least, unsigned *most);

/* Do all accepted suites have any of these cipher flags? False without suites. */
bool facts_all_have_cipher(const struct facts *facts, unsigned flags);

/* Does the server support a version below TLS 1.2, to which a downgrade is possible? */
bool facts_have_old_version(const struct facts *facts);

/* Is its Strict-Transport-Security valid by RFC 6797: exactly one max-age, and no repeated
 * directive? */
bool facts_hsts_is_valid(const struct facts *facts);

/* The server's own certificate, or NULL. */
const struct certificate *facts_leaf(const struct facts *facts);

/* Lifetime of a certificate in seconds, both ends included (CA/Browser Forum Baseline Requirements
 * 1.6.1, "Validity Period"); 0 if the end is before the start. */
int64_t certificate_lifetime_s(const struct certificate *certificate);
