/*
 * svc-email/email-deliverability/facts.h - what the DNS says about a domain's mail: all that its
 * judgement rests on.
 *
 * Texts live in the arena of the facts, or in the lookups that they were made from.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "dns/lookups.h"
#include "net/addresses.h"
#include "records/dkim-key.h"
#include "records/dmarc.h"
#include "records/spf.h"
#include "records/sts-policy.h"

/* ---- MX ---- */

enum { MX_SHOWN_MAX = 50, MX_RESOLVED_MAX = 10, DANE_HOSTS_MAX = 3 };

struct mx_host {
    uint16_t preference;
    const char *host;
    const char *alias_of; /* what its CNAME leads to; NULL: it has none */
    const char *provider; /* NULL: not known */
    bool is_resolved;     /* its addresses were asked for, and the DNS answered */
    bool looks_like_ip;
    bool is_local;   /* localhost, or a single label */
    bool is_private; /* it has addresses, and none is public */
    bool has_ipv6;
    struct addresses addresses;
    enum lookup_status tlsa; /* of _25._tcp.<host>; LOOKUP_OPEN: not asked */
    bool is_tlsa_secure;     /* AD */
    size_t tlsa_count;
};

struct mx_facts {
    enum lookup_status status;
    size_t count; /* of the records, the null MX included */
    size_t host_count;
    struct mx_host host[MX_SHOWN_MAX]; /* by preference, then name */
    bool has_null, has_null_preference;
    bool has_duplicates;
    bool has_address, lacks_answer; /* of the domain itself, asked when it has no MX */
};

/* ---- SPF ---- */

enum spf_result { SPF_RESULT_NONE, SPF_RESULT_VALID, SPF_RESULT_PERMERROR, SPF_RESULT_TEMPERROR };

enum { SPF_NODES_MAX = 200, SPF_QUESTIONS_MAX = 40, SPF_DEPTH_MAX = 11 };

/* A term that looks something up, or the record that all begins with. */
struct spf_node {
    struct spf_node *next, *child, *last_child;
    const char *term;   /* as it stands; "v=spf1" of the record itself */
    const char *type;   /* "include", …; "record" */
    const char *target; /* the name that is looked up; NULL: it depends on the mail */
    const char *record; /* of include and redirect; NULL: there is none */
    const char *error;  /* what is wrong with it; NULL: nothing */
    const char *vendor; /* whose an include is; NULL: not known */
    unsigned lookups, subtree_lookups, voids;
    bool depends_on_mail;
};

/* The networks that a tree authorises by ip4 with +. */
struct ip4_range {
    uint32_t first, last;
};

struct spf_facts {
    enum lookup_status status;
    enum spf_result result;
    size_t candidates;
    const char *record; /* the one that counts; NULL: none */
    size_t length;      /* of it, in octets */
    const char *error;  /* of its own grammar; NULL: none */
    const char *error_term;
    size_t error_position;
    char all; /* the terminal one's qualifier; 0: there is none */
    unsigned lookups, voids, family_voids;
    struct spf_node *tree; /* NULL: no record */
    size_t node_count, question_count;
    bool is_cut; /* by one of the limits */
    /* who is at fault when it is no valid record; NULL: nobody */
    const char *loop, *include_none, *include_invalid, *redirect_none, *mx_hosts;
    bool has_leading_space, has_sender_id, has_type99, is_upper_case;
    bool has_terms_after_all, ignores_redirect, has_duplicate_terms, has_unknown_modifier;
    bool has_duplicate_includes, has_ptr, has_macro, has_unused, lacks_explanation;
    bool has_private;
    unsigned widest4, widest6; /* shortest prefixes of public networks; 32 and 128: none */
    size_t ip4_networks, ip6_networks;
    uint64_t ipv4_addresses;
    size_t range_count;
    struct ip4_range *range;
};

/* ---- DKIM ---- */

enum { DKIM_COMMON = 9, DKIM_OWN_MAX = 5, DKIM_SELECTORS_MAX = DKIM_COMMON + DKIM_OWN_MAX };

