/* svc-email/email-deliverability/dmarc-discovery.c - find a domain's DMARC policy by RFC 7489
 * section 6.6.3 and by the tree walk of RFC 9989 section 4.10, and check its report destinations.
 */
#include "collect.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "records/near-record.h"

enum { WALK_LABELS = 8, JUMP_LABELS = 7 /* RFC 9989 section 4.10 */ };

/* ---- records ---- */

static void note_other_text(struct text text, struct dmarc_place *place)
{
    enum near_record near = near_record_of(text, "v=DMARC1", ';');
    place->has_leading_space |= near == NEAR_AFTER_BLANKS;
    place->is_quoted |= near == NEAR_QUOTED;
    place->is_glued |= near == NEAR_GLUED;
    if (near == NEAR_NOTHING && spf_is_record(text))
        place->has_spf = true;
    else if (near == NEAR_NOTHING)
        place->has_unrelated = true;
}

static void query_place(struct lookups *lookups, struct facts *facts, const char *domain,
                        struct dmarc_place *place)
{
    const char *name = facts_format(&facts->arena, "_dmarc.%s", domain);
    const struct lookup *answer = lookup_known(lookups, name, DNS_TXT);
    *place = (struct dmarc_place){ .domain = domain, .status = answer->status };
    for (size_t i = 0; i < answer->count; i++) {
        struct text text = facts_text(facts, answer, i);
        if (!dmarc_is_record(text)) {
            note_other_text(text, place);
            continue;
        }
        place->candidates++;
        place->record = facts_shown(&facts->arena, text);
        dmarc_read(text, &place->dmarc);
    }
}

static bool is_unknown(const struct dmarc_place *place)
{
    return status_is_temporary(place->status);
}

static bool has_one(const struct dmarc_place *place)
{
    return place && place->candidates == 1;
}

/* ---- the policy ---- */

static void set_policy(const struct facts *facts, const struct dmarc_place *place, int how,
                       struct dmarc_found *found)
{
    const struct dmarc *dmarc = &place->dmarc;
    enum dmarc_subject subject = how == DISCOVERY_EXACT ? DMARC_OF_ITSELF
                                 : facts->exists        ? DMARC_OF_SUBDOMAIN
                                                        : DMARC_OF_MISSING_SUBDOMAIN;
    found->place = place;
    found->how = how;
    if (!dmarc->is_void)
        found->policy = dmarc_lowered(dmarc, dmarc_policy_for(dmarc, subject));
}

/* Returns true if the search ends here. */
static bool try_place(const struct facts *facts, const struct dmarc_place *place, int how,
                      struct dmarc_found *found)
{
    found->is_unknown |= is_unknown(place);
    if (place->candidates > 1) {
        found->is_multiple = true;
        found->place = place;
        return true;
    }
    if (place->candidates == 1)
        set_policy(facts, place, how, found);
    return place->candidates == 1;
}

static const struct dmarc_place *place_of(const struct dmarc_facts *dmarc, const char *domain)
{
    for (size_t i = 0; i < dmarc->walk_count; i++)
        if (strcmp(dmarc->walk[i].domain, domain) == 0)
            return &dmarc->walk[i];
    return &dmarc->org;
}

static void find_old_way(const struct facts *facts, struct dmarc_facts *dmarc)
{
    if (try_place(facts, &dmarc->walk[0], DISCOVERY_EXACT, &dmarc->old))
        return;
    if (strcmp(facts->org_domain, facts->domain) != 0)
        try_place(facts, place_of(dmarc, facts->org_domain), DISCOVERY_ORG, &dmarc->old);
}

/* The last place of the walk that counts: nothing is queried after psd=n or psd=y. */
static size_t end_of_walk(const struct dmarc_facts *dmarc)
{
    for (size_t i = 0; i < dmarc->walk_count; i++) {
        const struct dmarc_place *place = &dmarc->walk[i];
        if (has_one(place) && (place->dmarc.psd == 'n' || (place->dmarc.psd == 'y' && i > 0)))
            return i + 1;
    }
    return dmarc->walk_count;
}

/* The organizational domain: the name with psd=n, the one below psd=y, or the shortest with a
 * record. Also the place of psd=y. */
static const struct dmarc_place *find_organization(const struct dmarc_facts *dmarc, size_t end,
                                                   const struct dmarc_place **suffix)
{
    const struct dmarc_place *shortest = NULL;
    *suffix = NULL;
    for (size_t i = 0; i < end; i++) {
        const struct dmarc_place *place = &dmarc->walk[i];
        if (!has_one(place))
            continue;
        if (place->dmarc.psd == 'n')
            return place;
        if (place->dmarc.psd == 'y' && i > 0) {
            *suffix = place;
            return &dmarc->walk[i - 1];
        }
        shortest = place;
    }
    return shortest;
}

