/* common/base/codec/ecdsa.c - see ecdsa.h. */
#include "base/codec/ecdsa.h"

#include <openssl/ecdsa.h>

#include "base/scoped.h"

static void signature_free(ECDSA_SIG **signature)
{
    ECDSA_SIG_free(*signature);
    *signature = NULL;
}

static bool read_halves(struct text raw, ECDSA_SIG *signature)
{
    const unsigned char *bytes = (const unsigned char *)raw.bytes;
    size_t half = raw.size / 2;
    BIGNUM *r = BN_bin2bn(bytes, (int)half, NULL);
    BIGNUM *s = BN_bin2bn(bytes + half, (int)half, NULL);
    if (r && s && ECDSA_SIG_set0(signature, r, s))
        return true;
    BN_free(r);
    BN_free(s);
    return false;
}

bool ecdsa_to_der(struct text raw, struct buf *der)
{
    scoped(signature_free) ECDSA_SIG *signature = ECDSA_SIG_new();
    if (!signature || raw.size == 0 || raw.size % 2 != 0 || !read_halves(raw, signature))
        return false;
    int size = i2d_ECDSA_SIG(signature, NULL);
    unsigned char *room = size > 0 ? (unsigned char *)buf_reserve(der, (size_t)size) : NULL;
    if (!room)
        return false;
    der->size += (size_t)i2d_ECDSA_SIG(signature, &room);
    return true;
}
