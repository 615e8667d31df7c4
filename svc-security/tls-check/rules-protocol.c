/* svc-security/tls-check/rules-protocol.c - issues of versions, suites, key exchange, handshake and
 * Strict-Transport-Security. */
#include "rules.h"

void rules_versions(const struct facts *facts, struct issues *issues)
{
    if (facts->supports[SSLV2])
        issue_add(issues, ISSUE_PROTOCOL_SSLV2);
    if (facts->supports[SSLV3])
        issue_add(issues, ISSUE_PROTOCOL_SSLV3);
    if (facts->supports[TLSV10])
        issue_add(issues, ISSUE_PROTOCOL_TLS10);
    if (facts->supports[TLSV11])
        issue_add(issues, ISSUE_PROTOCOL_TLS11);
    if (!facts->supports[TLSV12] && !facts->supports[TLSV13])
        issue_add(issues, ISSUE_NO_TLS12);
    if (!facts->supports[TLSV13])
        issue_add(issues, ISSUE_NO_TLS13);
    if (facts->is_intolerant)
        issue_add(issues, ISSUE_VERSION_INTOLERANCE);
    if (facts->supports[SSLV2])
        issue_add(issues, ISSUE_DROWN);
}

/* An issue caused by a flag of any accepted suite. */
static const struct by_flag {
    enum issue issue;
    unsigned cipher;
    unsigned kx;
} by_flag[] = {
    { ISSUE_CIPHER_ANONYMOUS, 0, KX_IS_ANONYMOUS },
    { ISSUE_CIPHER_EXPORT, 0, KX_IS_EXPORT },
    { ISSUE_CIPHER_DES, CIPHER_IS_DES, 0 },
    { ISSUE_CIPHER_RC4, CIPHER_IS_RC4, 0 },
    { ISSUE_CIPHER_3DES, CIPHER_IS_3DES, 0 },
    { ISSUE_CIPHER_OUTDATED, CIPHER_IS_OUTDATED, 0 },
    { ISSUE_SWEET32, CIPHER_IS_SHORT_BLOCK, 0 },
};

/* Does this version have CBC suites? */
static bool has_cbc(const struct facts *facts, enum version version)
{
    for (size_t i = 0; i < facts->accepted_count; i++)
        if (facts->accepted[i].version == version &&
            facts->accepted[i].suite->cipher->flags & CIPHER_IS_CBC)
            return true;
    return false;
}

static void check_secrecy(const struct facts *facts, struct issues *issues)
{
    if (facts->accepted_count == 0)
        return;
    if (!facts_have_kx(facts, KX_IS_FORWARD_SECRET))
        issue_add(issues, ISSUE_NO_FORWARD_SECRECY);
    else if (facts->prefers_secrecy == TRI_NO)
        issue_add_as(issues, ISSUE_NO_FORWARD_SECRECY, SEVERITY_LOW,
                     "Forward secrecy is offered, but the server prefers suites without it");
}

void rules_suites(const struct facts *facts, struct issues *issues)
{
    unsigned least;
    unsigned most;
    for (size_t i = 0; i < countof(by_flag); i++)
        if (facts_have_cipher(facts, by_flag[i].cipher, SSLV2) ||
            facts_have_kx(facts, by_flag[i].kx))
            issue_add(issues, by_flag[i].issue);
    if (facts->accepted_count == 0)
        issue_add(issues, ISSUE_CIPHER_UNKNOWN);
    if (facts_cipher_bits(facts, &least, &most) && least == 0)
        issue_add(issues, ISSUE_CIPHER_NULL);
    if (facts_all_have_cipher(facts, CIPHER_IS_CBC))
        issue_add(issues, ISSUE_CIPHER_CBC_ONLY);
    if (facts->accepted_count > 0 && !facts_have_cipher(facts, CIPHER_IS_AEAD, SSLV2))
        issue_add(issues, ISSUE_NO_AEAD);
    check_secrecy(facts, issues);
    if (facts->has_server_order == TRI_NO)
        issue_add(issues, ISSUE_CIPHER_ORDER_CLIENT);
    if (has_cbc(facts, SSLV3))
        issue_add(issues, ISSUE_POODLE);
    if (has_cbc(facts, SSLV3) || has_cbc(facts, TLSV10))
        issue_add(issues, ISSUE_BEAST);
}

