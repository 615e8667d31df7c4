/*
 * common/net/tls/chain.h - the certificates of a server: what stands in them, whether they hold
 * together, whether they are trusted, whether the first one is revoked.
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

enum { CHAIN_MAX = 10 /* certificates beyond are not looked at */ };

struct chain; /* the first is the server's own */

/* From DER, in the order they came; those that are no certificates are left out. NULL when the
 * first is none. */
struct chain *chain_new(const struct text *der, size_t count);
void chain_free(struct chain **chain);

size_t chain_size(const struct chain *chain);
const struct certificate *chain_certificate(const struct chain *chain, size_t i); /* borrowed */

/* Is the first certificate for this host? By subjectAltName alone (RFC 9525): a wildcard stands for
 * the whole leftmost label, and not below a public suffix. */
bool chain_is_for(const struct chain *chain, const struct host *host,
                  const struct public_suffixes *suffixes);

enum trust {
    TRUST_YES,
    TRUST_EXPIRED, /* one of the chain has expired, or is not valid yet */
    TRUST_SELF_SIGNED,
    TRUST_INCOMPLETE, /* an issuer is missing, and the certificate says where it could be found */
    TRUST_UNKNOWN,    /* no path to an authority that is trusted */
    TRUST_BROKEN,     /* a signature or an extension is wrong */
};

/* Does a path lead from the first certificate to an authority of the store, at this time? */
enum trust chain_trust(const struct chain *chain, struct x509_store_st *store, int64_t now_s);

/* Is each certificate followed by its issuer's? */
bool chain_is_in_order(const struct chain *chain);

/* Certificates that no path from the first one needs; roots do not count. */
size_t chain_extra_count(const struct chain *chain);

enum revocation { REVOCATION_NOT_CHECKED, REVOCATION_GOOD, REVOCATION_REVOKED, REVOCATION_UNKNOWN };

/* An OCSP request (RFC 6960) about the first certificate, appended to out. False when its issuer is
 * not in the chain. */
bool chain_ocsp_request(const struct chain *chain, struct buf *out) must_check;

/* What an OCSP response in DER says of the first certificate, now by the system's clock.
 * REVOCATION_UNKNOWN also for one that is malformed, out of date, about another certificate, or not
 * signed by the issuer or its delegate. */
enum revocation chain_ocsp_read(const struct chain *chain, struct x509_store_st *store,
                                struct text response);
