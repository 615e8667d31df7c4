/* svc-security/tls-check/protocol/suites.c - cipher suites. */
#include "suites.h"

#include <assert.h>

#include "base/scoped.h"

enum {
#define KX(id, name, flags) KX_##id,
#include "key-exchanges.def"
#undef KX
};

static const struct kx exchanges[] = {
#define KX(id, name, flags) [KX_##id] = { name, flags },
#include "key-exchanges.def"
#undef KX
};

enum {
#define CIPHER(id, bits, flags) CIPHER_##id,
#include "ciphers.def"
#undef CIPHER
};

static const struct cipher ciphers[] = {
#define CIPHER(id, bits, flags) [CIPHER_##id] = { bits, flags },
#include "ciphers.def"
#undef CIPHER
};

#define SUITE(id, name, kx, cipher, since) \
    { (id), (name), &exchanges[KX_##kx], &ciphers[CIPHER_##cipher], (since) },
static const struct suite suites[] = {
#include "suites.def"
};
static const struct suite suites_ssl2[] = {
#include "suites-ssl2.def"
};
#undef SUITE

const uint16_t suites_tls13[SUITES_TLS13] = { 0x1301, 0x1302, 0x1303, 0x1304, 0x1305 };

static const struct suite *find_row(const struct suite *rows, size_t count, uint32_t id)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].id == id)
            return &rows[i];
    return NULL;
}

const struct suite *suite_find(uint16_t id)
{
    return find_row(suites, countof(suites), id);
}

const struct suite *suite_find_ssl2(uint32_t id)
{
    return find_row(suites_ssl2, countof(suites_ssl2), id);
}

enum strength suite_strength(const struct suite *suite)
{
    const struct kx *kx = suite->kx;
    const struct cipher *cipher = suite->cipher;
    bool is_secret = kx->flags & KX_IS_FORWARD_SECRET;
    bool is_aead = cipher->flags & CIPHER_IS_AEAD;

    if (kx->flags & (KX_IS_ANONYMOUS | KX_IS_EXPORT) || cipher->bits < 112 ||
        cipher->flags & CIPHER_IS_RC4 || suite->since == SSLV2)
        return STRENGTH_INSECURE;
    if (cipher->flags & (CIPHER_IS_SHORT_BLOCK | CIPHER_IS_OUTDATED) || (!is_secret && !is_aead))
        return STRENGTH_WEAK;
    return is_secret && is_aead ? STRENGTH_STRONG : STRENGTH_ACCEPTABLE;
}

const char *strength_name(enum strength strength)
{
    static const char *const names[] = { "insecure", "weak", "acceptable", "strong" };
    return names[strength];
}

static bool is_common(const struct suite *suite)
{
    switch (suite->kx - exchanges) {
    case KX_RSA:
    case KX_DHE_RSA:
    case KX_DHE_DSS:
    case KX_ECDHE_ECDSA:
    case KX_ECDHE_RSA:
        break;
    default:
        return false;
    }
    switch (suite->cipher - ciphers) {
    case CIPHER_AES_128_GCM:
    case CIPHER_AES_256_GCM:
    case CIPHER_CHACHA20_POLY1305:
    case CIPHER_AES_128_CBC:
    case CIPHER_AES_256_CBC:
    case CIPHER_CAMELLIA_128_CBC:
    case CIPHER_CAMELLIA_256_CBC:
        return true;
    default:
        return false;
    }
}

static enum suite_kind kind_of(const struct suite *suite)
{
    if (suite_strength(suite) == STRENGTH_INSECURE ||
        suite->cipher->flags & (CIPHER_IS_SHORT_BLOCK | CIPHER_IS_OUTDATED))
        return SUITES_INSECURE;
    if (is_common(suite))
        return SUITES_COMMON;
    bool is_static = suite->kx != &exchanges[KX_RSA] && !(suite->kx->flags & KX_SENDS);
    return is_static ? SUITES_STATIC : SUITES_RARE;
}

size_t suites_of_kind(enum suite_kind kind, enum version version,
                      uint16_t ids[static SUITES_OFFER_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < countof(suites); i++) {
        if (suites[i].since > version || suites[i].since == TLSV13 || kind_of(&suites[i]) != kind)
            continue;
        assert(count < SUITES_OFFER_MAX);
        ids[count++] = (uint16_t)suites[i].id;
    }
    return count;
}

size_t suites_of_ssl2(uint32_t ids[static SUITES_SSL2_MAX])
{
    for (size_t i = 0; i < countof(suites_ssl2); i++)
        ids[i] = suites_ssl2[i].id;
    return countof(suites_ssl2);
}
