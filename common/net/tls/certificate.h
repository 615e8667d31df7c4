/*
 * common/net/tls/certificate.h - what stands in an X.509 certificate (RFC 5280), as plain values.
 *
 * Certificates are foreign bytes: texts are cut and made UTF-8, lists are bounded, and nothing here
 * says that a certificate is genuine; net/tls/chain.h does.
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

/* The digest that a signature is made with, as far as its strength goes. */
enum digest_class { DIGEST_FINE, DIGEST_SHA1, DIGEST_MD5, DIGEST_MD2 /* and MD4 */ };

struct certificate {
    char *subject; /* "CN=example.com,O=Example" (RFC 2253 order of OpenSSL's one-line form) */
    char *issuer;
    char serial[SERIAL_TEXT_BYTES]; /* hex, lower case */
    char fingerprint[FINGERPRINT_TEXT_BYTES];
    int64_t not_before_s; /* seconds since 1970; 0 for what is no time */
    int64_t not_after_s;

    size_t name_count; /* of subjectAltName: DNS names and addresses, as many as fit */
    char **name;
    bool has_more_names;
    bool has_alternatives; /* DNS names or addresses, however many */

    enum key_type key_type;
    char key_name[24]; /* "RSA", "EC", "DSA", "ED25519" */
    unsigned key_bits;
    uint64_t rsa_exponent; /* 0: not RSA, or beyond 64 bits */
    char signature[48];    /* "sha256WithRSAEncryption"; "?" for an unknown one */
    enum digest_class signature_digest;

    bool is_self_issued; /* subject and issuer are the same */
    bool is_ca;
    bool lacks_server_auth; /* it has an extended key usage without serverAuth */
    bool must_staple;       /* RFC 7633 */
    unsigned sct_count;     /* embedded, RFC 6962 section 3.3 */
    bool has_ca_issuers;    /* authority information access says where its issuer is */
    char *ocsp_url;         /* the first; NULL: none */
};

/* Fill *certificate, which the caller releases. */
void certificate_read(struct x509_st *x509, struct certificate *certificate);
void certificate_free(struct certificate *certificate);
