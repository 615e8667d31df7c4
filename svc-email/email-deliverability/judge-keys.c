/* svc-email/email-deliverability/judge-keys.c - DKIM and DMARC: their rules and points. */
#include "base/num.h"
#include "judge.h"

/* ---- DKIM ---- */

enum { RSA_GOOD_BITS = 2048, RSA_LONG_BITS = 4096 };

/* Whether a selector has a record that is not the wildcard's. */
static bool has_record(const struct dkim_selector *selector)
{
    return selector->text_count > 0 && !selector->is_wildcard;
}

/* Quality of a selector's record, the worst first. The best record of a domain counts. */
enum quality {
    QUALITY_NOTHING,
    QUALITY_INVALID,
    QUALITY_UNUSABLE,
    QUALITY_REVOKED,
    QUALITY_TESTING,
    QUALITY_SHORT,
    QUALITY_ED25519,
    QUALITY_GOOD,
};

static enum quality quality_of(const struct dkim_selector *selector)
{
    const struct dkim_key *key = &selector->key;
    if (!has_record(selector))
        return QUALITY_NOTHING;
    if (key->state == DKIM_KEY_INVALID)
        return QUALITY_INVALID;
    if (key->state == DKIM_KEY_REVOKED)
        return QUALITY_REVOKED;
    if (!dkim_key_is_usable(key))
        return QUALITY_UNUSABLE;
    if (key->is_testing)
        return QUALITY_TESTING;
    if (key->algorithm == DKIM_ED25519)
        return QUALITY_ED25519;
    return key->bits >= RSA_GOOD_BITS ? QUALITY_GOOD : QUALITY_SHORT;
}

/* Its points; the finding explains why they are not 20. All verifiers support RSA keys of a valid
 * size, so an additional Ed25519 key has no effect. */
static const struct outcome {
    int points;
    enum finding finding;
} outcomes[] = {
    [QUALITY_INVALID] = { 4, FINDING_DKIM_INVALID },
    [QUALITY_UNUSABLE] = { 4, FINDING_DKIM_KEY_UNUSABLE },
    [QUALITY_REVOKED] = { 6, FINDING_DKIM_REVOKED },
    [QUALITY_TESTING] = { 12, FINDING_DKIM_TESTING },
    [QUALITY_SHORT] = { 15, FINDING_DKIM_WEAK_KEY },
    [QUALITY_ED25519] = { 17, FINDING_DKIM_ED25519_ONLY },
};

static const struct dkim_selector *find_best(const struct dkim_facts *dkim)
{
    const struct dkim_selector *best = &dkim->selector[0];
    for (size_t i = 1; i < dkim->count; i++)
        if (quality_of(&dkim->selector[i]) > quality_of(best))
            best = &dkim->selector[i];
    return best;
}

static bool has_quality(const struct dkim_facts *dkim, enum quality quality)
{
    for (size_t i = 0; i < dkim->count; i++)
        if (quality_of(&dkim->selector[i]) == quality)
            return true;
    return false;
}

static bool shares_key(const struct dkim_facts *dkim, size_t which)
{
    const struct dkim_key *key = &dkim->selector[which].key;
    if (!has_record(&dkim->selector[which]) || key->public_key.size == 0)
        return false;
    for (size_t i = 0; i < which; i++)
        if (text_equals(dkim->selector[i].key.public_key, key->public_key))
            return true;
    return false;
}

static void note_selectors(const struct dkim_facts *dkim, struct judgement *judgement)
{
    bool is_bare = false;
    bool is_long = false;
    bool is_shared = false;
    bool is_alias = false;
    bool is_multiple = false;
    for (size_t i = 0; i < dkim->count; i++) {
        const struct dkim_selector *selector = &dkim->selector[i];
        is_multiple |= selector->text_count > 1;
        is_shared |= shares_key(dkim, i);
        if (!has_record(selector))
            continue;
        is_bare |= selector->key.is_bare;
        is_long |= selector->key.algorithm == DKIM_RSA && selector->key.bits > RSA_LONG_BITS;
        is_alias |= selector->cname != NULL;
    }
    note_finding_if(judgement, is_multiple, FINDING_DKIM_MULTIPLE);
    note_finding_if(judgement, is_bare, FINDING_DKIM_PKCS1);
    note_finding_if(judgement, is_long, FINDING_DKIM_KEY_LONG);
    note_finding_if(judgement, is_shared, FINDING_DKIM_SHARED_KEY);
    note_finding_if(judgement, is_alias, FINDING_DKIM_CNAME);
    note_finding_if(judgement, dkim->is_wildcard, FINDING_DKIM_WILDCARD);
}

