/* svc-security/tech-detect/conclude.h - from evidence to technologies: what is likely enough, what
 * it implies, what it needs and what it rules out. */
#ifndef SVC_SECURITY_CONCLUDE_H
#define SVC_SECURITY_CONCLUDE_H

#include "detect.h"

/* What was seen of one technology. */
struct tally {
    unsigned confidence; /* 0..100: the sum of its evidence */
    char version[VERSION_BYTES];
    char *shown[EVIDENCE_SHOWN_MAX];
    size_t shown_count;
};

/* Fill findings; the texts of tally, which has a row for each technology, go over to it. */
void conclude(const struct signatures *signatures, struct tally *tally, struct detected *findings);

#endif
