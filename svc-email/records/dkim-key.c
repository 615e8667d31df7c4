/* svc-email/records/dkim-key.c - DKIM key records. */
#include "dkim-key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "base/ascii.h"
#include "base/codec/base64.h"
#include "near-record.h"
#include "tags.h"

enum {
    KEY_MAX_BYTES = 48 << 10, /* size of the base64 in a TXT record of 64 KiB */
    ED25519_OCTETS = 32,      /* RFC 8463 section 4 */
    ED25519_BITS = 256,
    RSA_MIN_BITS = 1024,
};

static bool fail_key(struct dkim_key *key, const char *why)
{
    key->state = DKIM_KEY_INVALID;
    key->error = why;
    return false;
}

/* Whether a colon-separated list has a word. */
static bool list_has(struct text list, const char *word)
{
    while (list.size > 0)
        if (text_is_any_case(text_trim(text_cut(&list, ':')), word))
            return true;
    return false;
}

/* ---- tags other than p ---- */

static bool read_version(const struct tags *tags, struct dkim_key *key)
{
    const struct text *version = tags_get(tags, "v");
    if (!version)
        return true;
    if (!text_is(tags->tag[0].name, "v"))
        return fail_key(key, "has v, but not as its first tag");
    return text_is(*version, "DKIM1") || fail_key(key, "has a version other than DKIM1");
}

static bool read_algorithm(const struct tags *tags, struct dkim_key *key)
{
    const struct text *type = tags_get(tags, "k");
    key->algorithm = DKIM_OTHER;
    if (!type || text_is_any_case(*type, "rsa"))
        key->algorithm = DKIM_RSA;
    else if (text_is_any_case(*type, "ed25519"))
        key->algorithm = DKIM_ED25519;
    return key->algorithm != DKIM_OTHER || fail_key(key, "has an unknown key type");
}

static bool read_service(const struct tags *tags, struct dkim_key *key)
{
    const struct text *service = tags_get(tags, "s");
    return !service || list_has(*service, "*") || list_has(*service, "email") ||
           fail_key(key, "is not for email");
}

static void read_lists(const struct tags *tags, struct dkim_key *key)
{
    const struct text *flags = tags_get(tags, "t");
    const struct text *hashes = tags_get(tags, "h");
    key->flags = flags ? *flags : (struct text){ 0 };
    key->hashes = hashes ? *hashes : (struct text){ 0 };
    key->is_testing = list_has(key->flags, "y");
    key->is_strict = list_has(key->flags, "s");
}

/* ---- p ---- */

/* RSAPublicKey (RFC 8017 appendix A.1.1), the form that RFC 6376 specifies. Most verifiers require
 * a SubjectPublicKeyInfo around it. */
static EVP_PKEY *decode_bare(struct text der)
{
    const unsigned char *bytes = (const unsigned char *)der.bytes;
    EVP_PKEY *key = d2i_PublicKey(EVP_PKEY_RSA, NULL, &bytes, (long)der.size);
    if (key && bytes == (const unsigned char *)der.bytes + der.size)
        return key;
    EVP_PKEY_free(key);
    return NULL;
}

/* The decoder also accepts bare keys, whatever structure is requested. */
static EVP_PKEY *decode_key(struct text der)
{
    EVP_PKEY *key = NULL;
    const unsigned char *bytes = (const unsigned char *)der.bytes;
    size_t size = der.size;
    OSSL_DECODER_CTX *decoder = OSSL_DECODER_CTX_new_for_pkey(
        &key, "DER", "SubjectPublicKeyInfo", "RSA", EVP_PKEY_PUBLIC_KEY, NULL, NULL);
    bool ok = decoder && OSSL_DECODER_from_data(decoder, &bytes, &size) && size == 0;
    OSSL_DECODER_CTX_free(decoder);
    if (ok)
        return key;
    EVP_PKEY_free(key);
    return NULL;
}

static bool read_rsa(struct text der, struct dkim_key *key)
{
    BIGNUM *exponent = NULL;
    EVP_PKEY *rsa = decode_bare(der);
    key->is_bare = rsa != NULL;
    if (!rsa)
        rsa = decode_key(der);
    ERR_clear_error(); /* leave no error for this thread's next TLS call */
    if (!rsa)
        return fail_key(key, "has a p that is not an RSA key");
    key->bits = (unsigned)EVP_PKEY_get_bits(rsa);
    key->has_bad_exponent = !EVP_PKEY_get_bn_param(rsa, OSSL_PKEY_PARAM_RSA_E, &exponent) ||
                            !BN_is_odd(exponent) || BN_is_one(exponent);
    BN_free(exponent);
    EVP_PKEY_free(rsa);
    return true;
}

static bool read_public_key(struct dkim_key *key)
{
    scoped(buf_free) struct buf digits = BUF(2 * KEY_MAX_BYTES);
    scoped(buf_free) struct buf der = BUF(KEY_MAX_BYTES);
    for (size_t i = 0; i < key->public_key.size; i++)
        if (!ascii_is_space(key->public_key.bytes[i]))
            buf_add_byte(&digits, key->public_key.bytes[i]);
    bool has_url_digits = text_has(buf_text(&digits), "-") ||
                          text_has(buf_text(&digits), "_"); /* not RFC 4648 s. 4 */
    if (has_url_digits || !base64_decode(&der, buf_text(&digits)))
        return fail_key(key, "has a p that is not base64");
    if (key->algorithm == DKIM_RSA)
        return read_rsa(buf_text(&der), key);
    key->bits = ED25519_BITS;
    return der.size == ED25519_OCTETS || fail_key(key, "has an Ed25519 key that is not 32 octets");
}

void dkim_key_read(struct text record, struct dkim_key *key)
{
    struct tags tags;
    *key = (struct dkim_key){ 0 };
    tags_read(record, &tags);
    const struct text *p = tags_get(&tags, "p");
    if (near_record_of(record, "v=DKIM1", ';') == NEAR_QUOTED)
        fail_key(key, "is in quotation marks");
    else if (tags.is_malformed)
        fail_key(key, "is not a tag list");
    else if (tags.has_repeats)
        fail_key(key, "has a tag twice");
    else if (!p)
        fail_key(key, "has no p");
    if (key->state == DKIM_KEY_INVALID)
        return;
    key->public_key = *p;
    read_lists(&tags, key);
    if (!read_version(&tags, key) || !read_algorithm(&tags, key) || !read_service(&tags, key))
        return;
    if (p->size == 0)
        key->state = DKIM_KEY_REVOKED;
    else
        read_public_key(key);
}

bool dkim_key_is_usable(const struct dkim_key *key)
{
    bool has_sha256 = key->hashes.size == 0 || list_has(key->hashes, "sha256");
    return key->state == DKIM_KEY_VALID && has_sha256 && !key->has_bad_exponent &&
           (key->algorithm != DKIM_RSA || key->bits >= RSA_MIN_BITS);
}