static bool all_failed(const struct dkim_facts *dkim)
{
    for (size_t i = 0; i < dkim->count; i++)
        if (!status_is_temporary(dkim->selector[i].status))
            return false;
    return status_is_temporary(dkim->parent);
}

static void judge_no_key(const struct dkim_facts *dkim, struct judgement *judgement)
{
    enum { OTHER = 12, UNKNOWN = 8 };
    bool is_sure = true;
    for (size_t i = 0; i < dkim->count; i++)
        is_sure &= !status_is_temporary(dkim->selector[i].status);
    if (dkim->parent == LOOKUP_NXDOMAIN) {
        limit_points(judgement, FINDING_DKIM_NONE, 0, NULL);
        conclude_scored_check(judgement, CHECK_DKIM,
                              "no DKIM key: _domainkey does not exist (RFC 8020)");
    } else if (dkim->unguessable && !status_is_temporary(dkim->parent) && !dkim->is_wildcard) {
        note_finding(judgement, FINDING_DKIM_RANDOM_SELECTOR, NULL);
        conclude_check(judgement, CHECK_DKIM, STATUS_INFO,
                       "not scored: %s gives each customer other selectors, so the key cannot be "
                       "found without its name",
                       dkim->unguessable->name);
    } else if (status_is_temporary(dkim->parent) || dkim->is_wildcard || !is_sure) {
        limit_points(judgement, FINDING_DKIM_UNKNOWN, UNKNOWN, NULL);
        conclude_scored_check(judgement, CHECK_DKIM, "no key at %zu selectors", dkim->count);
    } else {
        limit_points(judgement, FINDING_DKIM_OTHER_SELECTOR, OTHER, NULL);
        conclude_scored_check(judgement, CHECK_DKIM,
                              "no key at %zu selectors; keys may exist under others", dkim->count);
    }
}

static const char *describe_key(struct judgement *judgement, const struct dkim_selector *best)
{
    const struct dkim_key *key = &best->key;
    if (key->state == DKIM_KEY_INVALID)
        return facts_format(&judgement->arena, "the record %s", key->error);
    if (key->state == DKIM_KEY_REVOKED)
        return "the key is revoked";
    return facts_format(&judgement->arena, "%s of %u bits%s",
                        key->algorithm == DKIM_RSA ? "RSA" : "Ed25519", key->bits,
                        key->is_testing ? ", in test mode" : "");
}

void judge_dkim(const struct facts *facts, struct judgement *judgement)
{
    const struct dkim_facts *dkim = &facts->dkim;
    const struct dkim_selector *best = find_best(dkim);
    enum quality quality = quality_of(best);
    note_selectors(dkim, judgement);
    if (facts_spf_rejects_all(facts))
        return conclude_check(judgement, CHECK_DKIM, STATUS_INFO, "domain sends no mail");
    if (quality == QUALITY_NOTHING && all_failed(dkim))
        return conclude_check(judgement, CHECK_DKIM, STATUS_ERROR,
                              "the selectors could not be looked up");
    if (quality == QUALITY_NOTHING)
        return judge_no_key(dkim, judgement);
    if (quality == QUALITY_REVOKED && has_quality(dkim, QUALITY_UNUSABLE))
        quality = QUALITY_UNUSABLE; /* not only revoked ones */
    if (quality != QUALITY_GOOD)
        limit_points(judgement, outcomes[quality].finding, outcomes[quality].points, NULL);
    conclude_scored_check(judgement, CHECK_DKIM, "selector %s: %s", best->name,
                          describe_key(judgement, best));
}

/* ---- DMARC ---- */

enum { P_NONE_POINTS = 12, QUARANTINE_POINTS = 25, REJECT_POINTS = 30, INVALID_POINTS = 3 };

static int points_of(enum dmarc_policy policy)
{
    static const int points[] = {
        [DMARC_NO_POLICY] = 0,
        [DMARC_P_NONE] = P_NONE_POINTS,
        [DMARC_P_QUARANTINE] = QUARANTINE_POINTS,
        [DMARC_P_REJECT] = REJECT_POINTS,
    };
    return points[policy];
}

