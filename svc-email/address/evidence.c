/* svc-email/address/evidence.c - two rounds of DNS queries: the domain, then the addresses of its
 * mail servers. */
#include "address/evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/cidr.h"
#include "base/mem.h"
#include "base/num.h"
#include "net/egress.h"
#include "records/spf.h"

enum {
    QUESTIONS_MAX = 14,
    QUESTION_MS = 1800,
    TRIES = 2,
    RECORD_BYTES = 4096,
    DMARC_NAME_BYTES = DNS_NAME_BYTES + 8,
};

void evidence_free(struct evidence *evidence)
{
    mem_free(&evidence->hosts);
    *evidence = (struct evidence){ 0 };
}

struct evidence evidence_copy(const struct evidence *evidence)
{
    struct evidence copy = *evidence;
    copy.hosts = str_dup(evidence->hosts);
    return copy;
}

void evidence_host(const struct evidence *evidence, size_t which, char *host)
{
    struct text rest = text_of(evidence->hosts);
    struct text name = { 0 };
    for (size_t i = 0; i <= which; i++)
        name = text_cut(&rest, ' ');
    snprintf(host, DNS_NAME_BYTES, "%.*s", (int)name.size, name.bytes);
}

bool evidence_is_lasting(const struct evidence *evidence)
{
    return evidence->is_known && evidence->is_policy_known;
}

/* ---- policies ---- */

/* Read the policy if there is exactly one record; several are ignored (RFC 7489 section 6.6.3).
 * Returns the number of records. */
static size_t read_dmarc(const struct lookup *lookup, enum dmarc_subject subject,
                         enum dmarc_policy *policy)
{
    size_t records = 0;
    for (size_t i = 0; i < lookup->count; i++) {
        scoped(buf_free) struct buf record = BUF(RECORD_BYTES);
        struct dmarc dmarc;
        lookup_text(lookup, i, &record);
        if (!dmarc_is_record(buf_text(&record)))
            continue;
        dmarc_read(buf_text(&record), &dmarc);
        *policy = dmarc.is_void || records > 0
                      ? DMARC_NO_POLICY
                      : dmarc_lowered(&dmarc, dmarc_policy_for(&dmarc, subject));
        records++;
    }
    return records;
}

static void read_spf(const struct lookup *lookup, struct evidence *evidence)
{
    for (size_t i = 0; i < lookup->count; i++) {
        scoped(buf_free) struct buf record = BUF(RECORD_BYTES);
        lookup_text(lookup, i, &record);
        struct text text = buf_text(&record);
        if (!spf_is_record(text))
            continue;
        evidence->has_spf = true;
        evidence->spf_rejects_all =
            text_is_any_case(text_trim(text_skip(text, strlen("v=spf1"))), "-all");
    }
}

/* ---- mail servers ---- */

static int compare_preferences(const void *a, const void *b)
{
    const struct dns_record *first = *(const struct dns_record *const *)a;
    const struct dns_record *second = *(const struct dns_record *const *)b;
    if (first->priority != second->priority)
        return first->priority < second->priority ? -1 : 1;
    return strcasecmp(first->target, second->target); /* DNS answers have no fixed order */
}

static void read_mx(const struct lookup *lookup, struct evidence *evidence)
{
    scoped(mem_free) const struct dns_record **records =
        mem_array(lookup->count + 1, sizeof(*records));
    scoped(buf_free) struct buf hosts = BUF(MX_SHOWN_MAX * DNS_NAME_BYTES);
    struct in6_addr address;
    size_t count = 0;
    for (size_t i = 0; i < lookup->count; i++) {
        const struct dns_record *record = lookup_record(lookup, i);
        if (strcmp(record->target, ".") == 0)
            evidence->is_null_mx = true;
        else
            records[count++] = record;
    }
    if (count == 0)
        return;
    evidence->is_null_mx = false;
    evidence->has_mx = true;
    qsort(records, count, sizeof(*records), compare_preferences);
    evidence->mx_count = MIN(count, MX_SHOWN_MAX);
    for (size_t i = 0; i < evidence->mx_count; i++) {
        struct text target = text_of(records[i]->target);
        evidence->is_mx_address = evidence->is_mx_address || address_parse(target, &address);
        buf_add_lower(&hosts, target);
        buf_add_byte(&hosts, ' ');
    }
    evidence->hosts = buf_take(&hosts);
}

static const uint16_t address_types[] = { DNS_A, DNS_AAAA };

/* Find the mail servers' addresses. That none exists is certain only if all queries were
 * answered. */