struct dkim_selector {
    const char *name;
    enum lookup_status status;
    const char *cname;  /* where its CNAME leads; NULL: it has none */
    const char *vendor; /* whose that is */
    size_t text_count;
    bool is_wildcard; /* what any selector says, and no key */
    struct dkim_key key;
};

struct dkim_facts {
    size_t count;
    struct dkim_selector selector[DKIM_SELECTORS_MAX];
    enum lookup_status parent; /* of _domainkey.<domain> */
    bool is_wildcard;
};

/* ---- DMARC ---- */

enum { DMARC_WALK_MAX = 8, REPORTS_MAX = 6 };

/* What stands at _dmarc.<domain>. */
struct dmarc_place {
    const char *domain;
    enum lookup_status status;
    size_t candidates; /* records that are DMARC's */
    const char *record;
    struct dmarc dmarc; /* read from it, when there is one */
    bool has_unrelated, has_leading_space, has_spf;
};

/* The policy by one of the two ways to find it. */
struct dmarc_found {
    const struct dmarc_place *place; /* NULL: none */
    enum { DISCOVERY_NONE, DISCOVERY_EXACT, DISCOVERY_ORG, DISCOVERY_PSD } how;
    enum dmarc_policy policy; /* that holds for the domain; DMARC_NO_POLICY: none */
    bool is_multiple;         /* the search ended at a name with several records */
    bool is_unknown;          /* the DNS did not answer where it mattered */
};

/* A destination of reports. */
struct report_place {
    const char *uri, *address, *domain;
    bool is_external;
    enum lookup_status authorised; /* of external ones */
    bool is_authorised;
    bool is_unreachable;
};

struct dmarc_facts {
    size_t walk_count;
    struct dmarc_place
        walk[DMARC_WALK_MAX];    /* the tree walk of RFC 9989: the domain itself first */
    struct dmarc_place org;      /* _dmarc.<org domain>, when that is not in the walk */
    struct dmarc_found old, new; /* by RFC 7489, and by RFC 9989 */
    bool is_at_wrong_place;      /* v=DMARC1 at the domain itself */
    size_t report_count;
    struct report_place report[2 * DMARC_URIS_MAX];
    size_t rua_count; /* of these, the first */
};

/* ---- the others ---- */

/* A TXT record that there should be one of. */
struct text_record {
    enum lookup_status status;
    size_t candidates;
    const char *record; /* the only one */
};

enum policy_fetch { POLICY_NOT_FETCHED, POLICY_FETCHED, POLICY_FAILED };

struct policy_facts {
    enum policy_fetch state;
    const char *why;     /* it failed, in one sentence */
    bool has_other_type; /* than text/plain */
    struct sts_policy policy;
};

struct facts {
    struct arena arena;
    const char *domain;
    const char *org_domain;
    bool exists;      /* false: NXDOMAIN */
    bool is_answered; /* by any of MX, SOA and A */
    bool is_signed;   /* AD of its SOA */
    enum lookup_status soa;
    struct mx_facts mx;
    struct spf_facts spf;
    struct dkim_facts dkim;
    struct dmarc_facts dmarc;
    struct text_record mta_sts, tls_rpt, bimi;
    const char *bimi_domain; /* where its record is */
    struct policy_facts policy;
    bool is_partial;
};

void facts_free(struct facts *facts);

/* A TXT record's text in the arena, as it came. */
struct text facts_text(struct facts *facts, const struct lookup *lookup, size_t which);

/* The same for people: UTF-8, with U+FFFD for what is none and for NUL. */
const char *facts_shown(struct arena *arena, struct text text);

/* Is it an address of the internet, and none of a special-use network? */
bool facts_is_public(const struct in6_addr *address);

/* Text by printf in the arena. */
const char *facts_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *facts_vformat(struct arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* The policy that holds by RFC 7489, lowered by t=y: what the other checks look at. */
enum dmarc_policy facts_effective_policy(const struct facts *facts);

/* The record is v=spf1 -all and nothing more. */
bool facts_refuse_all(const struct facts *facts);

/* Does the domain say that it neither sends nor takes mail? */
bool facts_are_closed(const struct facts *facts);
