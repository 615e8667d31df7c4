/*
 * svc-email/address/knowledge.h - data files about addresses: words.yaml in this folder,
 * root-zone.txt, providers.yaml and mail-providers.yaml of senders, the disposable domains
 * (data.disposable_file, or the shipped list) and more free providers (email.free_providers_file).
 * Read at start and on SIGHUP. A SIGHUP also empties the evidence cache, which belongs to the
 * loaded data.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/err.h"
#include "senders/mail-providers.h"
#include "senders/providers.h"
#include "text/conf.h"
#include "text/domains/domain-list.h"
#include "text/names.h"

struct evidence_cache;

enum role { ROLE_NONE, ROLE_ORDINARY, ROLE_TECHNICAL, ROLE_NOREPLY, ROLES };

struct knowledge {
    cJSON *words;
    struct providers *providers;
    struct mail_providers *operators;
    struct names roles[ROLES];
    struct names placeholders;
    struct names suspicious_tlds;
    struct names suffixes; /* common top-level domains */
    struct names suffix_slips;
    const cJSON *disposable_keywords;
    struct names disposable_mx, relays, parked_mx; /* these names and those below them */
    struct domain_list *root_zone;                 /* top-level domains */
    struct domain_list *disposable;
    struct domain_list *free;     /* NULL: none */
    struct evidence_cache *cache; /* has its own lock */
};

/* For struct data_kind. Errors: ERR_INVALID_VALUE with the file and the problem. */
bool knowledge_load(const struct conf *conf, const char *folder, void **content,
                    struct err *err) must_check;
void knowledge_free(void *address_of_pointer);

/* The same from paths; free_file "" means none. */
bool knowledge_read(const char *folder, const char *disposable_file, const char *free_file,
                    struct knowledge **knowledge, struct err *err) must_check;

/* Whether the root zone has a top-level domain, an A-label in lower case. */
bool knowledge_has_top(const struct knowledge *knowledge, const char *label);