static void find_new_way(const struct facts *facts, struct dmarc_facts *dmarc)
{
    const struct dmarc_place *suffix;
    size_t end = end_of_walk(dmarc);
    const struct dmarc_place *organization = find_organization(dmarc, end, &suffix);
    if (try_place(facts, &dmarc->walk[0], DISCOVERY_EXACT, &dmarc->new))
        return;
    for (size_t i = 0; i < end; i++)
        dmarc->new.is_unknown |= is_unknown(&dmarc->walk[i]);
    if (has_one(organization))
        try_place(facts, organization, DISCOVERY_ORG, &dmarc->new);
    else if (suffix)
        try_place(facts, suffix, DISCOVERY_PSD, &dmarc->new);
}

/* ---- the walk ---- */

static size_t count_labels(const char *name)
{
    size_t count = 1;
    for (; *name; name++)
        count += *name == '.';
    return count;
}

static const char *parent_of(const char *name, size_t kept)
{
    for (size_t left = count_labels(name) - kept; left > 0; left--)
        name = strchr(name, '.') + 1;
    return name;
}

static void walk_up(struct lookups *lookups, struct facts *facts)
{
    struct dmarc_facts *dmarc = &facts->dmarc;
    const char *name = facts->domain;
    size_t labels = count_labels(name);
    query_place(lookups, facts, name, &dmarc->walk[dmarc->walk_count++]);
    labels = labels > WALK_LABELS ? JUMP_LABELS : labels - 1;
    for (; labels > 0 && dmarc->walk_count < DMARC_WALK_MAX; labels--)
        query_place(lookups, facts, parent_of(name, labels), &dmarc->walk[dmarc->walk_count++]);
    dmarc->org.domain = facts->org_domain;
    if (place_of(dmarc, facts->org_domain) == &dmarc->org)
        query_place(lookups, facts, facts->org_domain, &dmarc->org);
}

/* ---- report destinations ---- */

static void check_authorisation(struct lookups *lookups, struct facts *facts, const char *policy,
                                struct report_place *report)
{
    const char *name = facts_format(&facts->arena, "%s._report._dmarc.%s", policy, report->domain);
    const struct lookup *answer = lookup_known(lookups, name, DNS_TXT);
    report->authorised = answer->status;
    for (size_t i = 0; i < answer->count; i++)
        report->is_authorised |= dmarc_is_record(facts_text(facts, answer, i));
}

static void check_reach(struct lookups *lookups, struct report_place *report)
{
    const struct lookup *mx = lookup_known(lookups, report->domain, DNS_MX);
    if (!lookup_is_void(mx))
        return;
    const struct lookup *a = lookup_known(lookups, report->domain, DNS_A);
    const struct lookup *aaaa = lookup_known(lookups, report->domain, DNS_AAAA);
    report->is_unreachable = lookup_is_void(a) && lookup_is_void(aaaa);
}

static bool is_new_domain(const struct dmarc_facts *dmarc, const char *domain)
{
    for (size_t i = 0; i < dmarc->report_count; i++)
        if (dmarc->report[i].domain && strcasecmp(dmarc->report[i].domain, domain) == 0)
            return false;
    return true;
}

static void add_reports(const struct subject *subject, struct lookups *lookups, struct facts *facts,
                        const struct dmarc_uris *uris, const char *policy, size_t *tested)
{
    struct dmarc_facts *dmarc = &facts->dmarc;
    for (size_t i = 0; i < uris->count; i++) {
        const struct dmarc_uri *uri = &uris->item[i];
        struct report_place report = { .uri = facts_shown(&facts->arena, uri->uri),
                                       .lacks_mailto = uri->lacks_mailto,
                                       .authorised = LOOKUP_OPEN };
        if (uri->address.size > 0) {
            report.address = facts_shown(&facts->arena, uri->address);
            report.domain = arena_lower(&facts->arena, uri->domain);
            report.is_external =
                !public_suffix_same_owner(subject->suffixes, report.domain, policy);
            *tested += is_new_domain(dmarc, report.domain);
        }
        if (report.domain && *tested <= REPORTS_MAX) {
            if (report.is_external)
                check_authorisation(lookups, facts, policy, &report);
            check_reach(lookups, &report);
        }
        dmarc->report[dmarc->report_count++] = report;
    }
}

/* ---- all DMARC facts ---- */

static bool is_at_wrong_place(struct lookups *lookups, struct facts *facts)
{
    const struct lookup *answer = lookup_known(lookups, facts->domain, DNS_TXT);
    for (size_t i = 0; i < answer->count; i++)
        if (dmarc_is_record(facts_text(facts, answer, i)))
            return true;
    return false;
}

void collect_dmarc(const struct subject *subject, struct lookups *lookups, struct facts *facts)
{
    struct dmarc_facts *dmarc = &facts->dmarc;
    size_t tested = 0;
    walk_up(lookups, facts);
    find_old_way(facts, dmarc);
    find_new_way(facts, dmarc);
    dmarc->is_at_wrong_place = is_at_wrong_place(lookups, facts);
    if (!dmarc->old.place || dmarc->old.is_multiple)
        return;
    const struct dmarc *record = &dmarc->old.place->dmarc;
    add_reports(subject, lookups, facts, &record->rua, dmarc->old.place->domain, &tested);
    dmarc->rua_count = dmarc->report_count;
    add_reports(subject, lookups, facts, &record->ruf, dmarc->old.place->domain, &tested);
}
