/*
 * svc-email/records/dmarc.h - parse a DMARC record: RFC 7489 section 6.3, and the tags that RFC
 * 9989 adds (np, psd, t) and removes (pct, rf, ri).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* From the weakest to the strongest, so that they compare. */
enum dmarc_policy { DMARC_NO_POLICY, DMARC_P_NONE, DMARC_P_QUARANTINE, DMARC_P_REJECT };

enum dmarc_tag {
    DMARC_TAG_V,
    DMARC_TAG_P,
    DMARC_TAG_SP,
    DMARC_TAG_NP,
    DMARC_TAG_ADKIM,
    DMARC_TAG_ASPF,
    DMARC_TAG_FO,
    DMARC_TAG_RF,
    DMARC_TAG_RI,
    DMARC_TAG_PCT,
    DMARC_TAG_RUA,
    DMARC_TAG_RUF,
    DMARC_TAG_PSD,
    DMARC_TAG_T,
    DMARC_TAGS,
};

enum { DMARC_URIS_MAX = 10 };

/* A report's destination. */
struct dmarc_uri {
    struct text uri;     /* as written, without !size */
    struct text address; /* of a mailto: URI; empty: another scheme, or no address */
    struct text domain;  /* domain of the address */
    bool is_mailto;
    bool lacks_mailto; /* an address without a scheme */
    bool has_size;
};

struct dmarc_uris {
    size_t count;
    struct dmarc_uri item[DMARC_URIS_MAX];
    size_t left_out; /* number of further URIs that did not fit */
};

/* All texts are borrowed from the record. */
struct dmarc {
    bool is_void;       /* receivers cannot use it; see error */
    const char *error;  /* "it …", static */
    bool has_no_policy; /* no valid p, but a rua: counts as none (RFC 7489 section 6.6.3) */
    enum dmarc_policy p;
    enum dmarc_policy sp; /* DMARC_NO_POLICY: absent */
    enum dmarc_policy np;
    unsigned pct;                  /* 100 or less */
    char psd;                      /* y, n or u */
    bool is_testing;               /* t=y */
    bool is_there[DMARC_TAGS];     /* the record has the tag */
    bool is_bad[DMARC_TAGS];       /* invalid value: the default applies */
    struct text value[DMARC_TAGS]; /* as written */
    bool has_unknown_tag;
    bool has_malformed_part; /* a part that is not name=value; it is ignored (RFC 7489 section
                              * 6.3) */
    bool has_p_late;         /* p is not the second tag (RFC 7489 section 6.3) */
    struct dmarc_uris rua, ruf;
};

/* Whether a TXT record's text is a DMARC record: it begins with v=DMARC1, in this case. */
bool dmarc_is_record(struct text text);

/* Parse a record for which dmarc_is_record() is true. */
void dmarc_read(struct text text, struct dmarc *dmarc);

const char *dmarc_tag_name(enum dmarc_tag tag);
const char *dmarc_tag_default(enum dmarc_tag tag); /* NULL: no default */

/* "reject"; NULL for DMARC_NO_POLICY. */
const char *dmarc_policy_name(enum dmarc_policy policy);

/* Which mail a record's policy applies to. */
enum dmarc_subject { DMARC_OF_ITSELF, DMARC_OF_SUBDOMAIN, DMARC_OF_MISSING_SUBDOMAIN };

/* The policy before t=y lowers it, and after. */
enum dmarc_policy dmarc_policy_for(const struct dmarc *dmarc, enum dmarc_subject subject);
enum dmarc_policy dmarc_lowered(const struct dmarc *dmarc, enum dmarc_policy policy);
