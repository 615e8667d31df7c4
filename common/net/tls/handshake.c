/* common/net/tls/handshake.c - one TLS handshake, with OpenSSL. */
#include "net/tls/handshake.h"

#include <openssl/ct.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/deadline.h"

enum { SIGNATURES_BYTES = 128 }; /* more than each list below */

/* Called if the server requests a client certificate. Sends none. */
static int on_certificate_request(SSL *ssl, void *asked)
{
    (void)ssl;
    *(bool *)asked = true;
    return 1;
}

/* All suites of RFC 8446 appendix B.4: OpenSSL's default excludes CCM. */
static const char suites_tls13[] =
    "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:"
    "TLS_AES_128_CCM_SHA256:TLS_AES_128_CCM_8_SHA256";

/* Level 0 and legacy renegotiation accept weak servers, so that they can be reported. */
static SSL_CTX *context_new(void)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_cipher_list(context, "DEFAULT:ALL:COMPLEMENTOFALL:@SECLEVEL=0");
    SSL_CTX_set_ciphersuites(context, suites_tls13);
    SSL_CTX_set_options(context, SSL_OP_LEGACY_SERVER_CONNECT);
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp);
    return context;
}

/* The signature algorithms and suites of a client that accepts one kind of certificate. */
static const struct offer {
    const char *signatures;
    const char *suites; /* below TLS 1.3 */
} offers[] = {
    [HANDSHAKE_RSA] = { "rsa_pss_rsae_sha256:rsa_pss_rsae_sha384:rsa_pss_rsae_sha512:RSA+SHA256:"
                        "RSA+SHA384:RSA+SHA512:RSA+SHA1",
                        "aRSA:@SECLEVEL=0" },
    [HANDSHAKE_RSA_PSS] = { "rsa_pss_pss_sha256:rsa_pss_pss_sha384:rsa_pss_pss_sha512",
                            "aRSA:@SECLEVEL=0" },
    [HANDSHAKE_ECDSA] = { "ECDSA+SHA256:ECDSA+SHA384:ECDSA+SHA512:ECDSA+SHA1",
                          "aECDSA:@SECLEVEL=0" },
    [HANDSHAKE_EDDSA] = { "ed25519:ed448", "aECDSA:@SECLEVEL=0" },
    [HANDSHAKE_DSA] = { "DSA+SHA256:DSA+SHA384:DSA+SHA512:DSA+SHA1", "aDSS:@SECLEVEL=0" },
};

static bool restrict_offer(SSL *ssl, enum handshake_kind kind)
{
    char signatures[SIGNATURES_BYTES]; /* a copy, because OpenSSL's macro casts const away */
    if (kind == HANDSHAKE_ANY)
        return true;
    snprintf(signatures, sizeof(signatures), "%s", offers[kind].signatures);
    return SSL_set1_sigalgs_list(ssl, signatures) && SSL_set_cipher_list(ssl, offers[kind].suites);
}

/* Wait for the event that OpenSSL needs; false if the time is over or the handshake has failed. */
static bool wait_for(SSL *ssl, int result, int fd, int64_t deadline_ms)
{
    short wanted = 0;
    int error = SSL_get_error(ssl, result);
    if (error == SSL_ERROR_WANT_READ)
        wanted = POLLIN;
    else if (error == SSL_ERROR_WANT_WRITE)
        wanted = POLLOUT;
    int left_ms = deadline_poll_ms(deadline_ms);
    struct pollfd poller = { .fd = fd, .events = wanted };
    return wanted != 0 && left_ms > 0 && poll(&poller, 1, left_ms) > 0;
}

static bool connect_tls(SSL *ssl, int fd, int64_t deadline_ms)
{
    for (;;) {
        ERR_clear_error();
        int result = SSL_connect(ssl);
        if (result == 1)
            return true;
        if (!wait_for(ssl, result, fd, deadline_ms))
            return false;
    }
}

/* ---- results ---- */

static struct chain *chain_of(const SSL *ssl)
{
    STACK_OF(X509) *peers = SSL_get_peer_cert_chain(ssl);
    struct text der[CHAIN_MAX] = { 0 };
    unsigned char *bytes[CHAIN_MAX] = { NULL };
    size_t count = (size_t)MIN(MAX(sk_X509_num(peers), 0), (int)CHAIN_MAX);

    for (size_t i = 0; i < count; i++) {
        int size = i2d_X509(sk_X509_value(peers, (int)i), &bytes[i]);
        der[i] = (struct text){ (const char *)bytes[i], (size_t)MAX(size, 0) };
    }
    struct chain *chain = count > 0 ? chain_new(der, count) : NULL;
    for (size_t i = 0; i < count; i++)
        OPENSSL_free(bytes[i]);
    return chain;
}

static void read_alpn(const SSL *ssl, struct handshake *result)
{
    const unsigned char *name;
    unsigned size;
    SSL_get0_alpn_selected(ssl, &name, &size);
    if (size < sizeof(result->alpn) && name)
        memcpy(result->alpn, name, size);
}

static void read_result(SSL *ssl, struct handshake *result)
{
    const unsigned char *staple = NULL;
    long size = SSL_get_tlsext_status_ocsp_resp(ssl, &staple);

    result->version = (uint16_t)SSL_version(ssl);
    read_alpn(ssl, result);
    result->chain = chain_of(ssl);
    if (staple && size > 0 && size <= HANDSHAKE_STAPLE_BYTES)
        buf_add(&result->staple, staple, (size_t)size);
    result->sct_count = (unsigned)MAX(sk_SCT_num(SSL_get0_peer_scts(ssl)), 0);
}

void handshake(int fd, const struct host *host, enum handshake_kind kind, enum handshake_alpn alpn,
               int64_t deadline_ms, struct handshake *result)
{
    SSL_CTX *context = context_new();
    SSL *ssl = SSL_new(context);
    struct host own = *host; /* the macro does not accept const */

    SSL_set_cert_cb(ssl, on_certificate_request, &result->asks_certificate);
    SSL_enable_ct(ssl, SSL_CT_VALIDATION_PERMISSIVE);
    if (alpn == HANDSHAKE_HTTP)
        SSL_set_alpn_protos(ssl, (const unsigned char *)"\2h2\10http/1.1", 12);
    if (!own.is_address)
        SSL_set_tlsext_host_name(ssl, own.name);
    if (restrict_offer(ssl, kind) && SSL_set_fd(ssl, fd))
        result->is_complete = connect_tls(ssl, fd, deadline_ms);
    read_result(ssl, result);
    SSL_free(ssl);
    SSL_CTX_free(context);
    ERR_clear_error();
}

void handshake_free(struct handshake *result)
{
    chain_free(&result->chain);
    buf_free(&result->staple);
    *result = (struct handshake)HANDSHAKE_INIT;
}
