/* svc-email/email-deliverability/judge-core.c - MX and SPF: their rules and points. */
#include <inttypes.h>

#include "judge.h"

/* ---- MX ---- */

/* Whether mail to this host is certain to fail. */
static bool is_unresolvable(const struct mx_host *host)
{
    return host->looks_like_ip || host->is_local ||
           (host->is_resolved && host->addresses.count == 0);
}

static bool is_known(const struct mx_host *host)
{
    return host->is_resolved || host->looks_like_ip || host->is_local;
}

/* The first host with a problem; NULL: none. */
#define FIRST_HOST(mx, condition)                                     \
    __extension__({                                                   \
        const struct mx_host *first_ = NULL;                          \
        for (size_t i_ = 0; i_ < (mx)->host_count && !first_; i_++) { \
            const struct mx_host *host = &(mx)->host[i_];             \
            if (condition)                                            \
                first_ = host;                                        \
        }                                                             \
        first_;                                                       \
    })

static void judge_reach(const struct mx_facts *mx, struct judgement *judgement)
{
    const struct mx_host *dead = FIRST_HOST(mx, is_unresolvable(host));
    bool is_any_alive = FIRST_HOST(mx, !is_unresolvable(host)) != NULL;
    if (dead && !is_any_alive)
        limit_points(judgement, FINDING_MX_UNRESOLVABLE_ALL, 0, NULL);
    else if (dead && !dead->looks_like_ip && !dead->is_local)
        deduct_points(judgement, FINDING_MX_UNRESOLVABLE_SOME, 5,
                      "The mail server %s has no address", dead->host);
}

static void judge_hosts(const struct mx_facts *mx, struct judgement *judgement)
{
    const struct mx_host *alias = FIRST_HOST(mx, host->alias_of != NULL);
    const struct mx_host *literal = FIRST_HOST(mx, host->looks_like_ip);
    const struct mx_host *local = FIRST_HOST(mx, host->is_local && !host->looks_like_ip);
    const struct mx_host *private = FIRST_HOST(mx, host->is_private);
    judge_reach(mx, judgement);
    if (alias)
        deduct_points(judgement, FINDING_MX_CNAME, 3,
                      "The mail server %s is an alias of %s, which RFC 2181 section 10.3 forbids",
                      alias->host, alias->alias_of);
    deduct_points_if(judgement, literal, FINDING_MX_IP_LITERAL, 10);
    deduct_points_if(judgement, local, FINDING_MX_SELF_LOCALHOST, 10);
    if (private)
        deduct_points(judgement, FINDING_MX_PRIVATE_ADDRESS, 8,
                      "The mail server %s has no public address", private->host);
    deduct_points_if(judgement, mx->has_duplicates, FINDING_MX_DUPLICATE, 1);
    if (mx->count > MX_RESOLVED_MAX)
        deduct_points(judgement, FINDING_MX_TOO_MANY, 1, "There are %zu MX records", mx->count);
    note_finding_if(judgement, mx->host_count == 1, FINDING_MX_SINGLE);
    if (!FIRST_HOST(mx, host->has_ipv6 || !is_known(host)))
        note_finding(judgement, FINDING_MX_NO_IPV6, NULL);
}

static void judge_null(const struct facts *facts, struct judgement *judgement)
{
    bool sends_none = facts_spf_rejects_all(facts);
    if (sends_none)
        note_finding(judgement, FINDING_MX_NULL, NULL);
    else
        limit_points(judgement, FINDING_MX_NULL, 10, NULL);
    note_finding_if(judgement, facts->mx.has_null_preference, FINDING_MX_NULL_PREFERENCE);
    conclude_scored_check(judgement, CHECK_MX,
                          sends_none ? "null MX: the domain is correctly closed to mail"
                                     : "null MX: the domain accepts no mail");
}

static void judge_no_mx(const struct facts *facts, struct judgement *judgement)
{
    if (facts->mx.is_unanswered)
        return conclude_check(judgement, CHECK_MX, STATUS_ERROR,
                              "the domain's addresses could not be looked up");
    if (facts->mx.has_address && facts_spf_rejects_all(facts)) {
        limit_points(judgement, FINDING_MX_CLOSED_IMPLICIT, 14, NULL);
        return conclude_scored_check(judgement, CHECK_MX, "no MX record; the domain sends no mail");
    }
    if (facts->mx.has_address) {
        limit_points(judgement, FINDING_MX_IMPLICIT, 8, NULL);
        return conclude_scored_check(judgement, CHECK_MX,
                                     "no MX record; mail goes to the domain's own address");
    }
    if (facts_spf_rejects_all(facts))
        return conclude_scored_check(
            judgement, CHECK_MX, "no MX and no address: the domain is correctly closed to mail");
    limit_points(judgement, FINDING_MX_NONE_NO_ADDRESS, 0, NULL);
    conclude_scored_check(judgement, CHECK_MX, "neither MX nor address records");
}

