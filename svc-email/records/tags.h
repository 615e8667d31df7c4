/*
 * svc-email/records/tags.h - tag lists, "v=DKIM1; k=rsa; p=…" (RFC 6376 section 3.2): the form of
 * DKIM keys and signatures, DMARC, MTA-STS, TLS-RPT and BIMI records.
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"

enum { TAGS_MAX = 64 };

struct tag {
    struct text name;  /* at least one letter, digit or underscore */
    struct text value; /* trimmed; may be empty; any byte except ; */
};

/* All texts are borrowed from the record. */
struct tags {
    size_t count;
    struct tag tag[TAGS_MAX];
    bool is_malformed;   /* a part is not name=value, or there are more than TAGS_MAX */
    bool has_repeats;    /* two names are equal, with case */
    bool has_empty_part; /* an empty part that is not the last, which RFC 6376 does not allow */
};

/* Parse a record. Empty parts, as in ;;, are skipped. */
void tags_read(struct text record, struct tags *tags);

/* The value of the first tag of that name, with case; NULL: none. */
const struct text *tags_get(const struct tags *tags, const char *name);

/* Whether the first tag is v with exactly this version. */
bool tags_begin(struct text record, const char *version);
