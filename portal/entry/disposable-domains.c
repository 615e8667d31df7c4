/* portal/entry/disposable-domains.c - see disposable-domains.h. */
#include "portal/entry/disposable-domains.h"

#include <pthread.h>

#include "base/mem.h"
#include "text/domains/domain-list.h"
#include "text/domains/public-suffix.h"

struct disposable_domains {
    pthread_rwlock_t lock; /* guards list, which a reload replaces */
    struct domain_list *list;
    struct public_suffixes *suffixes;
};

/* The configured list, or the one in svc-email's contracts. */
static bool load_list(const struct conf *conf, struct domain_list **list, struct err *err)
{
    const char *configured = conf_str(conf, "portal.disposable_file");
    scoped(mem_free) char *ours =
        str_format("%s/svc-email/address/disposable-domains.txt", conf_str(conf, "contracts_dir"));
    return domain_list_load(*configured ? configured : ours, list, err);
}

bool disposable_domains_load(const struct conf *conf, struct disposable_domains **made,
                             struct err *err)
{
    scoped(disposable_domains_free) struct disposable_domains *domains = mem_new(sizeof(*domains));
    pthread_rwlock_init(&domains->lock, NULL);
    if (!load_list(conf, &domains->list, err) ||
        !public_suffixes_load(conf_str(conf, "data.psl_file"), &domains->suffixes, err))
        return false;
    *made = take(domains);
    return true;
}

void disposable_domains_free(struct disposable_domains **domains)
{
    if (!*domains)
        return;
    domain_list_free(&(*domains)->list);
    public_suffixes_free(&(*domains)->suffixes);
    pthread_rwlock_destroy(&(*domains)->lock);
    mem_free(domains);
}

bool disposable_domains_reload(struct disposable_domains *domains, const struct conf *conf,
                               struct err *err)
{
    struct domain_list *list;
    if (!load_list(conf, &list, err))
        return false;
    pthread_rwlock_wrlock(&domains->lock);
    struct domain_list *old = domains->list;
    domains->list = list;
    pthread_rwlock_unlock(&domains->lock);
    domain_list_free(&old);
    return true;
}

bool disposable_domains_has(struct disposable_domains *domains, const char *domain)
{
    const char *owner = public_suffix_owner(domains->suffixes, domain);
    if (!owner)
        owner = domain;
    pthread_rwlock_rdlock(&domains->lock);
    bool is_listed = domain_list_match(domains->list, domain, owner) != DOMAIN_UNLISTED;
    pthread_rwlock_unlock(&domains->lock);
    return is_listed;
}