/* ---- key exchange ---- */

/* Is an export suite with this flag accepted? */
static bool has_export(const struct facts *facts, unsigned flag)
{
    for (size_t i = 0; i < facts->accepted_count; i++) {
        unsigned flags = facts->accepted[i].suite->kx->flags;
        if (flags & KX_IS_EXPORT && flags & flag)
            return true;
    }
    return false;
}

static void check_dh(const struct facts *facts, struct issues *issues)
{
    enum { FINE = 2048, SHORT = 1024 };
    if (facts->dh_bits > 0 && facts->dh_bits < FINE)
        issue_add_as(issues, ISSUE_WEAK_DH,
                     facts->dh_bits < SHORT ? SEVERITY_HIGH : SEVERITY_MEDIUM,
                     "The server uses a prime of %u bits; use ffdhe2048 or larger, or only ECDHE",
                     facts->dh_bits);
    if (facts->common_prime)
        issue_add_as(issues, ISSUE_COMMON_DH_PRIME, SEVERITY_MEDIUM,
                     "The prime is that of %s; one precomputation breaks all servers that share it",
                     facts->common_prime);
    if (has_export(facts, KX_SENDS_DH) || (facts->dh_bits > 0 && facts->dh_bits < SHORT) ||
        (facts->common_prime && facts->common_bits <= SHORT))
        issue_add(issues, ISSUE_LOGJAM);
}

static void check_groups(const struct facts *facts, struct issues *issues)
{
    enum { FINE = 224 };
    bool has_post_quantum = false;
    if (facts->has_custom_curve)
        issue_add_as(issues, ISSUE_WEAK_CURVE, SEVERITY_MEDIUM,
                     "The server sends a custom curve instead of a named one");
    for (size_t i = 0; i < facts->group_count; i++) {
        const struct group *group = group_find(facts->group[i]);
        if (!group)
            continue;
        has_post_quantum |= group->flags & GROUP_IS_POST_QUANTUM;
        if (group->bits < FINE)
            issue_add_as(issues, ISSUE_WEAK_CURVE, SEVERITY_MEDIUM,
                         "%s has %u bits; remove groups below %d bits", group->name, group->bits,
                         FINE);
    }
    if (!has_post_quantum)
        issue_add(issues, ISSUE_NO_POST_QUANTUM);
}

void rules_key_exchange(const struct facts *facts, struct issues *issues)
{
    check_dh(facts, issues);
    check_groups(facts, issues);
    if (has_export(facts, KX_SENDS_RSA))
        issue_add(issues, ISSUE_FREAK);
}

/* ---- handshake and HTTP ---- */

void rules_handshake(const struct facts *facts, struct issues *issues)
{
    if (facts->has_compression)
        issue_add(issues, ISSUE_COMPRESSION);
    if (facts->has_renegotiation == TRI_NO)
        issue_add(issues, ISSUE_INSECURE_RENEGOTIATION);
    if (facts->has_fallback == TRI_NO && facts_have_old_version(facts))
        issue_add(issues, ISSUE_NO_FALLBACK_SCSV);
    if (facts->has_heartbeat)
        issue_add(issues, ISSUE_HEARTBEAT);
    if (facts->asks_certificate)
        issue_add(issues, ISSUE_CLIENT_CERTIFICATE);
}

void rules_hsts(const struct facts *facts, struct issues *issues)
{
    const struct hsts *hsts = &facts->hsts;
    if (facts->has_hsts == TRI_NO)
        issue_add(issues, ISSUE_HSTS_MISSING);
    if (facts->has_hsts != TRI_YES)
        return;
    if (!facts_hsts_is_valid(facts))
        issue_add(issues, ISSUE_HSTS_INVALID);
    else if (hsts->max_age_s < HSTS_ENOUGH_S)
        issue_add_as(issues, ISSUE_HSTS_SHORT, SEVERITY_LOW,
                     "max-age is %lld; use %d (180 days) or more", (long long)hsts->max_age_s,
                     (int)HSTS_ENOUGH_S);
}
