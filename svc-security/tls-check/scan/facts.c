/* svc-security/tls-check/scan/facts.c - queries on facts. */
#include "facts.h"

#include "base/num.h"

bool facts_have_cipher(const struct facts *facts, unsigned flags, enum version lowest)
{
    for (size_t i = 0; i < facts->accepted_count; i++)
        if (facts->accepted[i].suite->cipher->flags & flags && facts->accepted[i].version >= lowest)
            return true;
    return false;
}

bool facts_have_kx(const struct facts *facts, unsigned flags)
{
    for (size_t i = 0; i < facts->accepted_count; i++)
        if (facts->accepted[i].suite->kx->flags & flags)
            return true;
    return false;
}

bool facts_cipher_bits(const struct facts *facts, unsigned *least, unsigned *most)
{
    *least = UINT32_MAX;
    *most = 0;
    for (size_t i = 0; i < facts->accepted_count; i++) {
        unsigned bits = facts->accepted[i].suite->cipher->bits;
        *least = MIN(*least, bits);
        *most = MAX(*most, bits);
    }
    return facts->accepted_count > 0;
}

bool facts_all_have_cipher(const struct facts *facts, unsigned flags)
{
    for (size_t i = 0; i < facts->accepted_count; i++)
        if (!(facts->accepted[i].suite->cipher->flags & flags))
            return false;
    return facts->accepted_count > 0;
}

bool facts_have_old_version(const struct facts *facts)
{
    for (unsigned i = 0; i < TLSV12; i++)
        if (facts->supports[i])
            return true;
    return false;
}

bool facts_hsts_is_valid(const struct facts *facts)
{
    return facts->has_hsts == TRI_YES && facts->hsts.has_age && !facts->hsts.has_repeats;
}

const struct certificate *facts_leaf(const struct facts *facts)
{
    return facts->certificate_count > 0 ? facts->certificate[0] : NULL;
}

int64_t certificate_lifetime_s(const struct certificate *certificate)
{
    return MAX(certificate->not_after_s - certificate->not_before_s + 1, 0);
}
