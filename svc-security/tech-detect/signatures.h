/*
 * svc-security/tech-detect/signatures.h - the signatures in signatures.yaml, which operators may
 * replace at run time. The head of the file documents the format.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "literals.h"
#include "releases.h"
#include "text/regex.h"

/* Kinds of evidence. */
enum evidence_kind {
    /* keyed: the pattern applies to the value of a name */
    EVIDENCE_HEADER,
    EVIDENCE_COOKIE,
    EVIDENCE_META,
    KEYED_KINDS,
    /* without a key */
    EVIDENCE_SCRIPT = KEYED_KINDS, /* src of a script, as written and as an absolute URL */
    EVIDENCE_LINK,                 /* href of a link, in the same way */
    EVIDENCE_ATTR,                 /* name=value of any attribute */
    EVIDENCE_CLASS,                /* one word of a class attribute */
    EVIDENCE_HTML,                 /* markup without comments */
    EVIDENCE_INLINE,               /* inline scripts */
    EVIDENCE_COMMENT,
    EVIDENCE_URL, /* URL of the page */
    EVIDENCE_MX,  /* name of a mail server */
    EVIDENCE_KINDS
};

struct evidence {
    uint32_t technology; /* index */
    enum evidence_kind kind;
    char *key;           /* of keyed kinds: lower case, may end in *; otherwise NULL */
    struct regex *regex; /* NULL if the key is enough */
    bool has_version;    /* the first group of the pattern is a version */
    unsigned confidence; /* 1 to 100 */
};

/* A related technology, by index, with the confidence of the relation. */
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
    char **category; /* the first is the category in the result */
    size_t category_count;
    struct edges implies;
    struct edges required; /* at least one of these is required; confidence is unused */
    struct edges excludes;
    bool is_platform;         /* runs the site; it is not just a file that any site may load */
    struct releases releases; /* may be empty */
};

struct signatures {
    char *version;
    char *releases_date;
    struct technology *technology; /* sorted by first category, then name */
    size_t technology_count;
    struct evidence *evidence;
    size_t evidence_count;
    uint32_t *keyed[KEYED_KINDS]; /* evidence ids by kind */
    size_t keyed_count[KEYED_KINDS];
    struct literals *literals[EVIDENCE_KINDS]; /* of kinds without keys; ids are evidence ids */
};

/* The name of a kind in signatures.yaml and in results. */
const char *evidence_kind_name(enum evidence_kind kind);

/* Does the key, which may end in *, match this name? */
bool evidence_key_fits(const char *key, struct text name);

/* Read <folder>/tech-detect/signatures.yaml and releases.yaml. Errors: ERR_INVALID_VALUE with the
 * file and the problem. With signatures_free() for struct data_kind (svc/data.h). */
bool signatures_load(const char *folder, void **content, struct err *err) must_check;
void signatures_free(void *address_of_pointer);

/* The longest run of at least three plain characters that every match of the pattern contains, in
 * lower case, or NULL. The caller frees it. */
char *signatures_literal(const char *pattern);
