/* svc-security/tls-check/rules-certificate.c - issues of a certificate and its chain. */
#include "rules.h"

#include <inttypes.h>

#include "base/num.h"
#include "text/time/datetime.h"

/* ---- times ---- */

/* CA/Browser Forum Baseline Requirements 6.3.2 and ballots SC22, SC31 and SC-081v3: maximum
 * lifetime of certificates issued before each day. */
static const struct limit {
    struct date before;
    int64_t days;
} limits[] = {
    { { 2020, 9, 1 }, 825 },  { { 2026, 3, 15 }, 398 }, { { 2027, 3, 15 }, 200 },
    { { 2029, 3, 15 }, 100 }, { { 9999, 12, 31 }, 47 },
};

static int64_t limit_days(int64_t not_before_s)
{
    size_t i = 0;
    while (i + 1 < countof(limits) && not_before_s >= date_to_days(limits[i].before) * DAY_SECONDS)
        i++;
    return limits[i].days;
}

/* The limit does not apply to private authorities. */
static void check_lifetime(const struct facts *facts, const struct certificate *leaf,
                           struct issues *issues)
{
    int64_t limit = limit_days(leaf->not_before_s);
    int64_t lifetime_s = certificate_lifetime_s(leaf);
    if (lifetime_s <= limit * DAY_SECONDS)
        return;
    issue_add_as(issues, ISSUE_CERT_LIFETIME_TOO_LONG,
                 facts->trust == TRUST_YES ? SEVERITY_MEDIUM : SEVERITY_INFO,
                 "Its lifetime is %" PRId64 " days; the limit on its issue date is %" PRId64,
                 (lifetime_s + DAY_SECONDS - 1) / DAY_SECONDS, limit);
}

static void check_expiry(const struct facts *facts, const struct certificate *leaf,
                         struct issues *issues)
{
    enum { URGENT_DAYS = 7, SOON_DAYS = 30 };
    int64_t left_s = leaf->not_after_s - facts->now_s;
    int64_t soon_s = MIN(SOON_DAYS * (int64_t)DAY_SECONDS, certificate_lifetime_s(leaf) / 3);

    if (facts->now_s < leaf->not_before_s)
        issue_add(issues, ISSUE_CERT_NOT_YET_VALID);
    else if (left_s < 0)
        issue_add(issues, ISSUE_CERT_EXPIRED);
    else if (left_s < URGENT_DAYS * (int64_t)DAY_SECONDS || left_s < soon_s)
        issue_add_as(issues, ISSUE_CERT_EXPIRING_SOON,
                     left_s < URGENT_DAYS * (int64_t)DAY_SECONDS ? SEVERITY_HIGH : SEVERITY_MEDIUM,
                     "It expires in %" PRId64 " days", left_s / DAY_SECONDS);
}

/* ---- keys and signatures ---- */

static void check_rsa(const struct certificate *leaf, struct issues *issues)
{
    enum { BROKEN = 1024, SHORT = 2048 };
    if (leaf->rsa_exponent == 1)
        issue_add_as(issues, ISSUE_CERT_WEAK_KEY, SEVERITY_CRITICAL,
                     "With an RSA exponent of 1, nothing is encrypted and anyone can sign");
    else if (leaf->key_bits < SHORT)
        issue_add_as(issues, ISSUE_CERT_WEAK_KEY,
                     leaf->key_bits < BROKEN ? SEVERITY_CRITICAL : SEVERITY_HIGH,
                     "An RSA key of %u bits is too short; use 2048 or more", leaf->key_bits);
    else if (leaf->rsa_exponent == 3)
        issue_add_as(
            issues, ISSUE_CERT_WEAK_KEY, SEVERITY_LOW,
            "With an RSA exponent of 3, small implementation errors allow forgeries; use 65537");
}

static void check_key(const struct certificate *leaf, struct issues *issues)
{
    enum { BROKEN = 224, SHORT = 256 };
    if (leaf->key_type == KEY_RSA)
        check_rsa(leaf, issues);
    else if (leaf->key_type == KEY_EC && leaf->key_bits < SHORT)
        issue_add_as(issues, ISSUE_CERT_WEAK_KEY,
                     leaf->key_bits < BROKEN ? SEVERITY_HIGH : SEVERITY_MEDIUM,
                     "A key on a curve of %u bits is too short; use P-256", leaf->key_bits);
    else if (leaf->key_type == KEY_DSA)
        issue_add_as(issues, ISSUE_CERT_WEAK_KEY, SEVERITY_HIGH,
                     "Current clients do not accept DSA keys; use P-256 or RSA");
}

/* An attacker with an authority's key can sign anything. The grade depends on the server's key
 * only. */
static void check_authorities(const struct facts *facts, struct issues *issues)
{
    enum { RSA_SHORT = 2048, EC_SHORT = 256 };
    for (size_t i = 1; i < facts->certificate_count; i++) {
        const struct certificate *above = facts->certificate[i];
        bool is_short = (above->key_type == KEY_RSA && above->key_bits < RSA_SHORT) ||
                        (above->key_type == KEY_EC && above->key_bits < EC_SHORT);
        if (is_short && !above->is_self_issued)
            issue_add_as(issues, ISSUE_CERT_WEAK_KEY, SEVERITY_HIGH,
                         "Certificate %zu of the chain has a key of %u bits, which is too short",
                         i + 1, above->key_bits);
    }
}

