/*
 * svc-security/tech-detect/detect.h - what one answer shows: headers, cookies and a page, held
 * against the signatures. Needs no network.
 */
#ifndef SVC_SECURITY_DETECT_H
#define SVC_SECURITY_DETECT_H

#include "net/http/fetch.h"
#include "signatures.h"

enum {
    VERSION_BYTES = 21,     /* of at most 20 characters */
    EVIDENCE_SHOWN_MAX = 8, /* of one technology */
    EVIDENCE_SHOWN_BYTES = 120,
};

/* The answer that is looked at; all borrowed. */
struct sighting {
    const struct target *target; /* where it came from, after redirects */
    const struct fetch_header *header;
    size_t header_count;
    struct text body; /* empty unless it is a page */
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

void detect(const struct signatures *signatures, const struct sighting *sighting,
            struct detected *findings);
void detected_free(struct detected *findings);

/* Keep the better of two versions, the one with more parts or the higher one, in version, which
 * may be "". A leading v and final dots go; what is no version (more than 20 characters, a bare
 * hash) is left out. */
void version_offer(char version[static VERSION_BYTES], struct text candidate);

#endif
