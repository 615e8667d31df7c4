/*
 * svc-security/tech-detect/signatures.h - what tech-detect knows: signatures.yaml, which an
 * operator may replace while the service runs. Its head says how it is written.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "literals.h"
#include "text/regex.h"

/* Where a piece of evidence is looked for. */
enum evidence_kind {
    /* by a name: what the name's value matches */
    EVIDENCE_HEADER,
    EVIDENCE_COOKIE,
    EVIDENCE_META,
    KEYED_KINDS,
    /* by the pattern alone */
    EVIDENCE_SCRIPT = KEYED_KINDS, /* src of a script, as written and as absolute URL */
    EVIDENCE_LINK,                 /* the same of href of a link */
    EVIDENCE_ATTR,                 /* name=value of any element's attribute */
    EVIDENCE_CLASS,                /* one word of any class attribute */
    EVIDENCE_HTML,                 /* markup without comments */
    EVIDENCE_INLINE,               /* text of scripts without src */
    EVIDENCE_COMMENT,
    EVIDENCE_URL, /* of the page */
    EVIDENCE_KINDS
};

struct evidence {
    uint32_t technology; /* index */
    enum evidence_kind kind;
    char *key;           /* keyed kinds: in lower case, may end in *; else NULL */
    struct regex *regex; /* NULL: the key is enough */
    bool has_version;    /* the pattern's first group is one */
    unsigned confidence; /* 1..100 */
};

/* One technology by its index, and how sure the one makes the other. */
struct edge {
    uint32_t technology;
    unsigned confidence;
};

struct edges {
    struct edge *item;
    size_t count;
};

struct technology {
    char *name;
    char **category; /* the first is what the result's category says */
    size_t category_count;
    struct edges implies;
    struct edges required; /* without one of these it is not there; confidence has no meaning */
    struct edges excludes;
};

struct signatures {
    char *version;
    struct technology *technology; /* sorted by first category, then name */
    size_t technology_count;
    struct evidence *evidence;
    size_t evidence_count;
    uint32_t *keyed[KEYED_KINDS]; /* ids of evidence, by kind */
    size_t keyed_count[KEYED_KINDS];
    struct literals *literals[EVIDENCE_KINDS]; /* of the kinds without key; ids are evidence */
};

/* The name of a kind in signatures.yaml and in results. */
const char *evidence_kind_name(enum evidence_kind kind);

/* Does an evidence's key, which may end in *, fit this name? */
bool evidence_key_fits(const char *key, struct text name);

/* Read <folder>/tech-detect/signatures.yaml. Errors: ERR_INVALID_VALUE with the file and what is
 * wrong. These two make the kind of data tech_signatures_data, see svc/data.h. */
bool signatures_load(const char *folder, void **content, struct err *err) must_check;
void signatures_free(void *address_of_pointer);

/* The longest run of at least three plain characters that every match of a pattern holds, in lower
 * case, the caller's; NULL when there is none. */
char *signatures_literal(const char *pattern);