void judge_mx(const struct facts *facts, struct judgement *judgement)
{
    const struct mx_facts *mx = &facts->mx;
    if (status_is_void(mx->status))
        return judge_no_mx(facts, judgement);
    if (mx->status != LOOKUP_ANSWER)
        return conclude_check(judgement, CHECK_MX, STATUS_ERROR,
                              "the MX records could not be looked up: %s",
                              lookup_status_names[mx->status]);
    if (mx->has_null && mx->host_count == 0)
        return judge_null(facts, judgement);
    limit_points_if(judgement, mx->has_null, FINDING_MX_NULL_WITH_OTHERS, 6);
    judge_hosts(mx, judgement);
    conclude_scored_check(judgement, CHECK_MX, "%zu MX record%s, first %u %s%s%s", mx->count,
                          mx->count == 1 ? "" : "s", mx->host[0].preference, mx->host[0].host,
                          mx->host[0].provider ? " of " : "",
                          mx->host[0].provider ? mx->host[0].provider->name : "");
}

/* ---- SPF ---- */

enum { LOOKUPS_MAX = 10, LOOKUPS_NEAR = 9, VOIDS_MAX = 2, BROKEN_POINTS = 4 };

/* Points of the final all term. */
static void judge_all(const struct facts *facts, struct judgement *judgement)
{
    enum { PASS = 2, NEUTRAL = 15, NO_ALL = 14, SOFT = 27 };
    const struct spf_facts *spf = &facts->spf;
    bool is_enforced = facts_effective_policy(facts) >= DMARC_P_QUARANTINE;
    if (spf->all == '+')
        limit_points(judgement, FINDING_SPF_PASS_ALL, PASS, NULL);
    else if (spf->all == '?')
        limit_points(judgement, FINDING_SPF_NEUTRAL_ALL, NEUTRAL, NULL);
    else if (spf->all == '~' && is_enforced)
        note_finding(judgement, FINDING_SPF_SOFTFAIL,
                     "The record ends in ~all, which is fine with an enforced DMARC policy");
    else if (spf->all == '~')
        limit_points(judgement, FINDING_SPF_SOFTFAIL, SOFT, NULL);
    else if (spf->all == '\0')
        limit_points(judgement, FINDING_SPF_NO_ALL, NO_ALL, NULL);
}

static void judge_broken(const struct spf_facts *spf, struct judgement *judgement)
{
    if (spf->candidates > 1)
        limit_points(
            judgement, FINDING_SPF_MULTIPLE, 0,
            "There are %zu SPF records, so receivers ignore all of them (RFC 7208 section 4.5)",
            spf->candidates);
    if (spf->error)
        limit_points(judgement, FINDING_SPF_SYNTAX, BROKEN_POINTS,
                     "The term \"%s\" at octet %zu %s", spf->error_term, spf->error_position,
                     spf->error);
    if (spf->loop)
        limit_points(judgement, FINDING_SPF_LOOP, BROKEN_POINTS,
                     "%s leads back to itself, or is nested too deeply", spf->loop);
    if (spf->include_none)
        limit_points(judgement, FINDING_SPF_INCLUDE_NONE, BROKEN_POINTS,
                     "The included name %s has no SPF record", spf->include_none);
    if (spf->include_invalid)
        limit_points(judgement, FINDING_SPF_INCLUDE_INVALID, BROKEN_POINTS,
                     "The SPF record of the included name %s is invalid", spf->include_invalid);
    if (spf->redirect_none)
        limit_points(judgement, FINDING_SPF_REDIRECT_NONE, BROKEN_POINTS,
                     "The redirect to %s does not lead to a valid SPF record", spf->redirect_none);
    if (spf->mx_hosts)
        limit_points(judgement, FINDING_SPF_MX_HOSTS, BROKEN_POINTS,
                     "mx names %s, which has more than 10 mail servers (RFC 7208 section 4.6.4)",
                     spf->mx_hosts);
}

/* Points that the widest network costs: fewer than `bits` bits cost `points` points. */
static const struct width {
    unsigned below;
    int cost;
} widths[] = { { 8, 10 }, { 16, 5 }, { 20, 2 }, { UINT32_MAX, 0 } };

static void judge_networks(const struct spf_facts *spf, struct judgement *judgement)
{
    enum { WIDE_IP6 = 32 };
    const struct width *width = widths;
    while (spf->widest4 >= width->below)
        width++;
    if (width->cost > 0)
        deduct_points(judgement, FINDING_SPF_WIDE_IP4, width->cost,
                      "The record authorizes an IPv4 network of /%u", spf->widest4);
    if (spf->widest6 < WIDE_IP6)
        deduct_points(judgement, FINDING_SPF_WIDE_IP6, 5,
                      "The record authorizes an IPv6 network of /%u", spf->widest6);
    deduct_points_if(judgement, spf->has_private, FINDING_SPF_PRIVATE_IP, 1);
}

