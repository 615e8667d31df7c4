/* common/net/tls/certificate.c - reads a certificate, with OpenSSL. */
#include "net/tls/certificate.h"

#include <arpa/inet.h>
#include <openssl/ct.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"

/* ---- texts ---- */

static char *text_from(BIO *bio)
{
    char *bytes = NULL;
    long size = BIO_get_mem_data(bio, &bytes);
    size_t kept = MIN((size_t)MAX(size, 0), (size_t)CERTIFICATE_TEXT_BYTES);
    char *text = mem_dup(bytes, kept);
    for (size_t i = 0; i < kept; i++)
        if (text[i] == '\0')
            text[i] = '?';
    text_repair(text);
    return text;
}

/* "CN=example.com,O=Example": quoted by RFC 2253, except for letters outside ASCII. */
static char *name_text(const X509_NAME *name)
{
    BIO *bio = BIO_new(BIO_s_mem());
    X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB);
    char *text = text_from(bio);
    BIO_free(bio);
    return text;
}

static void read_serial(X509 *x509, struct certificate *certificate)
{
    const ASN1_INTEGER *serial = X509_get0_serialNumber(x509);
    int size = MIN(ASN1_STRING_length(serial), (int)(SERIAL_TEXT_BYTES - 1) / 2);
    hex_encode(certificate->serial, ASN1_STRING_get0_data(serial), (size_t)MAX(size, 0));
}

static void read_fingerprint(X509 *x509, struct certificate *certificate)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (X509_digest(x509, EVP_sha256(), sum, &size))
        hex_encode(certificate->fingerprint, sum, size);
}

/* ---- times ---- */

static int64_t seconds_of(const ASN1_TIME *time)
{
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    int days = 0;
    int seconds = 0;
    bool ok = ASN1_TIME_check(time) && ASN1_TIME_diff(&days, &seconds, epoch, time);
    ASN1_TIME_free(epoch);
    return ok ? (int64_t)days * 86400 + seconds : 0;
}

/* ---- names ---- */

static void add_name(struct certificate *certificate, char *name)
{
    if (certificate->name_count == CERTIFICATE_NAMES_MAX) {
        certificate->has_more_names = true;
        mem_free(&name);
        return;
    }
    text_repair(name);
    certificate->name[certificate->name_count++] = name;
}

static char *address_text(const ASN1_OCTET_STRING *bytes)
{
    enum { IPV4_BYTES = 4, IPV6_BYTES = 16, TEXT_BYTES = 46 };
    char text[TEXT_BYTES];
    int size = ASN1_STRING_length(bytes);
    if (size != IPV4_BYTES && size != IPV6_BYTES)
        return str_dup("?");
    inet_ntop(size == IPV4_BYTES ? AF_INET : AF_INET6, ASN1_STRING_get0_data(bytes), text,
              sizeof(text));
    return str_dup(text);
}

/* Names that are too long are cut. */
static char *dns_text(const ASN1_IA5STRING *name)
{
    enum { NAME_BYTES_MAX = 300 };
    size_t size = MIN((size_t)MAX(ASN1_STRING_length(name), 0), (size_t)NAME_BYTES_MAX);
    char *text = mem_dup(ASN1_STRING_get0_data(name), size);
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\0')
            text[i] = '?';
    return text;
}

static void read_names(X509 *x509, struct certificate *certificate)
{
    GENERAL_NAMES *names = X509_get_ext_d2i(x509, NID_subject_alt_name, NULL, NULL);
    int count = sk_GENERAL_NAME_num(names);
    if (count > 0)
        certificate->name =
            mem_array(MIN((size_t)count, (size_t)CERTIFICATE_NAMES_MAX), sizeof(char *));
    for (int i = 0; i < count; i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        if (name->type == GEN_DNS)
            add_name(certificate, dns_text(name->d.dNSName));
        else if (name->type == GEN_IPADD)
            add_name(certificate, address_text(name->d.iPAddress));
    }
    certificate->has_alternatives = certificate->name_count > 0;
    GENERAL_NAMES_free(names);
}

/* ---- keys and signatures ---- */

static enum key_type key_type_of(int id)
{
    switch (id) {
    case EVP_PKEY_RSA:
    case EVP_PKEY_RSA_PSS:
        return KEY_RSA;
    case EVP_PKEY_EC:
        return KEY_EC;
    case EVP_PKEY_DSA:
        return KEY_DSA;
    case EVP_PKEY_ED25519:
    case EVP_PKEY_ED448:
        return KEY_ED;
    default:
        return KEY_OTHER;
    }
}

static uint64_t exponent_of(EVP_PKEY *key)
{
    BIGNUM *exponent = NULL;
    uint64_t value = 0;
    if (EVP_PKEY_get_bn_param(key, "e", &exponent) && BN_num_bits(exponent) <= 64) {
        unsigned char bytes[8];
        int size = BN_bn2bin(exponent, bytes);
        for (int i = 0; i < size; i++)
            value = value << 8 | bytes[i];
    }
    BN_free(exponent);
    return value;
}

