/*
 * svc-email/email-deliverability/facts.h - the DNS facts about a domain's mail, on which its
 * judgement rests.
 *
 * Texts are in the arena of the facts, or in the lookups that they come from.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "dns/lookups.h"
#include "net/addresses.h"
#include "probes/sender.h"
#include "probes/smtp.h"
#include "records/dkim-key.h"
#include "records/dmarc.h"
#include "records/spf.h"
#include "records/sts-policy.h"
#include "senders/mail-providers.h"

/* ---- MX ---- */

enum { MX_SHOWN_MAX = 50, MX_RESOLVED_MAX = 10, DANE_HOSTS_MAX = 3 };

struct mx_host {
    uint16_t preference;
    const char *host;
    const char *alias_of;                 /* target of its CNAME; NULL: none */
    const struct mail_provider *provider; /* NULL: unknown */
    bool is_resolved;                     /* its addresses were queried and answered */
    bool looks_like_ip;
    bool is_local;   /* localhost, or a single label */
    bool is_private; /* it has addresses, but no public one */
    bool has_ipv6;
    struct addresses addresses;
    enum lookup_status tlsa; /* of _25._tcp.<host>; LOOKUP_OPEN: not queried */
    bool is_tlsa_secure;     /* AD */
    size_t tlsa_count;
};

struct mx_facts {
    enum lookup_status status;
    size_t count; /* number of records, including the null MX */
    size_t host_count;
    struct mx_host host[MX_SHOWN_MAX]; /* by preference, then name */
    bool has_null, has_null_preference;
    bool has_duplicates;
    bool has_address, is_unanswered; /* of the domain; queried if it has no MX */
};

/* ---- SPF ---- */

enum spf_result { SPF_RESULT_NONE, SPF_RESULT_VALID, SPF_RESULT_PERMERROR, SPF_RESULT_TEMPERROR };

enum { SPF_NODES_MAX = 200, SPF_QUESTIONS_MAX = 40, SPF_DEPTH_MAX = 11 };

/* A term that needs a lookup, or the record at the root. */
struct spf_node {
    struct spf_node *next, *child, *last_child;
    const char *term;                   /* as written; "v=spf1" for the record */
    const char *type;                   /* "include", …; "record" */
    const char *target;                 /* the looked-up name; NULL: it depends on the mail */
    const char *record;                 /* of include and redirect; NULL: none */
    const char *error;                  /* its problem; NULL: none */
    const struct mail_provider *vendor; /* owner of an include or redirect; NULL: unknown */
    unsigned lookups, subtree_lookups, voids;
    bool depends_on_mail;
};

/* The networks that a tree authorizes by ip4 with +. */
struct ip4_range {
    uint32_t first, last;
};

struct spf_facts {
    enum lookup_status status;
    enum spf_result result;
    size_t candidates;
    const char *record; /* the effective record; NULL: none */
    size_t length;      /* its length in octets */
    const char *error;  /* its syntax error; NULL: none */
    const char *error_term;
    size_t error_position;
    char all; /* qualifier of the final all; 0: none */
    unsigned lookups, voids, family_voids;
    struct spf_node *tree; /* NULL: no record */
    size_t node_count, question_count;
    bool is_cut; /* stopped at a limit */
    /* names that make the record invalid; NULL: none */
    const char *loop, *include_none, *include_invalid, *redirect_none, *mx_hosts;
    bool has_leading_space, is_quoted, is_glued; /* records that receivers ignore */
    bool has_sender_id, has_type99, is_upper_case;
    bool has_terms_after_all, ignores_redirect, has_duplicate_terms, has_unknown_modifier;
    bool has_duplicate_includes, has_ptr, has_macro, has_unused, has_no_explanation;
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
    const char *cname;  /* target of its CNAME; NULL: none */
    const char *vendor; /* owner of that target */
    size_t text_count;
    bool is_wildcard; /* equal to the record of a random selector, and not a key */
    struct dkim_key key;
};

struct dkim_facts {
    size_t count;
    struct dkim_selector selector[DKIM_SELECTORS_MAX];
    enum lookup_status parent; /* of _domainkey.<domain> */
    bool is_wildcard;
    const struct mail_provider *unguessable; /* has random selectors, and sends or receives the
                                              * domain's mail; NULL: none */
};

