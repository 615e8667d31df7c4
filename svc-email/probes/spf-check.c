/* svc-email/probes/spf-check.c - evaluate an SPF record for a client's address. */
#include "probes/spf-check.h"

#include <string.h>
#include <strings.h>

#include "base/codec/cidr.h"
#include "base/mem.h"
#include "base/num.h"
#include "dns/domain.h"

enum {
    LOOKUPS_MAX = 10, /* RFC 7208 section 4.6.4, as the next two */
    VOIDS_MAX = 2,
    MX_HOSTS_MAX = 10,
    IPV4_OFFSET = 96, /* prefix of IPv4-mapped addresses */
};

const char *const spf_outcome_names[SPF_OUTCOMES] = {
    [SPF_PASS] = "pass",           [SPF_FAIL] = "fail", [SPF_SOFTFAIL] = "softfail",
    [SPF_NEUTRAL] = "neutral",     [SPF_NONE] = "none", [SPF_PERMERROR] = "permerror",
    [SPF_TEMPERROR] = "temperror",
};

struct evaluation {
    const struct spf_client *client;
    struct lookups *lookups;
    struct arena *arena;
    struct spf_check *check;
};

/* Whether a term matches; the last two end the evaluation. */
enum match { MATCH_NO, MATCH_YES, MATCH_PERMERROR, MATCH_TEMPERROR };

static enum spf_outcome evaluate_domain(struct evaluation *evaluation, const char *domain,
                                        bool is_own);

static enum match fail_match(struct evaluation *evaluation, enum match match, const char *why)
{
    evaluation->check->why = why;
    return match;
}

/* ---- queries ---- */

/* MATCH_NO: there may be records, or none. */
static enum match count_answer(struct evaluation *evaluation, const struct lookup *answer)
{
    if (lookup_is_temporary(answer))
        return fail_match(evaluation, MATCH_TEMPERROR, "a name could not be looked up");
    if (lookup_is_void(answer) && ++evaluation->check->voids > VOIDS_MAX)
        return fail_match(evaluation, MATCH_PERMERROR,
                          "more than 2 of the looked-up names do not exist");
    return MATCH_NO;
}

static uint16_t address_type(const struct evaluation *evaluation)
{
    return address_is_ipv4(&evaluation->client->sender.address) ? DNS_A : DNS_AAAA;
}

static bool is_in_network(const struct evaluation *evaluation, const struct in6_addr *network,
                          const struct spf_term *term)
{
    const struct in6_addr *address = &evaluation->client->sender.address;
    bool is_ipv4 = address_is_ipv4(address);
    const struct cidr cidr = { *network, is_ipv4 ? IPV4_OFFSET + term->prefix4 : term->prefix6 };
    return is_ipv4 == address_is_ipv4(network) && cidr_has(&cidr, address);
}

static enum match match_addresses(struct evaluation *evaluation, const char *name,
                                  const struct spf_term *term)
{
    const struct lookup *answer = lookup(evaluation->lookups, name, address_type(evaluation));
    struct addresses addresses = { 0 };
    enum match match = count_answer(evaluation, answer);
    lookup_addresses(answer, &addresses);
    for (size_t i = 0; i < addresses.count; i++)
        if (is_in_network(evaluation, &addresses.item[i], term))
            return MATCH_YES;
    return match;
}

/* ---- terms ---- */

static enum match match_mx(struct evaluation *evaluation, const char *name,
                           const struct spf_term *term)
{
    const struct lookup *mx = lookup(evaluation->lookups, name, DNS_MX);
    enum match match = count_answer(evaluation, mx);
    if (mx->count > MX_HOSTS_MAX)
        return fail_match(evaluation, MATCH_PERMERROR,
                          "an mx term names a domain with more than 10 mail servers");
    for (size_t i = 0; i < mx->count; i++)
        lookups_add(evaluation->lookups, lookup_record(mx, i)->target, address_type(evaluation));
    for (size_t i = 0; i < mx->count && match == MATCH_NO; i++)
        if (strcmp(lookup_record(mx, i)->target, ".") != 0)
            match = match_addresses(evaluation, lookup_record(mx, i)->target, term);
    return match;
}

static enum match match_ptr(const struct evaluation *evaluation, const char *name)
{
    for (size_t i = 0; i < evaluation->client->names; i++)
        if (name_is_within(evaluation->client->name[i], name))
            return MATCH_YES;
    return MATCH_NO;
}

/* Section 5.2. */
static enum match match_include(struct evaluation *evaluation, const char *name)
{
    enum spf_outcome outcome = evaluate_domain(evaluation, name, false);
    if (outcome == SPF_NONE)
        return fail_match(evaluation, MATCH_PERMERROR, "an included name has no SPF record");
    if (outcome == SPF_TEMPERROR || outcome == SPF_PERMERROR)
        return outcome == SPF_TEMPERROR ? MATCH_TEMPERROR : MATCH_PERMERROR;
    return outcome == SPF_PASS ? MATCH_YES : MATCH_NO;
}

static enum match match_name(struct evaluation *evaluation, const char *name,
                             const struct spf_term *term)
{
    if (term->kind == SPF_INCLUDE)
        return match_include(evaluation, name);
    if (term->kind == SPF_A)
        return match_addresses(evaluation, name, term);
    if (term->kind == SPF_MX)
        return match_mx(evaluation, name, term);
    if (term->kind == SPF_PTR)
        return match_ptr(evaluation, name);
    const struct lookup *exists = lookup(evaluation->lookups, name, DNS_A);
    enum match match = count_answer(evaluation, exists);
    return exists->count > 0 ? MATCH_YES : match;
}