static void judge_hosts(struct lookups *lookups, struct egress *egress, struct evidence *evidence)
{
    char host[DNS_NAME_BYTES];
    struct addresses addresses = { 0 };
    size_t asked = MIN(evidence->mx_count, MX_RESOLVED_MAX);
    bool is_open = evidence->mx_count > asked;
    for (size_t i = 0; i < asked; i++) {
        evidence_host(evidence, i, host);
        for (size_t k = 0; k < countof(address_types); k++)
            lookups_add(lookups, host, address_types[k]);
    }
    lookups_run(lookups);
    for (size_t i = 0; i < asked; i++) {
        evidence_host(evidence, i, host);
        for (size_t k = 0; k < countof(address_types); k++) {
            const struct lookup *answer = lookup(lookups, host, address_types[k]);
            is_open = is_open || lookup_is_temporary(answer);
            lookup_addresses(answer, &addresses);
        }
    }
    bool is_private = addresses.count > 0 && !is_open;
    for (size_t i = 0; i < addresses.count; i++)
        is_private = is_private && !guard_allows_address(egress_guard(egress), &addresses.item[i]);
    evidence->is_mx_private = is_private;
    evidence->is_mx_unresolvable = addresses.count == 0 && !is_open;
}

/* ---- the domain ---- */

static void read_servers(struct lookups *lookups, const char *domain, struct evidence *evidence)
{
    const struct lookup *mx = lookup(lookups, domain, DNS_MX);
    const struct lookup *a = lookup(lookups, domain, DNS_A);
    const struct lookup *aaaa = lookup(lookups, domain, DNS_AAAA);
    bool has_address = a->status == LOOKUP_ANSWER || aaaa->status == LOOKUP_ANSWER;
    bool has_none = lookup_is_void(a) && lookup_is_void(aaaa);
    if (lookup_is_temporary(mx) || (lookup_is_void(mx) && !has_address && !has_none)) {
        evidence->is_unavailable = true;
        return;
    }
    evidence->is_known = true;
    evidence->is_nxdomain = mx->status == LOOKUP_NXDOMAIN;
    if (mx->status == LOOKUP_ANSWER) {
        read_mx(mx, evidence);
    } else if (!evidence->is_nxdomain) {
        evidence->is_implicit = has_address;
        evidence->has_no_server = !has_address;
    }
}

static void read_policies(struct lookups *lookups, const char *domain, const char *dmarc,
                          const char *owner_dmarc, struct evidence *evidence)
{
    const struct lookup *txt = lookup(lookups, domain, DNS_TXT);
    const struct lookup *own = lookup(lookups, dmarc, DNS_TXT);
    const struct lookup *above = lookup(lookups, owner_dmarc, DNS_TXT);
    evidence->is_policy_known =
        !lookup_is_temporary(txt) && !lookup_is_temporary(own) && !lookup_is_temporary(above);
    read_spf(txt, evidence);
    if (read_dmarc(own, DMARC_OF_ITSELF, &evidence->dmarc) == 0 && above != own)
        read_dmarc(above, DMARC_OF_SUBDOMAIN, &evidence->dmarc);
}

/* Query also the name servers of the root, which any resolver knows. If that fails too, the
 * resolver fails, not the domain's servers. */
static bool query_domain(struct lookups *lookups, struct egress *egress, const char *domain,
                         const char *owner, struct evidence *evidence)
{
    static const uint16_t types[] = { DNS_MX, DNS_A, DNS_AAAA, DNS_TXT };
    char dmarc[DMARC_NAME_BYTES];
    char owner_dmarc[DMARC_NAME_BYTES];
    snprintf(dmarc, sizeof(dmarc), "_dmarc.%s", domain);
    snprintf(owner_dmarc, sizeof(owner_dmarc), "_dmarc.%s", owner);
    for (size_t i = 0; i < countof(types); i++)
        lookups_add(lookups, domain, types[i]);
    lookups_add(lookups, dmarc, DNS_TXT);
    lookups_add(lookups, owner_dmarc, DNS_TXT);
    lookups_add(lookups, ".", DNS_NS);
    lookups_run(lookups);
    read_servers(lookups, domain, evidence);
    if (evidence->is_unavailable)
        return !lookup_is_temporary(lookup(lookups, ".", DNS_NS));
    read_policies(lookups, domain, dmarc, owner_dmarc, evidence);
    if (evidence->has_mx)
        judge_hosts(lookups, egress, evidence);
    return true;
}

bool evidence_query(struct egress *egress, const char *domain, const char *owner,
                    int64_t deadline_ms, struct evidence *evidence, struct err *err)
{
    const struct lookup_limits limits = { QUESTIONS_MAX, QUESTION_MS, TRIES, deadline_ms };
    scoped(lookups_free) struct lookups *lookups = lookups_new(egress, &limits);
    *evidence = (struct evidence){ 0 };
    return query_domain(lookups, egress, domain, owner, evidence) ||
           err_set(err, ERR_UPSTREAM_UNAVAILABLE, "no DNS resolver answered in time");
}
