/*
 * svc-email/senders/senders.h - known senders: brands that phishing imitates, providers of public
 * mailboxes, and the owner of a host name. Read from brands.yaml and providers.yaml.
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
    struct names names;   /* names that it uses in a display name, in lower case */
    struct names labels;  /* as labels of host names */
    struct names domains; /* its domains */
    bool everywhere;      /* its label below any country's top-level domain also belongs to it */
};

struct senders {
    struct arena arena; /* what the brands' names are in */
    struct brand *brand;
    size_t brand_count;
    struct providers *providers;
    struct public_suffixes *suffixes;
};

/* Read <folder>/senders/brands.yaml and providers.yaml, and the public suffix list at suffixes_path
 * ("" is the system's). Errors: ERR_INVALID_VALUE with the file and the problem. */
bool senders_load(const char *folder, const char *suffixes_path, struct senders **senders,
                  struct err *err) must_check;
void senders_free(void *address_of_pointer);

/* Read the names of a YAML node in lower case into the arena. Returns false if it is not a list of
 * texts. */
bool names_read_lower(const cJSON *node, struct arena *arena, struct names *names) must_check;

/* Host names below are in lower case, A-labels, without a final dot. */

/* The registrable domain of a host, within it. The host itself if it is a public suffix or a single
 * label. */
const char *senders_owner(const struct senders *senders, const char *host);

/* Whether both belong to the same owner. NULL belongs to none. */
bool senders_related(const struct senders *senders, const char *a, const char *b);

/* Whether it is a provider's domain, or a host below one. */
bool senders_is_free(const struct senders *senders, const char *host);

/* Whether it is a domain of the brand, or a host below one. */
bool brand_owns(const struct senders *senders, const struct brand *brand, const char *host);

/* The brand that a display name contains as whole words, in any case; NULL: none. */
const struct brand *senders_brand_in_name(const struct senders *senders, const char *name);

/* The brand that a host name imitates: a label is the brand's, contains it between hyphens, or is
 * it with look-alike digits (paypa1). NULL: none, or the host belongs to the brand. */
const struct brand *senders_brand_in_host(const struct senders *senders, const char *host);

/* The brand that owns the host; NULL: none. */
const struct brand *senders_brand_of(const struct senders *senders, const char *host);
