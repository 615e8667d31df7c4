/* portal/entry/throwaways.c - see throwaways.h. */
#include "portal/entry/throwaways.h"

#include <pthread.h>

#include "base/mem.h"
#include "text/domains/domain-list.h"
#include "text/domains/public-suffix.h"

struct throwaways {
    pthread_rwlock_t lock; /* guards list, which a reload replaces */
    struct domain_list *list;
    struct public_suffixes *suffixes;
};

/* The configured list, or the one that comes with svc-email's contracts. */
static bool load_list(const struct conf *conf, struct domain_list **list, struct err *err)
{
    const char *configured = conf_str(conf, "portal.disposable_file");
    scoped(mem_free) char *ours =
        str_format("%s/svc-email/address/disposable-domains.txt", conf_str(conf, "contracts_dir"));
    return domain_list_load(*configured ? configured : ours, list, err);
}

bool throwaways_load(const struct conf *conf, struct throwaways **made, struct err *err)
{
    scoped(throwaways_free) struct throwaways *throwaways = mem_new(sizeof(*throwaways));
    pthread_rwlock_init(&throwaways->lock, NULL);
    if (!load_list(conf, &throwaways->list, err) ||
        !public_suffixes_load(conf_str(conf, "data.psl_file"), &throwaways->suffixes, err))
        return false;
    *made = take(throwaways);
    return true;
}

void throwaways_free(struct throwaways **throwaways)
{
    if (!*throwaways)
        return;
    domain_list_free(&(*throwaways)->list);
    public_suffixes_free(&(*throwaways)->suffixes);
    pthread_rwlock_destroy(&(*throwaways)->lock);
    mem_free(throwaways);
}

bool throwaways_reload(struct throwaways *throwaways, const struct conf *conf, struct err *err)
{
    struct domain_list *list;
    if (!load_list(conf, &list, err))
        return false;
    pthread_rwlock_wrlock(&throwaways->lock);
    struct domain_list *old = throwaways->list;
    throwaways->list = list;
    pthread_rwlock_unlock(&throwaways->lock);
    domain_list_free(&old);
    return true;
}

bool throwaways_have(struct throwaways *throwaways, const char *domain)
{
    const char *owner = public_suffix_owner(throwaways->suffixes, domain);
    if (!owner)
        owner = domain;
    pthread_rwlock_rdlock(&throwaways->lock);
    bool is_listed = domain_list_match(throwaways->list, domain, owner) != DOMAIN_UNLISTED;
    pthread_rwlock_unlock(&throwaways->lock);
    return is_listed;
}
