/*
 * svc-email/senders/providers.h - providers of public mailboxes: the rows of providers.yaml.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "text/names.h"
#include "text/regex.h"

/* providers.yaml describes the keys. */
struct provider {
    const char *name;
    const cJSON *domains; /* texts */
    const cJSON *mx;      /* texts: its mail servers are below these names; NULL: unknown */
    bool has_many;
    bool is_rare;
    char tag; /* '+', '-' or NUL */
    bool ignores_dots;
    const char *same_as; /* NULL: each domain has its own mailboxes */
    bool has_numbers;
    struct regex *local; /* NULL: unknown */
};

struct providers {
    cJSON *tree; /* what the others point into */
    size_t count;
    struct provider *item;
    struct names domains;    /* of all providers, in order */
    size_t *domain_provider; /* index of the provider of each domain */
    struct names labels;     /* first labels of providers with many domains */
};

/* Read <folder>/senders/providers.yaml. Errors: ERR_INVALID_VALUE with the file and the problem. */
bool providers_load(const char *folder, struct providers **providers, struct err *err) must_check;
void providers_free(struct providers **providers);

/* The provider of this domain, in lower case; NULL: none. */
const struct provider *providers_find(const struct providers *providers, const char *domain);

/* Whether the host is one of the provider's mail servers. */
bool provider_has_mx(const struct provider *provider, const char *host);
