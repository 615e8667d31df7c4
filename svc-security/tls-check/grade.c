/* svc-security/tls-check/grade.c - compute score and grade. */
#include "grade.h"

#include <string.h>

#include "base/num.h"
#include "rules.h"

/* ---- scores ---- */

static const int version_scores[VERSIONS] = {
    [SSLV2] = 0, [SSLV3] = 80, [TLSV10] = 90, [TLSV11] = 95, [TLSV12] = 100, [TLSV13] = 100,
};

static int score_protocol(const struct facts *facts)
{
    int worst = 100;
    int best = -1;
    for (size_t i = 0; i < VERSIONS; i++) {
        if (!facts->supports[i])
            continue;
        worst = MIN(worst, version_scores[i]);
        best = MAX(best, version_scores[i]);
    }
    return best < 0 ? 0 : (best + worst) / 2;
}

/* Score for fewer bits than this. The last row has no limit. */
struct step {
    unsigned below;
    int score;
};

static const struct step rsa_steps[] = {
    { 512, 20 }, { 1024, 40 }, { 2048, 80 }, { 4096, 90 }, { UINT32_MAX, 100 },
};
static const struct step ec_steps[] = {
    { 110, 20 }, { 123, 40 }, { 163, 80 }, { 225, 90 }, { UINT32_MAX, 100 },
};
static const struct step cipher_steps[] = {
    { 1, 0 },
    { 128, 20 },
    { 256, 80 },
    { UINT32_MAX, 100 },
};

static int score_by(const struct step *step, unsigned bits)
{
    while (bits >= step->below)
        step++;
    return step->score;
}

static int score_key(const struct certificate *leaf)
{
    if (!leaf)
        return 0;
    if (leaf->rsa_exponent == 1)
        return 0;
    if (leaf->key_type == KEY_EC || leaf->key_type == KEY_ED)
        return score_by(ec_steps, leaf->key_bits);
    return score_by(rsa_steps, leaf->key_bits);
}

/* The weakest of the certificate's key and the ephemeral parameters. */
static int score_key_exchange(const struct facts *facts)
{
    enum { EXPORT_SCORE = 40 };
    int score = score_key(facts_leaf(facts));
    if (facts->dh_bits > 0)
        score = MIN(score, score_by(rsa_steps, facts->dh_bits));
    for (size_t i = 0; i < facts->group_count; i++) {
        const struct group *group = group_find(facts->group[i]);
        if (group && !(group->flags & GROUP_IS_FINITE_FIELD))
            score = MIN(score, score_by(ec_steps, group->bits));
    }
    if (facts_have_kx(facts, KX_IS_EXPORT))
        score = MIN(score, EXPORT_SCORE);
    if (facts_have_kx(facts, KX_IS_ANONYMOUS))
        score = 0;
    return score;
}

static int score_cipher(const struct facts *facts)
{
    unsigned least;
    unsigned most;
    if (!facts_cipher_bits(facts, &least, &most))
        return 0;
    return (score_by(cipher_steps, least) + score_by(cipher_steps, most)) / 2;
}

/* ---- grade limits ---- */

static bool is_ssl3_best(const struct facts *facts)
{
    return facts->best == SSLV3;
}

static bool is_key_broken(const struct facts *facts)
{
    return score_key_exchange(facts) <= 40;
}

static bool is_key_short(const struct facts *facts)
{
    return score_key_exchange(facts) <= 80;
}

/* Does a relevant signature use a digest of this class or a worse one? */
static bool has_digest(const struct facts *facts, enum digest_class class)
{
    for (size_t i = 0; i < facts->certificate_count; i++)
        if (facts->certificate[i]->signature_digest >= class &&
            (i == 0 || !facts->certificate[i]->is_self_issued))
            return true;
    return false;
}

static bool has_md5(const struct facts *facts)
{
    return has_digest(facts, DIGEST_MD5);
}

static bool has_sha1(const struct facts *facts)
{
    return has_digest(facts, DIGEST_SHA1);
}

static bool has_exponent_1(const struct facts *facts)
{
    return facts_leaf(facts) && facts_leaf(facts)->rsa_exponent == 1;
}

static bool has_only_rc4(const struct facts *facts)
{
    return facts_all_have_cipher(facts, CIPHER_IS_RC4);
}

static bool has_new_rc4(const struct facts *facts)
{
    return facts_have_cipher(facts, CIPHER_IS_RC4, TLSV11);
}

