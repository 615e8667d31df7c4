/* svc-security/tech-detect/conclude.h - from evidence to technologies: confidence, implications,
 * requirements and exclusions. */
#pragma once

#include "signatures.h"
#include "version.h"

enum { EVIDENCE_SHOWN_MAX = 8 /* per technology */ };

/* Evidence for one technology. */
struct tally {
    unsigned confidence; /* 0 to 100: sum of the evidence */
    char version[VERSION_BYTES];
    bool is_version_own; /* from the file's name, not from its query string */
    char *shown[EVIDENCE_SHOWN_MAX];
    size_t shown_count;
    bool is_own; /* some evidence is the site's own, not a reference to another site */
};

/* A detected technology. */
struct finding {
    const struct technology *technology;
    unsigned confidence; /* 50 to 100 */
    bool is_implied;     /* implied by another technology, without evidence */
    bool is_own;         /* the site itself shows it, not only a reference to another site */
    char version[VERSION_BYTES];
    char *evidence[EVIDENCE_SHOWN_MAX]; /* "kind:text" */
    size_t evidence_count;
};

/* Sorted by category and name. Free it with detected_free(). */
struct detected {
    struct finding *item;
    size_t count;
    bool is_cut; /* the page has more match candidates than are tried */
};

/* Fill findings. tally has a row for each technology; its texts move to findings. */
void conclude(const struct signatures *signatures, struct tally *tally, struct detected *findings);
void detected_free(struct detected *findings);
