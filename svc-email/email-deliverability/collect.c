/* svc-email/email-deliverability/collect.c - from DNS answers to facts: MX, DKIM, and the records
 * that are only reported. */
#include "collect.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/codec/cidr.h"
#include "base/num.h"
#include "records/tags.h"

enum { TYPE_SPF = 99 /* RFC 7208 section 3.1: retired */ };

/* ---- MX ---- */

static int by_preference(const void *a, const void *b)
{
    const struct mx_host *left = a;
    const struct mx_host *right = b;
    if (left->preference != right->preference)
        return left->preference < right->preference ? -1 : 1;
    return strcasecmp(left->host, right->host);
}

static bool are_private(const struct addresses *addresses)
{
    for (size_t i = 0; i < addresses->count; i++)
        if (facts_is_public(&addresses->item[i]))
            return false;
    return addresses->count > 0;
}

static bool looks_like_ip(const char *host)
{
    struct in6_addr address;
    const char *dot = strrchr(host, '.');
    return address_parse(text_of(host), &address) || text_is_digits(text_of(dot ? dot + 1 : host));
}

static void resolve_host(struct lookups *lookups, struct mx_host *host)
{
    const struct lookup *a = lookup_known(lookups, host->host, DNS_A);
    const struct lookup *aaaa = lookup_known(lookups, host->host, DNS_AAAA);
    lookup_addresses(a, &host->addresses);
    lookup_addresses(aaaa, &host->addresses);
    host->is_resolved = a->status == LOOKUP_ANSWER || aaaa->status == LOOKUP_ANSWER ||
                        (lookup_is_void(a) && lookup_is_void(aaaa));
    host->has_ipv6 = aaaa->count > 0;
    host->is_private = are_private(&host->addresses);
    if (a->owner != a->name && strcasecmp(a->owner, a->name) != 0)
        host->alias_of = a->owner;
}

static void query_tlsa(struct facts *facts, struct lookups *lookups, struct mx_host *host)
{
    const char *name = facts_format(&facts->arena, "_25._tcp.%s", host->host);
    const struct lookup *tlsa = lookup_known(lookups, name, DNS_TLSA);
    host->tlsa = tlsa->status;
    host->tlsa_count = tlsa->count;
    host->is_tlsa_secure = tlsa->is_authenticated;
}

static void add_host(const struct subject *subject, const struct dns_record *record,
                     struct mx_facts *mx)
{
    if (strcmp(record->target, ".") == 0) {
        mx->has_null = true;
        mx->has_null_preference |= record->priority != 0;
        return;
    }
    for (size_t i = 0; i < mx->host_count; i++)
        mx->has_duplicates |= strcasecmp(mx->host[i].host, record->target) == 0;
    if (mx->host_count == MX_SHOWN_MAX)
        return;
    mx->host[mx->host_count++] = (struct mx_host){
        .preference = record->priority,
        .host = record->target,
        .provider = mail_providers_find(subject->providers, MAIL_MX, record->target),
        .looks_like_ip = looks_like_ip(record->target),
        .is_local = !strchr(record->target, '.'),
        .tlsa = LOOKUP_OPEN,
    };
}

static void collect_mx(const struct subject *subject, struct lookups *lookups, struct facts *facts)
{
    struct mx_facts *mx = &facts->mx;
    const struct lookup *answer = lookup_known(lookups, subject->domain, DNS_MX);
    mx->status = answer->status;
    mx->count = answer->count;
    for (size_t i = 0; i < answer->count; i++)
        add_host(subject, lookup_record(answer, i), mx);
    qsort(mx->host, mx->host_count, sizeof(mx->host[0]), by_preference);
    for (size_t i = 0; i < MIN(mx->host_count, MX_RESOLVED_MAX); i++)
        if (!mx->host[i].looks_like_ip && !mx->host[i].is_local)
            resolve_host(lookups, &mx->host[i]);
    for (size_t i = 0; i < MIN(mx->host_count, DANE_HOSTS_MAX); i++)
        if (!mx->host[i].looks_like_ip && !mx->host[i].is_local)
            query_tlsa(facts, lookups, &mx->host[i]);
    if (!lookup_is_void(answer))
        return;
    const struct lookup *a = lookup_known(lookups, subject->domain, DNS_A);
    const struct lookup *aaaa = lookup_known(lookups, subject->domain, DNS_AAAA);
    mx->has_address = a->count + aaaa->count > 0;
    mx->is_unanswered = !mx->has_address && (lookup_is_temporary(a) || lookup_is_temporary(aaaa));
}

/* ---- DKIM ---- */

static const char *const common_selectors[DKIM_COMMON] = {
    "default", "google", "selector1", "selector2", "k1", "s1", "s2", "mail", "dkim",
};

static void read_selector(const struct subject *subject, const struct lookup *answer,
                          const struct lookup *any, struct facts *facts,
                          struct dkim_selector *selector)
{
    selector->status = answer->status;
    selector->text_count = answer->count;
    if (strcasecmp(answer->owner, answer->name) != 0) {
        selector->cname = answer->owner;
        selector->vendor = mail_provider_of(subject->providers, MAIL_DKIM, answer->owner);
    }
    if (answer->count == 0)
        return;
    struct text text = facts_text(facts, answer, 0);
    dkim_key_read(text, &selector->key);
    if (answer->count > 1) {
        selector->key.state = DKIM_KEY_INVALID;
        selector->key.error = "is one of several records";
    }
    selector->is_wildcard = any->count > 0 && selector->key.state == DKIM_KEY_INVALID &&
                            text_equals(text, facts_text(facts, any, 0));
}