static bool has_new_short_block(const struct facts *facts)
{
    return facts_have_cipher(facts, CIPHER_IS_SHORT_BLOCK, TLSV11);
}

static bool has_no_secrecy(const struct facts *facts)
{
    return !facts_have_kx(facts, KX_IS_FORWARD_SECRET);
}

/* An issue that caps the grade if the condition holds (NULL: always). */
static const struct cap {
    const char *letter;
    enum issue issue;
    bool (*applies)(const struct facts *facts);
} caps[] = {
    { "F", ISSUE_PROTOCOL_SSLV2, NULL },
    { "F", ISSUE_PROTOCOL_SSLV3, is_ssl3_best },
    { "F", ISSUE_CERT_NOT_SEEN, NULL },
    { "F", ISSUE_CIPHER_UNKNOWN, NULL },
    { "F", ISSUE_CIPHER_EXPORT, NULL },
    { "F", ISSUE_CIPHER_NULL, NULL },
    { "F", ISSUE_CIPHER_DES, NULL },
    { "F", ISSUE_CIPHER_ANONYMOUS, NULL },
    { "F", ISSUE_CIPHER_RC4, has_only_rc4 },
    { "F", ISSUE_CERT_WEAK_KEY, is_key_broken },
    { "F", ISSUE_CERT_WEAK_KEY, has_exponent_1 },
    { "F", ISSUE_WEAK_DH, is_key_broken },
    { "F", ISSUE_WEAK_CURVE, is_key_broken },
    { "F", ISSUE_CERT_WEAK_SIGNATURE, has_md5 },
    { "C", ISSUE_NO_TLS12, NULL },
    { "C", ISSUE_COMPRESSION, NULL },
    { "C", ISSUE_CIPHER_RC4, has_new_rc4 },
    { "C", ISSUE_SWEET32, has_new_short_block },
    { "C", ISSUE_POODLE, NULL },
    { "B", ISSUE_PROTOCOL_SSLV3, NULL },
    { "B", ISSUE_PROTOCOL_TLS10, NULL },
    { "B", ISSUE_PROTOCOL_TLS11, NULL },
    { "B", ISSUE_CIPHER_RC4, NULL },
    { "B", ISSUE_CERT_WEAK_KEY, is_key_short },
    { "B", ISSUE_WEAK_DH, is_key_short },
    { "B", ISSUE_WEAK_CURVE, is_key_short },
    { "B", ISSUE_NO_FORWARD_SECRECY, has_no_secrecy },
    { "B", ISSUE_NO_AEAD, NULL },
    { "B", ISSUE_CERT_CHAIN_INCOMPLETE, NULL },
};

/* With any of these issues, A becomes A-. */
static const enum issue warnings[] = {
    ISSUE_NO_TLS13,   ISSUE_INSECURE_RENEGOTIATION, ISSUE_HSTS_INVALID,
    ISSUE_HSTS_SHORT, ISSUE_NO_FORWARD_SECRECY,     ISSUE_CERT_EXPIRING_SOON,
};

/* Grades T and M: not trusted, or for another name. The first match applies. */
static const struct cap verdicts[] = {
    { "T", ISSUE_CERT_UNTRUSTED, NULL }, { "T", ISSUE_CERT_SELF_SIGNED, NULL },
    { "T", ISSUE_CERT_EXPIRED, NULL },   { "T", ISSUE_CERT_NOT_YET_VALID, NULL },
    { "T", ISSUE_CERT_REVOKED, NULL },   { "T", ISSUE_CERT_WEAK_SIGNATURE, has_sha1 },
    { "T", ISSUE_CERT_EKU, NULL },       { "M", ISSUE_CERT_NAME_MISMATCH, NULL },
};

/* ---- the grade ---- */

static const struct {
    int least;
    const char *letter;
} letters[] = { { 80, "A" }, { 65, "B" }, { 50, "C" }, { 35, "D" }, { 20, "E" }, { 0, "F" } };

static const char *letter_of(int score)
{
    size_t i = 0;
    while (score < letters[i].least)
        i++;
    return letters[i].letter;
}

static void note_limit(struct grade *result, const char *letter, enum issue issue)
{
    for (size_t i = 0; i < result->limit_count; i++)
        if (result->limit[i].issue == issue) /* the table has the worst cap first */
            return;
    result->limit[result->limit_count++] = (struct limit){ letter, issue };
}