/* The signature of a root does not matter. */
static void check_signatures(const struct facts *facts, struct issues *issues)
{
    for (size_t i = 0; i < facts->certificate_count; i++) {
        const struct certificate *certificate = facts->certificate[i];
        if (certificate->signature_digest == DIGEST_FINE || (i > 0 && certificate->is_self_issued))
            continue;
        issue_add_as(
            issues, ISSUE_CERT_WEAK_SIGNATURE,
            certificate->signature_digest == DIGEST_SHA1 ? SEVERITY_HIGH : SEVERITY_CRITICAL,
            "Certificate %zu of the chain is signed with %s", i + 1, certificate->signature);
    }
}

/* ---- names, purpose, chain ---- */

/* An authority's key usage limits the certificates below it (CA/Browser Forum Baseline Requirements
 * 7.1.2.10.6). Certificates outside the chain are ignored. */
static void check_usage(const struct facts *facts, struct issues *issues)
{
    if (facts->certificate[0]->lacks_server_auth)
        return issue_add(issues, ISSUE_CERT_EKU);
    for (size_t i = 1; i < facts->certificate_count && facts->extra_count == 0; i++)
        if (facts->certificate[i]->lacks_server_auth && !facts->certificate[i]->is_self_issued)
            return issue_add_as(issues, ISSUE_CERT_EKU, SEVERITY_HIGH,
                                "Certificate %zu of the chain lacks serverAuth in its extended key "
                                "usage, which also applies to the certificates below it",
                                i + 1);
}

static void check_purpose(const struct facts *facts, const struct certificate *leaf,
                          struct issues *issues)
{
    if (!facts->is_for_host)
        issue_add(issues, ISSUE_CERT_NAME_MISMATCH);
    if (!leaf->has_alternatives)
        issue_add(issues, ISSUE_CERT_NO_SAN);
    if (leaf->is_ca)
        issue_add(issues, ISSUE_CERT_CA_LEAF);
    check_usage(facts, issues);
    if (facts->trust == TRUST_YES && facts->sct_count == 0)
        issue_add(issues, ISSUE_CERT_NO_SCT);
}

static bool is_in_time(const struct facts *facts, const struct certificate *certificate)
{
    return facts->now_s >= certificate->not_before_s && facts->now_s <= certificate->not_after_s;
}

/* Names the first intermediate that has expired or is not valid yet. Clients use their own copy of
 * a root. */
static void check_intermediates(const struct facts *facts, struct issues *issues)
{
    for (size_t i = 1; i < facts->certificate_count; i++) {
        const struct certificate *above = facts->certificate[i];
        bool is_past = facts->now_s > above->not_after_s;
        int64_t limit_s = is_past ? above->not_after_s : above->not_before_s;
        struct date date = date_of_days(limit_s / DAY_SECONDS);
        if (above->is_self_issued || is_in_time(facts, above))
            continue;
        issue_add_as(issues, ISSUE_CERT_INTERMEDIATE_EXPIRED,
                     facts->trust == TRUST_YES ? SEVERITY_MEDIUM : SEVERITY_HIGH,
                     "Certificate %zu of the chain, %.150s, %s on %04d-%02d-%02d", i + 1,
                     above->subject ? above->subject : "", is_past ? "expired" : "becomes valid",
                     date.year, date.month, date.day);
    }
}

static void check_trust(const struct facts *facts, const struct certificate *leaf,
                        struct issues *issues)
{
    switch (facts->trust) {
    case TRUST_YES:
        break;
    case TRUST_SELF_SIGNED:
        issue_add(issues, ISSUE_CERT_SELF_SIGNED);
        break;
    case TRUST_INCOMPLETE:
        issue_add(issues, ISSUE_CERT_CHAIN_INCOMPLETE);
        break;
    case TRUST_EXPIRED:
        if (is_in_time(facts, leaf))
            issue_add_as(issues, ISSUE_CERT_UNTRUSTED, SEVERITY_HIGH,
                         "A certificate above it in the chain is outside its validity period");
        break;
    case TRUST_UNKNOWN:
        issue_add(issues, ISSUE_CERT_UNTRUSTED);
        break;
    case TRUST_BROKEN:
        issue_add_as(issues, ISSUE_CERT_UNTRUSTED, SEVERITY_HIGH,
                     "The chain is invalid: a signature, a constraint or an extension is wrong");
        break;
    }
}

static void check_order(const struct facts *facts, struct issues *issues)
{
    if (facts->extra_count > 0)
        issue_add_as(issues, ISSUE_CERT_CHAIN_ORDER, SEVERITY_LOW,
                     "%zu of the certificates sent do not belong to the chain of the first one",
                     facts->extra_count);
    else if (!facts->is_in_order)
        issue_add(issues, ISSUE_CERT_CHAIN_ORDER);
}

void rules_certificate(const struct facts *facts, struct issues *issues)
{
    const struct certificate *leaf = facts_leaf(facts);
    if (!leaf && facts->best > SSLV2) /* the scan does not read certificates of SSL 2.0 */
        issue_add(issues, ISSUE_CERT_NOT_SEEN);
    if (!leaf)
        return;
    check_expiry(facts, leaf, issues);
    check_lifetime(facts, leaf, issues);
    check_key(leaf, issues);
    check_authorities(facts, issues);
    check_signatures(facts, issues);
    check_purpose(facts, leaf, issues);
    check_trust(facts, leaf, issues);
    check_intermediates(facts, issues);
    check_order(facts, issues);
}

void rules_revocation(const struct facts *facts, struct issues *issues)
{
    const struct certificate *leaf = facts_leaf(facts);
    if (!leaf)
        return;
    if (facts->revocation == REVOCATION_REVOKED)
        issue_add(issues, ISSUE_CERT_REVOKED);
    if (facts->has_staple)
        return;
    if (leaf->must_staple)
        issue_add(issues, ISSUE_MUST_STAPLE_MISSING);
    else if (leaf->ocsp_url)
        issue_add(issues, ISSUE_OCSP_NOT_STAPLED);
}
