/*
 * svc-email/senders/providers.h - who gives mailboxes to anybody: the rows of providers.yaml.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "text/names.h"
#include "text/regex.h"

/* What the keys of a row mean stands above them. */
struct provider {
    const char *name;
    const cJSON *domains; /* texts */
    const cJSON *mx;      /* texts: its mail servers are below them; NULL: not known */
    bool has_many;
    bool is_rare;
    char tag; /* '+', '-' or NUL */
    bool ignores_dots;
    const char *same_as; /* NULL: each domain is its own */
    bool has_numbers;
    struct regex *local; /* NULL: not known */
};

struct providers {
    cJSON *tree; /* what the others point into */
    size_t count;
    struct provider *item;
    struct names domains;    /* of all, in their order */
    size_t *domain_provider; /* for each of them */
    struct names labels;     /* that providers with many domains begin with */
};

/* Read <folder>/senders/providers.yaml. Errors: ERR_INVALID_VALUE with the file and what is wrong.
 */
bool providers_load(const char *folder, struct providers **providers, struct err *err) must_check;
void providers_free(struct providers **providers);

/* The provider with this domain, in lower case; NULL: none. */
const struct provider *providers_find(const struct providers *providers, const char *domain);

/* Is the host one of the provider's mail servers? */
bool provider_has_mx(const struct provider *provider, const char *host);
