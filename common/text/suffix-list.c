/* common/text/suffix-list.c - the public suffix list, by libpsl. */
#include "text/suffix-list.h"

#include <libpsl.h>
#include <string.h>

#include "base/mem.h"

struct suffix_list {
    psl_ctx_t *psl;
};

bool suffix_list_load(const char *path, struct suffix_list **list, struct err *err)
{
    psl_ctx_t *psl = *path ? psl_load_file(path) : psl_latest(NULL);
    if (!psl)
        return err_set(err, ERR_INVALID_VALUE, "%s: is no public suffix list",
                       *path ? path : "the system's list");
    *list = mem_new(sizeof(**list));
    (*list)->psl = psl;
    return true;
}

void suffix_list_free(struct suffix_list **list)
{
    if (!*list)
        return;
    psl_free((*list)->psl);
    mem_free(list);
}

bool suffix_list_has(const struct suffix_list *list, const char *name)
{
    return psl_is_public_suffix(list->psl, name);
}

bool suffix_list_same_site(const struct suffix_list *list, const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return true;
    const char *domain_a = psl_registrable_domain(list->psl, a);
    const char *domain_b = psl_registrable_domain(list->psl, b);
    return domain_a && domain_b && strcmp(domain_a, domain_b) == 0;
}
