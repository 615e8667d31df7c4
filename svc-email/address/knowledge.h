/*
 * svc-email/address/knowledge.h - what is known of addresses from files: words.yaml beside this
 * one, providers.yaml and mail-providers.yaml of senders, the disposable domains
 * (data.disposable_file, or ours) and more free providers (email.free_providers_file). Read at
 * start and again at SIGHUP; with what is loaded ends the cache of what domains' DNS said, so a
 * SIGHUP empties it.
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
    struct names suffixes; /* that people mean */
    struct names suffix_slips;
    const cJSON *disposable_keywords;
    struct names disposable_mx, relays, parked_mx; /* and what is below them */
    struct domain_list *disposable;
    struct domain_list *free;     /* NULL: none */
    struct evidence_cache *cache; /* has its own lock */
};

/* For struct data_kind. Errors: ERR_INVALID_VALUE with the file and what is wrong in it. */
bool knowledge_load(const struct conf *conf, const char *folder, void **content,
                    struct err *err) must_check;
void knowledge_free(void *address_of_pointer);

/* The same from the files' paths; free_file "" is none. */
bool knowledge_read(const char *folder, const char *disposable_file, const char *free_file,
                    struct knowledge **knowledge, struct err *err) must_check;
