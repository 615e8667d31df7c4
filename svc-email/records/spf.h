/*
 * svc-email/records/spf.h - parse an SPF record strictly (RFC 7208 section 12). Makes no lookups.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* The mechanisms, then the modifiers. */
enum spf_kind {
    SPF_ALL,
    SPF_INCLUDE,
    SPF_A,
    SPF_MX,
    SPF_PTR,
    SPF_IP4,
    SPF_IP6,
    SPF_EXISTS,
    SPF_REDIRECT,
    SPF_EXP,
    SPF_UNKNOWN_MODIFIER,
};

struct spf_term {
    enum spf_kind kind;
    char qualifier;          /* of a mechanism: + - ~ ?; + by default */
    struct text text;        /* the whole term as written */
    struct text spec;        /* its domain-spec; empty: none */
    struct in6_addr address; /* of ip4 (mapped) and ip6 */
    unsigned prefix4;        /* IPv4 prefix; 32 by default */
    unsigned prefix6;        /* 128 by default */
};

/* By value; release with spf_record_free(). Texts are borrowed from the record's text. */
struct spf_record {
    size_t count;
    struct spf_term *term;
};

/* The first error. */
struct spf_error {
    size_t position;  /* offset in octets from the beginning of the record */
    struct text term; /* borrowed */
    const char *why;  /* "is …", static */
};

/* Whether a TXT record's text is an SPF record: "v=spf1" in any case, then a blank or the end (RFC
 * 7208 section 4.5). */
bool spf_is_record(struct text text);

/* Parse a record for which spf_is_record() is true. On any syntax error in any place (section 4.6),
 * returns false with the error and without a record. */
bool spf_read(struct text text, struct spf_record *record, struct spf_error *error) must_check;
void spf_record_free(struct spf_record *record);

/* "include", "redirect": the RFC's spelling. */
const char *spf_kind_name(enum spf_kind kind);

/* Whether a term counts as one of the ten lookups of section 4.6.4. */
bool spf_kind_looks_up(enum spf_kind kind);

/* What macros need to know about a message. Its local part is taken as postmaster (section 4.3). */
struct spf_sender {
    struct in6_addr address; /* of the client; IPv4 is IPv4-mapped */
    const char *domain;      /* of MAIL FROM, and of EHLO */
    const char *validated;   /* the client's confirmed name, for %{p}; "unknown" if there is none */
};

/*
 * Append the expansion of a domain-spec for a domain (section 7). Without a sender (NULL), returns
 * false if it depends on the mail: any macro except %{d} and the three escapes. If the result has
 * more than 253 octets, labels are dropped from the left (section 7.3).
 */
bool spf_expand(struct text spec, const char *domain, const struct spf_sender *sender,
                struct buf *name) must_check;
