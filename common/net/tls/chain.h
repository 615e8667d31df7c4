/*
 * common/net/tls/chain.h - the certificates of a server: their contents, order, trust, and whether
 * the first one is revoked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/host.h"
#include "net/tls/certificate.h"
#include "text/domains/public-suffix.h"

struct x509_store_st; /* OpenSSL's X509_STORE, see egress_trust() */

enum { CHAIN_MAX = 10 /* further certificates are ignored */ };

struct chain; /* the first is the server's certificate */

/* From DER, in the order received, without invalid certificates. NULL if the first is invalid. */
struct chain *chain_new(const struct text *der, size_t count);
void chain_free(struct chain **chain);

size_t chain_size(const struct chain *chain);
const struct certificate *chain_certificate(const struct chain *chain, size_t i); /* borrowed */

/*
 * Is the first certificate valid for this host? Only subjectAltName counts (RFC 9525). A wildcard
 * replaces the whole leftmost label, and not directly below a public suffix.
 */
bool chain_is_for(const struct chain *chain, const struct host *host,
                  const struct public_suffixes *suffixes);

enum trust {
    TRUST_YES,
    TRUST_EXPIRED, /* a certificate has expired, or is not valid yet */
    TRUST_SELF_SIGNED,
    TRUST_INCOMPLETE, /* an issuer is missing, and the certificate has its URL */
    TRUST_UNKNOWN,    /* no path to a trusted authority */
    TRUST_BROKEN,     /* an invalid signature or extension */
};

/* Is there a path from the first certificate to an authority in the store, at this time? */
enum trust chain_trust(const struct chain *chain, struct x509_store_st *store, int64_t now_s);

/* Is each certificate followed by its issuer's? */
bool chain_is_in_order(const struct chain *chain);

/* The number of certificates that are on no path from the first, roots included. */
size_t chain_extra_count(const struct chain *chain);

enum revocation { REVOCATION_NOT_CHECKED, REVOCATION_GOOD, REVOCATION_REVOKED, REVOCATION_UNKNOWN };

/* Append an OCSP request (RFC 6960) for the first certificate to out. False if its issuer is
 * missing. */
bool chain_ocsp_request(const struct chain *chain, struct buf *out) must_check;

/*
 * The status of the first certificate in an OCSP response (DER), at the system's time.
 * REVOCATION_UNKNOWN also if the response is malformed, out of date, about another certificate, or
 * not signed by the issuer or its delegate.
 */
enum revocation chain_ocsp_read(const struct chain *chain, struct x509_store_st *store,
                                struct text response);
