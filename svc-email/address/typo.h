/*
 * svc-email/address/typo.h - find the domain that a mistyped one was meant to be.
 */
#pragma once

#include "address/knowledge.h"
#include "net/host.h"
#include "text/domains/public-suffix.h"

enum typo { TYPO_NONE, TYPO_DOMAIN, TYPO_SUFFIX /* only the top-level domain */ };

/*
 * Find the intended domain of a domain in lower-case A-labels. Providers' domains, and other
 * domains of their name below a public suffix, are never typos. takes_mail: the domain accepts
 * mail, or this is unknown. Then only a provider with a name of at least 5 letters and a distance
 * of one edit counts, because many legitimate domains are near short names.
 */
enum typo typo_find(const struct knowledge *knowledge, const struct public_suffixes *suffixes,
                    const char *domain, bool takes_mail, char meant[static HOST_BYTES]);

/* ---- for tests ---- */

/* The distance of two texts in tenths of an edit: Damerau-Levenshtein, where a neighboring key and
 * a doubled letter cost 5, two swapped letters 7, any other edit 10. */
int typo_distance(const char *written, const char *meant);
