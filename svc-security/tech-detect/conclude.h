/* svc-security/tech-detect/conclude.h - from evidence to technologies: what is likely enough, what
 * it implies, what it needs and what it rules out. */
#pragma once

#include "signatures.h"
#include "version.h"

enum { EVIDENCE_SHOWN_MAX = 8 /* of one technology */ };

/* What was seen of one technology. */
struct tally {
    unsigned confidence; /* 0..100: the sum of its evidence */
    char version[VERSION_BYTES];
    bool is_version_own; /* of the thing itself, and not of a query behind its file */
    char *shown[EVIDENCE_SHOWN_MAX];
    size_t shown_count;
};

/* One technology that is there. */
struct finding {
    const struct technology *technology;
    unsigned confidence; /* 50..100 */
    bool is_implied;     /* only another technology says so */
    char version[VERSION_BYTES];
    char *evidence[EVIDENCE_SHOWN_MAX]; /* "kind:what was seen" */
    size_t evidence_count;
};

/* By value; release with detected_free(). Sorted by category and name. */
struct detected {
    struct finding *item;
    size_t count;
    bool is_cut; /* the page held more that might match than is tried for one page */
};

/* Fill findings; the texts of tally, which has a row for each technology, go over to it. */
void conclude(const struct signatures *signatures, struct tally *tally, struct detected *findings);
void detected_free(struct detected *findings);
