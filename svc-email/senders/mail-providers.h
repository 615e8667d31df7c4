/*
 * svc-email/senders/mail-providers.h - find the operator of a mail host in mail-providers.yaml.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/scoped.h"

struct mail_providers;

/* Read a file. Errors: ERR_INVALID_VALUE with the file and the problem. */
bool mail_providers_load(const char *file, struct mail_providers **providers,
                         struct err *err) must_check;
void mail_providers_free(void *address_of_pointer);

enum mail_role {
    MAIL_MX,   /* hosts that receive a domain's mail */
    MAIL_SPF,  /* targets of include */
    MAIL_DKIM, /* targets of the selectors' CNAMEs */
};

enum { MAIL_SELECTORS_MAX = 5 };

struct mail_provider {
    const char *name;
    const char *selector[MAIL_SELECTORS_MAX]; /* of its customers' DKIM keys */
    size_t selectors;
    bool has_random_selectors; /* they differ for each customer */
    bool is_business;          /* a company's own domain there is a sign of legitimate addresses */
};

/* The owner of a name: the name, or one that it is below, is the provider's for this role. NULL:
 * unknown. Borrowed. */
const struct mail_provider *mail_providers_find(const struct mail_providers *providers,
                                                enum mail_role role, const char *name);
const char *mail_provider_of(const struct mail_providers *providers, enum mail_role role,
                             const char *name); /* its name */