static bool cap_applies(const struct cap *cap, const struct facts *facts,
                        const struct issues *issues)
{
    return issue_is_there(issues, cap->issue) && (!cap->applies || cap->applies(facts));
}

/* Letters compare as bytes: F is worse than A. */
static void apply_caps(const struct facts *facts, const struct issues *issues, struct grade *result)
{
    for (size_t i = 0; i < countof(caps); i++) {
        if (!cap_applies(&caps[i], facts, issues))
            continue;
        note_limit(result, caps[i].letter, caps[i].issue);
        if (strcmp(result->letter_if_trusted, caps[i].letter) < 0)
            result->letter_if_trusted = caps[i].letter;
    }
}

static bool has_fallback(const struct facts *facts)
{
    return !facts_have_old_version(facts) || facts->has_fallback == TRI_YES;
}

static bool is_excellent(const struct facts *facts)
{
    bool has_hsts = facts_hsts_is_valid(facts) && facts->hsts.max_age_s >= HSTS_ENOUGH_S;
    return has_fallback(facts) && (!facts->is_http || has_hsts);
}

/* A, A- or A+? */
static const char *grade_of_a(const struct facts *facts, const struct issues *issues,
                              struct grade *result)
{
    bool is_warned = false;
    for (size_t i = 0; i < countof(warnings); i++) {
        if (!issue_is_there(issues, warnings[i]))
            continue;
        note_limit(result, "A-", warnings[i]);
        is_warned = true;
    }
    return is_warned ? "A-" : is_excellent(facts) ? "A+" : "A";
}

static void apply_verdicts(const struct facts *facts, const struct issues *issues,
                           struct grade *result)
{
    result->letter = result->letter_if_trusted;
    for (size_t i = countof(verdicts); i-- > 0;) {
        if (!cap_applies(&verdicts[i], facts, issues))
            continue;
        note_limit(result, verdicts[i].letter, verdicts[i].issue);
        result->letter = verdicts[i].letter;
    }
}

static void grade_one(const struct facts *facts, const struct issues *issues, struct grade *result)
{
    *result = (struct grade){
        .protocol = score_protocol(facts),
        .key_exchange = score_key_exchange(facts),
        .cipher = score_cipher(facts),
    };
    if (result->protocol > 0 && result->key_exchange > 0 && result->cipher > 0)
        result->score = 30 * result->protocol / 100 + 30 * result->key_exchange / 100 +
                        40 * result->cipher / 100;
    result->letter_if_trusted = letter_of(result->score);
    apply_caps(facts, issues, result);
    if (strcmp(result->letter_if_trusted, "A") == 0)
        result->letter_if_trusted = grade_of_a(facts, issues, result);
    apply_verdicts(facts, issues, result);
}

/* ---- several certificates ---- */

/* Position from best to worst. T is worse than M, and both than a grade. */
static size_t rank_of(const char *letter)
{
    static const char *const order[] = { "A+", "A", "A-", "B", "C", "D", "E", "F", "M", "T" };
    size_t i = 0;
    while (strcmp(order[i], letter) != 0)
        i++;
    return i;
}

static const char *worse_of(const char *a, const char *b)
{
    return rank_of(a) >= rank_of(b) ? a : b;
}

static void merge_limit(const struct limit *limit, struct grade *result)
{
    note_limit(result, limit->letter, limit->issue);
    for (size_t i = 0; i < result->limit_count; i++)
        if (result->limit[i].issue == limit->issue)
            result->limit[i].letter = worse_of(result->limit[i].letter, limit->letter);
}

static void merge_grade(const struct grade *other, struct grade *result)
{
    result->score = MIN(result->score, other->score);
    result->key_exchange = MIN(result->key_exchange, other->key_exchange);
    result->letter = worse_of(result->letter, other->letter);
    result->letter_if_trusted = worse_of(result->letter_if_trusted, other->letter_if_trusted);
    for (size_t i = 0; i < other->limit_count; i++)
        merge_limit(&other->limit[i], result);
}

void grade(const struct facts *const *facts, size_t count, const struct issues *issues,
           struct grade *result)
{
    grade_one(facts[0], issues, result);
    for (size_t i = 1; i < count; i++) {
        struct grade other;
        grade_one(facts[i], issues, &other);
        merge_grade(&other, result);
    }
}