static void judge_policy(const struct dmarc_facts *facts, const struct dmarc *dmarc,
                         struct judgement *judgement)
{
    int base = points_of(facts->old.policy);
    note_finding_if(judgement, dmarc->has_no_policy, FINDING_DMARC_NO_P);
    limit_points_if(judgement, dmarc->is_testing, FINDING_DMARC_TEST_MODE, base);
    limit_points_if(judgement, facts->old.policy == DMARC_P_NONE, FINDING_DMARC_P_NONE, base);
    judgement->verdict[CHECK_DMARC].points = MIN(judgement->verdict[CHECK_DMARC].points, base);
    if (dmarc->pct < 100 && base > P_NONE_POINTS)
        limit_points(judgement, FINDING_DMARC_PCT,
                     P_NONE_POINTS + (base - P_NONE_POINTS) * (int)dmarc->pct / 100,
                     "pct=%u: the policy applies to a part of the mail", dmarc->pct);
}

static void judge_subdomains(const struct facts *facts, const struct dmarc *dmarc,
                             struct judgement *judgement)
{
    enum dmarc_policy sp = dmarc_policy_for(dmarc, DMARC_OF_SUBDOMAIN);
    enum dmarc_policy np = dmarc_policy_for(dmarc, DMARC_OF_MISSING_SUBDOMAIN);
    if (sp < dmarc->p && facts->dmarc.old.how == DISCOVERY_EXACT)
        deduct_points(judgement, FINDING_DMARC_SP_WEAKER, 4,
                      "Subdomains have the policy %s; the domain has %s", dmarc_policy_name(sp),
                      dmarc_policy_name(dmarc->p));
    deduct_points_if(judgement, np < sp, FINDING_DMARC_NP_WEAKER, 1);
}

static void judge_tags(const struct dmarc *dmarc, struct judgement *judgement)
{
    static const enum dmarc_tag dropped[] = { DMARC_TAG_PCT, DMARC_TAG_RF, DMARC_TAG_RI };
    bool has_dropped = false;
    for (unsigned i = 0; i < DMARC_TAGS; i++)
        if (dmarc->is_bad[i] && i != DMARC_TAG_P)
            deduct_points(judgement, FINDING_DMARC_BAD_VALUE, 1,
                          "%s has an invalid value; its default applies",
                          dmarc_tag_name((enum dmarc_tag)i));
    if (dmarc->has_malformed_part)
        deduct_points(judgement, FINDING_DMARC_BAD_VALUE, 1,
                      "A part that is not name=value is ignored");
    for (size_t i = 0; i < countof(dropped); i++)
        has_dropped |= dmarc->is_there[dropped[i]];
    note_finding_if(judgement, has_dropped, FINDING_DMARC_DEPRECATED_TAG);
    note_finding_if(judgement, dmarc->has_unknown_tag, FINDING_DMARC_UNKNOWN_TAG);
    note_finding_if(judgement, dmarc->has_p_late, FINDING_DMARC_P_ORDER);
    note_finding_if(judgement, dmarc->is_there[DMARC_TAG_FO] && !dmarc->is_there[DMARC_TAG_RUF],
                    FINDING_DMARC_FO_WITHOUT_RUF);
    if (text_is_any_case(dmarc->value[DMARC_TAG_ADKIM], "s") ||
        text_is_any_case(dmarc->value[DMARC_TAG_ASPF], "s"))
        note_finding(judgement, FINDING_DMARC_STRICT, NULL);
}

