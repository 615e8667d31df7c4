/*
 * common/net/tls/certificate.h - the contents of an X.509 certificate (RFC 5280), as plain values.
 *
 * Certificates are untrusted: texts are cut and converted to UTF-8, and lists are bounded. Nothing
 * here verifies a certificate; net/tls/chain.h does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/scoped.h"

struct x509_st; /* OpenSSL's X509 */

enum {
    CERTIFICATE_NAMES_MAX = 500,
    CERTIFICATE_TEXT_BYTES = 1024, /* of a subject or issuer */
    FINGERPRINT_TEXT_BYTES = 65,   /* SHA-256 in hex, with the NUL */
    SERIAL_TEXT_BYTES = 129,
};

enum key_type { KEY_OTHER, KEY_RSA, KEY_EC, KEY_DSA, KEY_ED };

/* The digest of a signature, by strength. */
enum digest_class { DIGEST_FINE, DIGEST_SHA1, DIGEST_MD5, DIGEST_MD2 /* and MD4 */ };

struct certificate {
    char *subject; /* "CN=example.com,O=Example" (RFC 2253 order of OpenSSL's one-line form) */
    char *issuer;
    char serial[SERIAL_TEXT_BYTES]; /* lowercase hex */
    char fingerprint[FINGERPRINT_TEXT_BYTES];
    int64_t not_before_s; /* Unix seconds; 0 if it is not a time */
    int64_t not_after_s;

    size_t name_count; /* of subjectAltName: DNS names and addresses, as many as fit */
    char **name;
    bool has_more_names;
    bool has_alternatives; /* has DNS names or addresses */

    enum key_type key_type;
    char key_name[24]; /* "RSA", "EC", "DSA", "ED25519" */
    unsigned key_bits;
    uint64_t rsa_exponent; /* 0: not RSA, or above 64 bits */
    char signature[48];    /* "sha256WithRSAEncryption"; "?" if unknown */
    enum digest_class signature_digest;

    bool is_self_issued; /* subject and issuer are the same */
    bool is_ca;
    bool lacks_server_auth; /* extended key usage without serverAuth */
    bool must_staple;       /* RFC 7633 */
    unsigned sct_count;     /* embedded, RFC 6962 section 3.3 */
    bool has_ca_issuers;    /* authority information access has its issuer's URL */
    char *ocsp_url;         /* the first; NULL: none */
};

/* Fill *certificate, which the caller releases. */
void certificate_read(struct x509_st *x509, struct certificate *certificate);
void certificate_free(struct certificate *certificate);