/* The name of a term, in lower case. */
static const char *target_of(struct evaluation *evaluation, const char *domain,
                             const struct spf_term *term)
{
    scoped(buf_free) struct buf name = BUF(4 * DNS_NAME_BYTES);
    bool ok =
        term->spec.size == 0 || spf_expand(term->spec, domain, &evaluation->client->sender, &name);
    return ok && name.size > 0 ? arena_lower(evaluation->arena, buf_text(&name)) : domain;
}

/* Count a term that needs a lookup; false if there were too many. */
static bool count_lookup(struct evaluation *evaluation)
{
    if (++evaluation->check->lookups <= LOOKUPS_MAX)
        return true;
    evaluation->check->why = "the record needs more than 10 DNS lookups";
    return false;
}

static enum match match_term(struct evaluation *evaluation, const char *domain,
                             const struct spf_term *term)
{
    if (term->kind == SPF_ALL)
        return MATCH_YES;
    if (term->kind == SPF_IP4 || term->kind == SPF_IP6)
        return is_in_network(evaluation, &term->address, term) ? MATCH_YES : MATCH_NO;
    if (!count_lookup(evaluation))
        return MATCH_PERMERROR;
    return match_name(evaluation, target_of(evaluation, domain, term), term);
}

/* ---- records ---- */

static enum spf_outcome outcome_of(char qualifier)
{
    return qualifier == '+'   ? SPF_PASS
           : qualifier == '-' ? SPF_FAIL
           : qualifier == '~' ? SPF_SOFTFAIL
                              : SPF_NEUTRAL;
}

static void note_term(struct evaluation *evaluation, const char *domain,
                      const struct spf_term *term)
{
    evaluation->check->term = arena_copy(evaluation->arena, term->text);
    evaluation->check->domain = domain;
}

static enum spf_outcome fail_record(struct evaluation *evaluation, const char *why)
{
    evaluation->check->why = why;
    return SPF_PERMERROR;
}

/* Section 6.1. */
static enum spf_outcome follow_redirect(struct evaluation *evaluation, const char *domain,
                                        const struct spf_term *term, bool is_own)
{
    if (!count_lookup(evaluation))
        return SPF_PERMERROR;
    enum spf_outcome outcome =
        evaluate_domain(evaluation, target_of(evaluation, domain, term), is_own);
    return outcome == SPF_NONE
               ? fail_record(evaluation, "the redirect leads to a name without an SPF record")
               : outcome;
}

static enum spf_outcome evaluate_record(struct evaluation *evaluation, const char *domain,
                                        const struct spf_record *record, bool is_own)
{
    const struct spf_term *redirect = NULL;
    for (size_t i = 0; i < record->count; i++) {
        const struct spf_term *term = &record->term[i];
        if (term->kind == SPF_REDIRECT)
            redirect = term;
        if (term->kind >= SPF_REDIRECT)
            continue;
        enum match match = match_term(evaluation, domain, term);
        if (match != MATCH_NO && is_own)
            note_term(evaluation, domain, term);
        if (match == MATCH_YES)
            return outcome_of(term->qualifier);
        if (match != MATCH_NO)
            return match == MATCH_TEMPERROR ? SPF_TEMPERROR : SPF_PERMERROR;
    }
    return redirect ? follow_redirect(evaluation, domain, redirect, is_own) : SPF_NEUTRAL;
}

/* Find the SPF records of a name. Returns their number; *record is the last one, in the arena. */
static size_t find_record(struct evaluation *evaluation, const struct lookup *answer,
                          struct text *record)
{
    size_t count = 0;
    for (size_t i = 0; i < answer->count; i++) {
        scoped(buf_free) struct buf text = BUF(DNS_MESSAGE_BYTES);
        lookup_text(answer, i, &text);
        if (!spf_is_record(buf_text(&text)))
            continue;
        *record = (struct text){ arena_copy(evaluation->arena, buf_text(&text)), text.size };
        count++;
    }
    return count;
}

/* Sections 4.4 to 4.6. The domain outlives the check. is_own: it is the domain of the request, or
 * what that redirects to. */
static enum spf_outcome evaluate_domain(struct evaluation *evaluation, const char *domain,
                                        bool is_own)
{
    struct text text;
    struct spf_record record;
    struct spf_error error;
    bool is_first =
        evaluation->check->lookups == 0; /* its own record does not count as a void lookup */
    const struct lookup *answer = lookup(evaluation->lookups, domain, DNS_TXT);
    enum match match = MATCH_NO;
    if (!is_first || lookup_is_temporary(answer))
        match = count_answer(evaluation, answer);
    if (match != MATCH_NO)
        return match == MATCH_TEMPERROR ? SPF_TEMPERROR : SPF_PERMERROR;
    size_t count = find_record(evaluation, answer, &text);
    if (count == 0)
        return SPF_NONE;
    if (count > 1)
        return fail_record(evaluation, "a name has several SPF records");
    if (!spf_read(text, &record, &error))
        return fail_record(evaluation, "a record has invalid syntax");
    enum spf_outcome outcome = evaluate_record(evaluation, domain, &record, is_own);
    spf_record_free(&record);
    return outcome;
}

void spf_check_host(const struct spf_client *client, const char *domain, struct lookups *lookups,
                    struct arena *arena, struct spf_check *check)
{
    struct evaluation evaluation = { client, lookups, arena, check };
    *check = (struct spf_check){ .domain = domain };
    check->outcome = evaluate_domain(&evaluation, domain, true);
    if (check->outcome != SPF_PERMERROR && check->outcome != SPF_TEMPERROR)
        check->why = NULL;
}