/* ---- DMARC ---- */

enum { DMARC_WALK_MAX = 8, REPORTS_MAX = 6 };

/* The records at _dmarc.<domain>. */
struct dmarc_place {
    const char *domain;
    enum lookup_status status;
    size_t candidates; /* number of DMARC records */
    const char *record;
    struct dmarc dmarc; /* parsed, if there is one */
    bool has_unrelated, has_leading_space, is_quoted, is_glued, has_spf;
};

/* The policy by one of the two search methods. */
struct dmarc_found {
    const struct dmarc_place *place; /* NULL: none */
    enum { DISCOVERY_NONE, DISCOVERY_EXACT, DISCOVERY_ORG, DISCOVERY_PSD } how;
    enum dmarc_policy policy; /* for the domain; DMARC_NO_POLICY: none */
    bool is_multiple;         /* the search ended at a name with several records */
    bool is_unknown;          /* the DNS did not answer a relevant query */
};

/* A report destination. */
struct report_place {
    const char *uri, *address, *domain;
    bool lacks_mailto;
    bool is_external;
    enum lookup_status authorised; /* of external destinations */
    bool is_authorised;
    bool is_unreachable;
};

struct dmarc_facts {
    size_t walk_count;
    struct dmarc_place walk[DMARC_WALK_MAX]; /* the tree walk of RFC 9989; the domain is first */
    struct dmarc_place org;      /* _dmarc.<org domain>, if the walk does not include it */
    struct dmarc_found old, new; /* by RFC 7489, and by RFC 9989 */
    bool is_at_wrong_place;      /* v=DMARC1 at the domain itself */
    size_t report_count;
    struct report_place report[2 * DMARC_URIS_MAX];
    size_t rua_count; /* number of rua destinations, which come first */
};

/* ---- other records ---- */

/* A TXT record that must be unique. */
struct text_record {
    enum lookup_status status;
    size_t candidates;
    const char *record; /* the only record */
};

enum policy_fetch { POLICY_NOT_FETCHED, POLICY_FETCHED, POLICY_FAILED };

struct policy_facts {
    enum policy_fetch state;
    const char *why;     /* why it failed, in one sentence */
    bool has_other_type; /* a content type other than text/plain */
    struct sts_policy policy;
};

/* The mail servers that were connected to. */
struct smtp_facts {
    size_t count;
    struct smtp_host host[SMTP_HOSTS_MAX];
    int64_t now_s;
};

struct facts {
    struct arena arena;
    const char *domain;
    const char *org_domain;
    bool exists;      /* false: NXDOMAIN */
    bool is_answered; /* to any of the MX, SOA and A queries */
    bool is_signed;   /* AD of its SOA */
    enum lookup_status soa;
    struct mx_facts mx;
    struct spf_facts spf;
    struct dkim_facts dkim;
    struct dmarc_facts dmarc;
    struct text_record mta_sts, tls_rpt, bimi;
    const char *bimi_domain; /* name of its record */
    struct policy_facts policy;
    const struct sender_facts *sender; /* borrowed, as the next; NULL: not requested */
    const struct smtp_facts *smtp;
    bool is_partial;
};

void facts_free(struct facts *facts);

/* A TXT record's text in the arena, unchanged. */
struct text facts_text(struct facts *facts, const struct lookup *lookup, size_t which);

/* The text in UTF-8 for display; invalid bytes and NUL become U+FFFD. */
const char *facts_shown(struct arena *arena, struct text text);

/* Whether it is a public address, outside all special-use networks. */
bool facts_is_public(const struct in6_addr *address);

/* Format a text in the arena. */
const char *facts_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *facts_vformat(struct arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* The RFC 7489 policy after t=y, which the other checks use. */
enum dmarc_policy facts_effective_policy(const struct facts *facts);

/* Name of the operator of the first mail server; NULL: unknown. */
const char *facts_provider(const struct facts *facts);

/* Whether the record is exactly v=spf1 -all. */
bool facts_spf_rejects_all(const struct facts *facts);

/* Whether the domain declares that it neither sends nor receives mail. */
bool facts_are_closed(const struct facts *facts);
