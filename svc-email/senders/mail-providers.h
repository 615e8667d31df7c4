/*
 * svc-email/senders/mail-providers.h - who runs a mail host: the table of mail-providers.yaml.
 */
#pragma once

#include "svc/data.h"

struct mail_providers;

/* The kind of data of tools that need it; its content is a struct mail_providers. */
extern const struct data_kind mail_providers_data;

/* Read a file. Errors: ERR_INVALID_VALUE with the file and what is wrong in it. */
bool mail_providers_load(const char *file, struct mail_providers **providers,
                         struct err *err) must_check;
void mail_providers_free(void *address_of_pointer);

enum mail_role {
    MAIL_MX,   /* hosts that take a domain's mail */
    MAIL_SPF,  /* targets of include */
    MAIL_DKIM, /* where CNAMEs of selectors lead */
};

struct mail_provider {
    const char *name;
    bool is_business; /* an organisation's own domain there speaks for its addresses */
};

/* Whose a name is: itself or what is below one of the provider's names for this role. NULL: nobody
 * known. Borrowed. */
const struct mail_provider *mail_providers_find(const struct mail_providers *providers,
                                                enum mail_role role, const char *name);
const char *mail_provider_of(const struct mail_providers *providers, enum mail_role role,
                             const char *name); /* its name */
