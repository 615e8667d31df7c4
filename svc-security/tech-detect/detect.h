/*
 * svc-security/tech-detect/detect.h - what one answer shows: headers, cookies and a page, held
 * against the signatures. Needs no network.
 */
#pragma once

#include "conclude.h"
#include "net/http/fetch.h"
#include "signatures.h"

/* The answer that is looked at; all borrowed. */
struct sighting {
    const struct target *target; /* where it came from, after redirects */
    const struct fetch_header *header;
    size_t header_count;
    struct text body; /* empty unless it is a page */
};

void detect(const struct signatures *signatures, const struct sighting *sighting,
            struct detected *findings);
