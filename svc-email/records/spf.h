/*
 * svc-email/records/spf.h - the text of an SPF record (RFC 7208 section 12), read strictly. Nothing
 * is looked up here.
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
    char qualifier;          /* of a mechanism: + - ~ ?, + when it has none */
    struct text text;        /* the whole term as it stands */
    struct text spec;        /* its domain-spec; empty: none */
    struct in6_addr address; /* of ip4 (mapped) and ip6 */
    unsigned prefix4;        /* bits of an IPv4 network: 32 when nothing is said */
    unsigned prefix6;        /* of 128 */
};

/* By value; release with spf_record_free(). Texts are borrowed from the record that was read. */
struct spf_record {
    size_t count;
    struct spf_term *term;
};

/* The first thing that is wrong. */
struct spf_error {
    size_t position;  /* in octets from the beginning of the record */
    struct text term; /* borrowed */
    const char *why;  /* "is …", lives for ever */
};

/* Is a TXT record's text an SPF record: "v=spf1" in any case, then a blank or nothing (RFC 7208
 * section 4.5)? */
bool spf_is_record(struct text text);

/* Read one for which spf_is_record() holds. False, with the error and without a record, for
 * anything that is not of the grammar, wherever it stands (section 4.6). */
bool spf_read(struct text text, struct spf_record *record, struct spf_error *error) must_check;
void spf_record_free(struct spf_record *record);

/* "include", "redirect"; as the RFC spells it. */
const char *spf_kind_name(enum spf_kind kind);

/* Does a term count as one of the ten look-ups of section 4.6.4? */
bool spf_kind_looks_up(enum spf_kind kind);

/*
 * Append what a domain-spec stands for at a domain (section 7). False when that depends on the
 * mail: any macro other than %{d} and the three escapes. Of a result above 253 octets labels are
 * dropped from the left (section 7.3).
 */
bool spf_expand(struct text spec, const char *domain, struct buf *name) must_check;
