/*
 * svc-email/senders/senders.h - who sends mail: the brands that others like to pose as, the
 * providers where anybody has an address, and who owns a host name. Read from brands.yaml and
 * providers.yaml.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "senders/providers.h"
#include "text/domains/public-suffix.h"

struct brand {
    const char *key;      /* in brands.yaml */
    struct names names;   /* how it calls itself in a display name, in small letters */
    struct names labels;  /* as labels of host names */
    struct names domains; /* its own */
    bool everywhere;      /* its label below any country's domain is its own, too */
};

struct senders {
    struct arena arena; /* what the brands' names are in */
    struct brand *brand;
    size_t brand_count;
    struct providers *providers;
    struct public_suffixes *suffixes;
};

/* Read <folder>/senders/brands.yaml and providers.yaml, and the public suffix list at
 * suffixes_path ("" is the system's). Errors: ERR_INVALID_VALUE with the file and what is wrong. */
bool senders_load(const char *folder, const char *suffixes_path, struct senders **senders,
                  struct err *err) must_check;
void senders_free(void *address_of_pointer);

/* The names of a YAML node, in small letters, into the arena; false when it is no list of texts. */
bool names_read_lower(const cJSON *node, struct arena *arena, struct names *names) must_check;

/* Below: host names in lower case, A-labels, without final dot. */

/* The registrable domain that a host belongs to, within it; the host itself when it is a public
 * suffix or has a single label. */
const char *senders_owner(const struct senders *senders, const char *host);

/* Do both belong to the same owner? NULL belongs to nobody. */
bool senders_related(const struct senders *senders, const char *a, const char *b);

/* Is it a provider's domain, or a host below it? */
bool senders_is_free(const struct senders *senders, const char *host);

/* Is it a domain of the brand, or a host below one? */
bool brand_owns(const struct senders *senders, const struct brand *brand, const char *host);

/* The brand that a display name names as whole words, in any case; NULL: none. */
const struct brand *senders_brand_in_name(const struct senders *senders, const char *name);

/* The brand that a host name pretends to belong to and does not: one of its labels is the brand's
 * or holds it between hyphens, or is it in look-alike digits (paypa1). NULL: none. */
const struct brand *senders_brand_in_host(const struct senders *senders, const char *host);

/* The brand that owns the host; NULL: none. */
const struct brand *senders_brand_of(const struct senders *senders, const char *host);
