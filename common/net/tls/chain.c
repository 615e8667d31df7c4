/* common/net/tls/chain.c - the certificates of a server, with OpenSSL. */
#include "net/tls/chain.h"

#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "base/mem.h"

struct chain {
    size_t size;
    X509 *x509[CHAIN_MAX];
    struct certificate certificate[CHAIN_MAX];
};

struct chain *chain_new(const struct text *der, size_t count)
{
    struct chain *chain = mem_new(sizeof(*chain));
    for (size_t i = 0; i < count && chain->size < CHAIN_MAX; i++) {
        const unsigned char *bytes = (const unsigned char *)der[i].bytes;
        X509 *x509 = d2i_X509(NULL, &bytes, (long)der[i].size);
        if (!x509 && i == 0)
            break;
        if (!x509)
            continue;
        certificate_read(x509, &chain->certificate[chain->size]);
        chain->x509[chain->size++] = x509;
    }
    ERR_clear_error();
    if (chain->size == 0)
        chain_free(&chain);
    return chain;
}

void chain_free(struct chain **chain)
{
    if (!*chain)
        return;
    for (size_t i = 0; i < (*chain)->size; i++) {
        X509_free((*chain)->x509[i]);
        certificate_free(&(*chain)->certificate[i]);
    }
    mem_free(chain);
}

size_t chain_size(const struct chain *chain)
{
    return chain->size;
}

const struct certificate *chain_certificate(const struct chain *chain, size_t i)
{
    return &chain->certificate[i];
}

bool chain_is_for(const struct chain *chain, const struct host *host,
                  const struct public_suffixes *suffixes)
{
    const unsigned flags =
        X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;
    X509 *leaf = chain->x509[0];
    char *matched = NULL;

    if (host->is_address)
        return X509_check_ip_asc(leaf, host->name, 0) == 1;
    bool is_for = X509_check_host(leaf, host->name, 0, flags, &matched) == 1;
    if (is_for && strncmp(matched, "*.", 2) == 0 && public_suffix_is(suffixes, matched + 2))
        is_for =
            X509_check_host(leaf, host->name, 0, flags | X509_CHECK_FLAG_NO_WILDCARDS, NULL) == 1;
    OPENSSL_free(matched);
    return is_for;
}

/* ---- trust ---- */

/* All except the first, borrowed. */
static STACK_OF(X509) * others_of(const struct chain *chain)
{
    STACK_OF(X509) *others = sk_X509_new_null();
    for (size_t i = 1; i < chain->size; i++)
        sk_X509_push(others, chain->x509[i]);
    return others;
}

static enum trust trust_of(const struct chain *chain, int error, int depth)
{
    switch (error) {
    case X509_V_OK:
        return TRUST_YES;
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return TRUST_EXPIRED;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
        return TRUST_SELF_SIGNED;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
        return depth == 0 && chain->certificate[0].has_ca_issuers ? TRUST_INCOMPLETE
                                                                  : TRUST_UNKNOWN;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        return TRUST_UNKNOWN;
    default:
        return TRUST_BROKEN;
    }
}

enum trust chain_trust(const struct chain *chain, struct x509_store_st *store, int64_t now_s)
{
    STACK_OF(X509) *others = others_of(chain);
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    enum trust trust = TRUST_BROKEN;

    if (X509_STORE_CTX_init(context, store, chain->x509[0], others)) {
        X509_VERIFY_PARAM *param = X509_STORE_CTX_get0_param(context);
        X509_VERIFY_PARAM_set_time(param, (time_t)now_s);
        X509_VERIFY_PARAM_set_depth(param, CHAIN_MAX);
        X509_verify_cert(context);
        trust = trust_of(chain, X509_STORE_CTX_get_error(context),
                         X509_STORE_CTX_get_error_depth(context));
    }
    X509_STORE_CTX_free(context);
    sk_X509_free(others);
    ERR_clear_error();
    return trust;
}

/* ---- order ---- */

/* The index of the certificate that issued this one; its own index if the issuer is missing. */
static size_t issuer_of(const struct chain *chain, size_t i)
{
    for (size_t j = 0; j < chain->size; j++)
        if (j != i && X509_check_issued(chain->x509[j], chain->x509[i]) == X509_V_OK)
            return j;
    return i;
}

/* Go up from the first certificate, and mark each one found. Returns whether they are in order. */
static bool visit_path(const struct chain *chain, bool met[static CHAIN_MAX])
{
    bool is_in_order = true;
    size_t at = 0;
    for (size_t steps = 0; !met[at]; steps++) {
        is_in_order &= at == steps;
        met[at] = true;
        if (chain->certificate[at].is_self_issued)
            break;
        at = issuer_of(chain, at);
    }
    return is_in_order;
}

bool chain_is_in_order(const struct chain *chain)
{
    bool met[CHAIN_MAX] = { false };
    return visit_path(chain, met);
}