static void judge_style(const struct spf_facts *spf, struct judgement *judgement)
{
    enum { LONG = 450, TOO_LONG = 512 };
    if (spf->length > LONG)
        deduct_points(judgement, FINDING_SPF_LONG, spf->length > TOO_LONG ? 2 : 1,
                      "The record has %zu octets", spf->length);
    deduct_points_if(judgement, spf->has_ptr, FINDING_SPF_PTR, 4);
    deduct_points_if(judgement, spf->has_terms_after_all, FINDING_SPF_AFTER_ALL, 1);
    deduct_points_if(judgement, spf->ignores_redirect, FINDING_SPF_REDIRECT_IGNORED, 1);
    deduct_points_if(judgement, spf->has_duplicate_terms, FINDING_SPF_DUPLICATE_TERM, 1);
    deduct_points_if(judgement, spf->has_duplicate_includes, FINDING_SPF_DUPLICATE_INCLUDE, 1);
    deduct_points_if(judgement, spf->has_no_explanation, FINDING_SPF_EXP_MISSING, 1);
    note_finding_if(judgement, spf->has_unused, FINDING_SPF_A_MX_UNUSED);
    note_finding_if(judgement, spf->has_unknown_modifier, FINDING_SPF_UNKNOWN_MODIFIER);
    note_finding_if(judgement, spf->has_macro, FINDING_SPF_MACRO);
    note_finding_if(judgement, spf->is_upper_case, FINDING_SPF_UPPERCASE);
}

static void judge_cost(const struct spf_facts *spf, struct judgement *judgement)
{
    enum { EXCEEDED = 6, VOIDS_EXCEEDED = 9 };
    if (spf->lookups >= LOOKUPS_NEAR && spf->lookups <= LOOKUPS_MAX)
        deduct_points(judgement, FINDING_SPF_LOOKUPS_NEAR, 2,
                      "The record needs %u of 10 DNS lookups", spf->lookups);
    if (spf->voids > 0 && spf->voids <= VOIDS_MAX)
        deduct_points(judgement, FINDING_SPF_VOID, (int)spf->voids,
                      "%u of the looked-up names do%s not exist", spf->voids,
                      spf->voids == 1 ? "es" : "");
    if (spf->voids > VOIDS_MAX)
        limit_points(judgement, FINDING_SPF_VOIDS_EXCEEDED, VOIDS_EXCEEDED,
                     "%u of the looked-up names do not exist; RFC 7208 section 4.6.4 allows 2",
                     spf->voids);
    if (spf->lookups > LOOKUPS_MAX)
        limit_points(judgement, FINDING_SPF_LOOKUPS_EXCEEDED, EXCEEDED,
                     "The record needs %u DNS lookups; RFC 7208 section 4.6.4 allows 10",
                     spf->lookups);
}

static const struct mail_provider *find_vendor(const struct spf_node *node)
{
    const struct mail_provider *vendor = node ? node->vendor : NULL;
    for (const struct spf_node *child = node ? node->child : NULL; child && !vendor;
         child = child->next)
        vendor = find_vendor(child);
    return vendor;
}

static void note_surroundings(const struct spf_facts *spf, struct judgement *judgement)
{
    note_finding_if(judgement, spf->has_type99, FINDING_SPF_TYPE99);
    note_finding_if(judgement, spf->has_sender_id, FINDING_SPF_SENDER_ID);
    note_finding_if(judgement, spf->has_leading_space, FINDING_SPF_LEADING_SPACE);
    note_finding_if(judgement, spf->is_quoted, FINDING_SPF_QUOTED);
    note_finding_if(judgement, spf->is_glued, FINDING_SPF_GLUED);
    note_finding_if(judgement, find_vendor(spf->tree), FINDING_SPF_KNOWN_VENDOR);
}

static void judge_no_spf(const struct facts *facts, struct judgement *judgement)
{
    limit_points_as(judgement, FINDING_SPF_NONE,
                    facts->mx.host_count > 0 ? SEVERITY_CRITICAL : SEVERITY_HIGH, 0);
    conclude_scored_check(judgement, CHECK_SPF, "no SPF record");
}

void judge_spf(const struct facts *facts, struct judgement *judgement)
{
    const struct spf_facts *spf = &facts->spf;
    note_surroundings(spf, judgement);
    switch (spf->result) {
    case SPF_RESULT_TEMPERROR:
        return conclude_check(judgement, CHECK_SPF, STATUS_ERROR, "%s could not be looked up",
                              spf->record ? "a part of the SPF record" : "the SPF record");
    case SPF_RESULT_NONE:
        return judge_no_spf(facts, judgement);
    case SPF_RESULT_PERMERROR:
        judge_broken(spf, judgement);
        break;
    case SPF_RESULT_VALID:
        judge_all(facts, judgement);
        break;
    }
    if (spf->candidates == 1 && !spf->error) {
        judge_networks(spf, judgement);
        judge_style(spf, judgement);
        judge_cost(spf, judgement);
    }
    conclude_scored_check(judgement, CHECK_SPF, "%s", spf->record);
}
