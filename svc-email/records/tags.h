/*
 * svc-email/records/tags.h - lists of tags, "v=DKIM1; k=rsa; p=…" (RFC 6376 section 3.2): what DKIM
 * keys and signatures, DMARC, MTA-STS, TLS-RPT and BIMI records are made of.
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"

enum { TAGS_MAX = 64 };

struct tag {
    struct text name;  /* one letter or more: letters, digits and underscores */
    struct text value; /* without white space around it; may be empty, may hold any byte but ; */
};

/* All texts are borrowed from the record. */
struct tags {
    size_t count;
    struct tag tag[TAGS_MAX];
    bool is_malformed;   /* a part is no name=value, or there are more than TAGS_MAX */
    bool has_repeats;    /* two names are the same, with case */
    bool has_empty_part; /* and not the last: RFC 6376 does not have that */
};

/* Read a record. An empty part, as ;; leaves it, is passed over. */
void tags_read(struct text record, struct tags *tags);

/* The value of the first tag of that name, with case; NULL when there is none. */
const struct text *tags_get(const struct tags *tags, const char *name);

/* Is it a record of this version: is its first tag v, with this very value? */
bool tags_begin(struct text record, const char *version);
