/*
 * svc-email/address/knowledge.h - what is known of addresses from files: words.yaml and
 * providers.yaml beside this one, the disposable domains (data.disposable_file, or ours) and more
 * free providers (email.free_providers_file). Read at start and again at SIGHUP; with what is
 * loaded ends the cache of what domains' DNS said, so a SIGHUP empties it.
 */
#ifndef SVC_EMAIL_ADDRESS_KNOWLEDGE_H
#define SVC_EMAIL_ADDRESS_KNOWLEDGE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "text/conf.h"
#include "text/domains/domain-list.h"
#include "text/names.h"
#include "text/regex.h"

struct evidence_cache;

/* One that gives mailboxes to anybody; a row of providers.yaml. */
struct provider {
    const char *name;
    const cJSON *domains; /* texts */
    const cJSON *mx;      /* texts: its mail servers are below them */
    bool has_many;        /* also other domains that begin with a label of its own */
    char tag;             /* '+', '-' or NUL */
    bool ignores_dots;
    const char *same_as; /* NULL: each domain is its own */
    bool has_numbers;
    struct regex *local; /* NULL: not known */
};

/* Names, and what is said of them and of what is below them. */
struct suffixes {
    struct names names;
    const char **said; /* in the order of names */
};

enum role { ROLE_NONE, ROLE_ORDINARY, ROLE_TECHNICAL, ROLE_NOREPLY, ROLES };

struct knowledge {
    cJSON *words;
    cJSON *provider_tree;
    size_t provider_count;
    struct provider *provider;
    struct names domains;    /* of all providers, in their order */
    size_t *domain_provider; /* for each of them */
    struct names labels;     /* that providers with many domains begin with */
    struct names roles[ROLES];
    struct names placeholders;
    struct names suspicious_tlds;
    struct names suffixes; /* that people mean */
    struct names suffix_slips;
    const cJSON *disposable_keywords;
    struct suffixes disposable_mx, relays, parked_mx, business_mx;
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

/* The provider with this domain, in lower case; NULL: none. */
const struct provider *provider_of(const struct knowledge *knowledge, const char *domain);

/* Is the host one of the provider's mail servers? */
bool provider_has_mx(const struct provider *provider, const char *host);

/* What is said of a name or of the nearest of its parents; NULL: nothing. */
const char *suffixes_find(const struct suffixes *suffixes, const char *name);

bool names_have(const struct names *names, struct text name);

/* Is it the name itself or below it? */
bool name_is_within(const char *name, const char *parent);

#endif