static void add_selector(const struct subject *subject, struct lookups *lookups, const char *name,
                         struct facts *facts)
{
    struct dkim_facts *dkim = &facts->dkim;
    for (size_t i = 0; i < dkim->count; i++)
        if (strcmp(dkim->selector[i].name, name) == 0)
            return;
    const struct lookup *any = lookup_known(
        lookups,
        facts_format(&facts->arena, "%s._domainkey.%s", subject->wildcard, subject->domain),
        DNS_TXT);
    const struct lookup *answer = lookup_known(
        lookups, facts_format(&facts->arena, "%s._domainkey.%s", name, subject->domain), DNS_TXT);
    struct dkim_selector *selector = &dkim->selector[dkim->count++];
    *selector = (struct dkim_selector){ .name = name };
    dkim->is_wildcard = any->count > 0;
    read_selector(subject, answer, any, facts, selector);
}

/* Query the selectors of a provider's customers, nine at most. */
static void add_provider(const struct subject *subject, struct lookups *lookups,
                         const struct mail_provider *provider, struct facts *facts)
{
    if (!provider)
        return;
    if (provider->has_random_selectors && !facts->dkim.unguessable)
        facts->dkim.unguessable = provider;
    for (size_t i = 0; i < provider->selectors && facts->dkim.count < DKIM_COMMON; i++)
        add_selector(subject, lookups, provider->selector[i], facts);
}

/* The providers of the MX records, then those of the SPF record's own terms, then the common
 * selectors. Nothing before both records are known, so that no query is in vain. */
static void collect_dkim(const struct subject *subject, struct lookups *lookups,
                         struct facts *facts)
{
    const char *parent = facts_format(&facts->arena, "_domainkey.%s", subject->domain);
    facts->dkim.parent = lookup_known(lookups, parent, DNS_TXT)->status;
    if (facts->mx.status == LOOKUP_OPEN || facts->spf.status == LOOKUP_OPEN)
        return;
    for (size_t i = 0; i < facts->mx.host_count; i++)
        add_provider(subject, lookups, facts->mx.host[i].provider, facts);
    for (const struct spf_node *term = facts->spf.tree ? facts->spf.tree->child : NULL; term;
         term = term->next)
        add_provider(subject, lookups, term->vendor, facts);
    for (size_t i = 0; i < DKIM_COMMON && facts->dkim.count < DKIM_COMMON; i++)
        add_selector(subject, lookups, common_selectors[i], facts);
    for (size_t i = 0; i < subject->own_selectors; i++)
        add_selector(subject, lookups, subject->own_selector[i], facts);
}

/* ---- transport and brand records ---- */

static void collect_text(struct lookups *lookups, const char *name, const char *version,
                         struct facts *facts, struct text_record *record)
{
    const struct lookup *answer = lookup_known(lookups, name, DNS_TXT);
    *record = (struct text_record){ .status = answer->status };
    for (size_t i = 0; i < answer->count; i++) {
        struct text text = facts_text(facts, answer, i);
        if (!tags_begin(text, version))
            continue;
        record->candidates++;
        record->record = facts_shown(&facts->arena, text);
    }
}

static void collect_bimi(const struct subject *subject, struct lookups *lookups,
                         struct facts *facts)
{
    const char *domains[] = { subject->domain, subject->org_domain };
    for (size_t i = 0; i < countof(domains) && facts->bimi.candidates == 0; i++) {
        facts->bimi_domain = domains[i];
        collect_text(lookups, facts_format(&facts->arena, "default._bimi.%s", domains[i]), "BIMI1",
                     facts, &facts->bimi);
        if (facts->bimi.status == LOOKUP_OPEN)
            return;
    }
}

static void collect_others(const struct subject *subject, struct lookups *lookups,
                           struct facts *facts)
{
    struct arena *arena = &facts->arena;
    collect_text(lookups, facts_format(arena, "_mta-sts.%s", subject->domain), "STSv1", facts,
                 &facts->mta_sts);
    collect_text(lookups, facts_format(arena, "_smtp._tls.%s", subject->domain), "TLSRPTv1", facts,
                 &facts->tls_rpt);
    collect_bimi(subject, lookups, facts);
    facts->spf.has_type99 = lookup_known(lookups, subject->domain, TYPE_SPF)->count > 0;
}

/* ---- all facts ---- */

static void collect_existence(const struct subject *subject, struct lookups *lookups,
                              struct facts *facts)
{
    const struct lookup *soa = lookup_known(lookups, subject->domain, DNS_SOA);
    const struct lookup *mx = lookup_known(lookups, subject->domain, DNS_MX);
    facts->soa = soa->status;
    facts->is_signed = !lookup_is_temporary(soa) && soa->is_authenticated;
    facts->exists = soa->status != LOOKUP_NXDOMAIN && mx->status != LOOKUP_NXDOMAIN;
    facts->is_answered = !lookup_is_temporary(soa) || !lookup_is_temporary(mx);
    if (facts->is_answered)
        return;
    const struct lookup *a = lookup_known(lookups, subject->domain, DNS_A);
    facts->is_answered = !lookup_is_temporary(a);
    facts->exists = a->status != LOOKUP_NXDOMAIN;
}

void facts_collect(const struct subject *subject, struct lookups *lookups, struct facts *facts)
{
    facts->domain = subject->domain;
    facts->org_domain = subject->org_domain;
    collect_existence(subject, lookups, facts);
    collect_mx(subject, lookups, facts);
    collect_dmarc(subject, lookups, facts);
    collect_others(subject, lookups, facts);
    collect_spf(subject, lookups, facts); /* late, because it may send the most queries */
    collect_dkim(subject, lookups, facts);
    facts->is_partial = lookups_are_partial(lookups);
}