static void judge_reports(const struct dmarc_facts *facts, const struct dmarc *dmarc,
                          struct judgement *judgement)
{
    enum { NO_RUA_COST = 4 };
    const struct report_place *unauthorised = NULL;
    const struct report_place *unreachable = NULL;
    bool has_other_scheme = false;
    bool has_size = false;
    size_t bare = 0; /* destinations of rua without mailto: */
    for (size_t i = 0; i < facts->report_count; i++) {
        const struct report_place *report = &facts->report[i];
        if (report->is_external && !report->is_authorised &&
            (report->authorised == LOOKUP_ANSWER || status_is_void(report->authorised)))
            unauthorised = unauthorised ? unauthorised : report;
        if (report->is_unreachable)
            unreachable = unreachable ? unreachable : report;
        has_other_scheme |= !report->address && !report->lacks_mailto;
    }
    for (size_t i = 0; i < dmarc->rua.count; i++) {
        has_size |= dmarc->rua.item[i].has_size;
        bare += dmarc->rua.item[i].lacks_mailto;
    }
    deduct_points_if(judgement, dmarc->rua.count == 0, FINDING_DMARC_NO_RUA, NO_RUA_COST);
    if (bare > 0)
        deduct_points(judgement, FINDING_DMARC_RUA_NO_MAILTO,
                      bare == dmarc->rua.count ? NO_RUA_COST : 0, NULL);
    if (unauthorised)
        deduct_points(judgement, FINDING_DMARC_EXTERNAL_UNAUTHORISED, 2,
                      "%s has not authorized reports", unauthorised->domain);
    if (unreachable)
        deduct_points(judgement, FINDING_DMARC_RUA_UNREACHABLE, 1, "%s accepts no mail",
                      unreachable->domain);
    note_finding_if(judgement, has_other_scheme, FINDING_DMARC_RUA_SCHEME);
    note_finding_if(judgement, dmarc->rua.count > 2, FINDING_DMARC_RUA_MANY);
    note_finding_if(judgement, has_size, FINDING_DMARC_RUA_SIZE);
}

static void note_places(const struct dmarc_facts *facts, struct judgement *judgement)
{
    const struct dmarc_place *place = &facts->walk[0];
    note_finding_if(judgement, facts->is_at_wrong_place, FINDING_DMARC_WRONG_LOCATION);
    note_finding_if(judgement, place->has_leading_space, FINDING_DMARC_LEADING_SPACE);
    note_finding_if(judgement, place->is_quoted, FINDING_DMARC_QUOTED);
    note_finding_if(judgement, place->is_glued, FINDING_DMARC_GLUED);
    note_finding_if(judgement, place->has_spf, FINDING_DMARC_SPF_THERE);
    note_finding_if(judgement, place->has_unrelated, FINDING_DMARC_UNRELATED_TXT);
}

static const char *word_of(enum dmarc_policy policy)
{
    return policy == DMARC_NO_POLICY ? "no policy" : dmarc_policy_name(policy);
}

/* Ignore different records with the same policy if both belong to one owner: receivers do the
 * same. */
static void judge_discovery(const struct dmarc_facts *facts, struct judgement *judgement)
{
    if (facts->old.is_unknown || facts->new.is_unknown)
        return;
    if (facts->old.place != facts->new.place || facts->old.policy != facts->new.policy)
        deduct_points(judgement, FINDING_DMARC_DISCOVERY_DIFFERS, 1,
                      "RFC 7489 leads to %s, RFC 9989 to %s", word_of(facts->old.policy),
                      word_of(facts->new.policy));
}

void judge_dmarc(const struct facts *facts, struct judgement *judgement)
{
    enum { CLOSED_POINTS = 12 };
    const struct dmarc_facts *found = &facts->dmarc;
    const struct dmarc_place *place = found->old.place;
    note_places(found, judgement);
    if (!place && found->old.is_unknown)
        return conclude_check(judgement, CHECK_DMARC, STATUS_ERROR,
                              "the DMARC record could not be looked up");
    if (place && found->old.is_multiple) {
        limit_points(judgement, FINDING_DMARC_MULTIPLE, INVALID_POINTS,
                     "There are %zu DMARC records at _dmarc.%s, so receivers ignore all of them",
                     place->candidates, place->domain);
    } else if (!place && facts_spf_rejects_all(facts)) {
        limit_points(judgement, FINDING_DMARC_CLOSED_NONE, CLOSED_POINTS, NULL);
    } else if (!place) {
        limit_points(judgement, FINDING_DMARC_NONE, 0, NULL);
    } else if (place->dmarc.is_void) {
        limit_points(judgement, FINDING_DMARC_INVALID, INVALID_POINTS, "The DMARC record %s",
                     place->dmarc.error);
    } else {
        judge_policy(found, &place->dmarc, judgement);
        judge_subdomains(facts, &place->dmarc, judgement);
        judge_tags(&place->dmarc, judgement);
        judge_reports(found, &place->dmarc, judgement);
    }
    judge_discovery(found, judgement);
    conclude_scored_check(judgement, CHECK_DMARC, "%s", place ? place->record : "no DMARC record");
}