static void read_key(X509 *x509, struct certificate *certificate)
{
    EVP_PKEY *key = X509_get0_pubkey(x509);
    snprintf(certificate->key_name, sizeof(certificate->key_name), "unknown");
    if (!key)
        return;
    certificate->key_type = key_type_of(EVP_PKEY_get_base_id(key));
    certificate->key_bits = (unsigned)MAX(EVP_PKEY_get_bits(key), 0);
    const char *name = EVP_PKEY_get0_type_name(key);
    if (name)
        snprintf(certificate->key_name, sizeof(certificate->key_name), "%s", name);
    if (certificate->key_type == KEY_RSA)
        certificate->rsa_exponent = exponent_of(key);
}

static enum digest_class class_of(int digest)
{
    switch (digest) {
    case NID_md2:
    case NID_md4:
        return DIGEST_MD2;
    case NID_md5:
    case NID_md5_sha1:
        return DIGEST_MD5;
    case NID_sha1:
        return DIGEST_SHA1;
    default:
        return DIGEST_FINE;
    }
}

static void read_signature(X509 *x509, struct certificate *certificate)
{
    int digest = NID_undef;
    int algorithm = X509_get_signature_nid(x509);
    const char *name = OBJ_nid2ln(algorithm);

    X509_get_signature_info(x509, &digest, NULL, NULL, NULL);
    if (digest == NID_undef)
        OBJ_find_sigid_algs(algorithm, &digest, NULL);
    certificate->signature_digest = class_of(digest);
    snprintf(certificate->signature, sizeof(certificate->signature), "%s",
             name && algorithm != NID_undef ? name : "?");
}

/* ---- extensions ---- */

/* RFC 7633: a list of numbers, of which 5 is status_request. */
static bool demands_staple(X509 *x509)
{
    TLS_FEATURE *features = X509_get_ext_d2i(x509, NID_tlsfeature, NULL, NULL);
    bool found = false;
    for (int i = 0; i < sk_ASN1_INTEGER_num(features); i++)
        found |= ASN1_INTEGER_get(sk_ASN1_INTEGER_value(features, i)) == 5;
    sk_ASN1_INTEGER_pop_free(features, ASN1_INTEGER_free);
    return found;
}

static unsigned embedded_scts(X509 *x509)
{
    STACK_OF(SCT) *scts = X509_get_ext_d2i(x509, NID_ct_precert_scts, NULL, NULL);
    int count = sk_SCT_num(scts);
    SCT_LIST_free(scts);
    return (unsigned)MAX(count, 0);
}

/* The first URL with http:, the only scheme in use. */
static char *ocsp_url_of(X509 *x509)
{
    STACK_OF(OPENSSL_STRING) *urls = X509_get1_ocsp(x509);
    char *found = NULL;
    for (int i = 0; i < sk_OPENSSL_STRING_num(urls) && !found; i++) {
        const char *url = sk_OPENSSL_STRING_value(urls, i);
        if (strncmp(url, "http://", 7) == 0 && strlen(url) < CERTIFICATE_TEXT_BYTES &&
            utf8_is_valid(text_of(url)))
            found = str_dup(url);
    }
    X509_email_free(urls);
    return found;
}

static bool has_ca_issuers(X509 *x509)
{
    AUTHORITY_INFO_ACCESS *access = X509_get_ext_d2i(x509, NID_info_access, NULL, NULL);
    bool found = false;
    for (int i = 0; i < sk_ACCESS_DESCRIPTION_num(access); i++)
        found |= OBJ_obj2nid(sk_ACCESS_DESCRIPTION_value(access, i)->method) == NID_ad_ca_issuers;
    AUTHORITY_INFO_ACCESS_free(access);
    return found;
}

static void read_extensions(X509 *x509, struct certificate *certificate)
{
    uint32_t flags = X509_get_extension_flags(x509);
    certificate->is_ca = flags & EXFLAG_CA;
    certificate->is_self_issued = flags & EXFLAG_SI;
    certificate->lacks_server_auth =
        (flags & EXFLAG_XKUSAGE) &&
        !(X509_get_extended_key_usage(x509) & (XKU_SSL_SERVER | XKU_ANYEKU));
    certificate->must_staple = demands_staple(x509);
    certificate->sct_count = embedded_scts(x509);
    certificate->ocsp_url = ocsp_url_of(x509);
    certificate->has_ca_issuers = has_ca_issuers(x509);
}

void certificate_read(struct x509_st *x509, struct certificate *certificate)
{
    *certificate = (struct certificate){ 0 };
    certificate->subject = name_text(X509_get_subject_name(x509));
    certificate->issuer = name_text(X509_get_issuer_name(x509));
    certificate->not_before_s = seconds_of(X509_get0_notBefore(x509));
    certificate->not_after_s = seconds_of(X509_get0_notAfter(x509));
    read_serial(x509, certificate);
    read_fingerprint(x509, certificate);
    read_names(x509, certificate);
    read_key(x509, certificate);
    read_signature(x509, certificate);
    read_extensions(x509, certificate);
    ERR_clear_error(); /* OpenSSL leaves errors for parts that it could not read */
}

void certificate_free(struct certificate *certificate)
{
    for (size_t i = 0; i < certificate->name_count; i++)
        mem_free(&certificate->name[i]);
    mem_free(&certificate->name);
    mem_free(&certificate->subject);
    mem_free(&certificate->issuer);
    mem_free(&certificate->ocsp_url);
    *certificate = (struct certificate){ 0 };
}
