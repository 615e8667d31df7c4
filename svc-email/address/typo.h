/*
 * svc-email/address/typo.h - the domain that somebody may have meant.
 */
#pragma once

#include "address/knowledge.h"
#include "net/host.h"
#include "text/domains/public-suffix.h"

enum typo { TYPO_NONE, TYPO_DOMAIN, TYPO_SUFFIX /* nothing but its end */ };

/*
 * What the domain, lower-case A-labels, may have been meant to be, into meant. A provider's own
 * domains, and others of its name below a public suffix, mean themselves. takes_mail: somebody does
 * at this domain, or that is not known; then only a provider with a name of 5 letters or more that
 * is one slip away is meant, because short names are near to many that are their owners' own.
 */
enum typo typo_find(const struct knowledge *knowledge, const struct public_suffixes *suffixes,
                    const char *domain, bool takes_mail, char meant[static HOST_BYTES]);

/* ---- for tests ---- */

/* How far two texts are apart, in tenths of an edit: Damerau-Levenshtein, where a neighbouring key
 * and a doubled letter count 5, two letters in the wrong order 7, everything else 10. */
int typo_distance(const char *written, const char *meant);