/* Have they the same subject and issuer? */
static bool is_same_link(X509 *a, X509 *b)
{
    return X509_NAME_cmp(X509_get_subject_name(a), X509_get_subject_name(b)) == 0 &&
           X509_NAME_cmp(X509_get_issuer_name(a), X509_get_issuer_name(b)) == 0;
}

/* Is it another issuer of a certificate in the set, such as a cross-signed copy? A repeated
 * certificate is not. */
static bool is_other_issuer(const struct chain *chain, size_t issuer,
                            const bool met[static CHAIN_MAX])
{
    bool has_issued = false;
    for (size_t i = 0; i < chain->size; i++) {
        if (met[i] && is_same_link(chain->x509[issuer], chain->x509[i]))
            return false;
        has_issued |= met[i] && X509_check_issued(chain->x509[issuer], chain->x509[i]) == X509_V_OK;
    }
    return has_issued;
}

static void visit_other_issuers(const struct chain *chain, bool met[static CHAIN_MAX])
{
    for (size_t pass = 1; pass < chain->size; pass++) /* each may be the issuer of a later one */
        for (size_t i = 0; i < chain->size; i++)
            met[i] = met[i] || is_other_issuer(chain, i, met);
}

size_t chain_extra_count(const struct chain *chain)
{
    bool met[CHAIN_MAX] = { false };
    size_t count = 0;
    visit_path(chain, met);
    visit_other_issuers(chain, met);
    for (size_t i = 0; i < chain->size; i++)
        count += !met[i];
    return count;
}

/* ---- revocation ---- */

/* NULL if the issuer is missing. */
static OCSP_CERTID *id_of(const struct chain *chain)
{
    size_t issuer = issuer_of(chain, 0);
    return issuer == 0 ? NULL : OCSP_cert_to_id(NULL, chain->x509[0], chain->x509[issuer]);
}

bool chain_ocsp_request(const struct chain *chain, struct buf *out)
{
    OCSP_CERTID *id = id_of(chain);
    if (!id)
        return false;
    OCSP_REQUEST *request = OCSP_REQUEST_new();
    unsigned char *der = NULL;
    OCSP_request_add0_id(request, id);
    int size = i2d_OCSP_REQUEST(request, &der);
    bool ok = size > 0 && buf_add(out, der, (size_t)size);
    OPENSSL_free(der);
    OCSP_REQUEST_free(request);
    return ok;
}

static OCSP_BASICRESP *parse_response(struct text response)
{
    const unsigned char *der = (const unsigned char *)response.bytes;
    OCSP_RESPONSE *outer = d2i_OCSP_RESPONSE(NULL, &der, (long)response.size);
    OCSP_BASICRESP *basic = NULL;
    if (outer && OCSP_response_status(outer) == OCSP_RESPONSE_STATUS_SUCCESSFUL)
        basic = OCSP_response_get1_basic(outer);
    OCSP_RESPONSE_free(outer);
    return basic;
}

/* Signed by the issuer itself, or by a responder that it authorized and whose path is trusted. */
static bool is_genuine(const struct chain *chain, X509_STORE *store, OCSP_BASICRESP *basic)
{
    STACK_OF(X509) *issuers = sk_X509_new_null();
    sk_X509_push(issuers, chain->x509[issuer_of(chain, 0)]);
    bool ok = OCSP_basic_verify(basic, issuers, store, OCSP_TRUSTOTHER) == 1;
    sk_X509_free(issuers);
    return ok;
}

static enum revocation status_in(OCSP_BASICRESP *basic, OCSP_CERTID *id)
{
    enum { LEEWAY_S = 300 };
    ASN1_GENERALIZEDTIME *this_update = NULL;
    ASN1_GENERALIZEDTIME *next_update = NULL;
    int status = V_OCSP_CERTSTATUS_UNKNOWN;

    if (!OCSP_resp_find_status(basic, id, &status, NULL, NULL, &this_update, &next_update) ||
        !OCSP_check_validity(this_update, next_update, LEEWAY_S, -1))
        return REVOCATION_UNKNOWN;
    switch (status) {
    case V_OCSP_CERTSTATUS_GOOD:
        return REVOCATION_GOOD;
    case V_OCSP_CERTSTATUS_REVOKED:
        return REVOCATION_REVOKED;
    default:
        return REVOCATION_UNKNOWN;
    }
}

enum revocation chain_ocsp_read(const struct chain *chain, struct x509_store_st *store,
                                struct text response)
{
    OCSP_CERTID *id = id_of(chain);
    OCSP_BASICRESP *basic = id ? parse_response(response) : NULL;
    enum revocation revocation = REVOCATION_UNKNOWN;
    if (basic && is_genuine(chain, store, basic))
        revocation = status_in(basic, id);
    OCSP_BASICRESP_free(basic);
    OCSP_CERTID_free(id);
    ERR_clear_error();
    return revocation;
}
