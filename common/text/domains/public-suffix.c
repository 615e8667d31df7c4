/* common/text/domains/public-suffix.c - the public suffix list, with libpsl. */
#include "text/domains/public-suffix.h"

#include <libpsl.h>
#include <string.h>

#include "base/mem.h"

struct public_suffixes {
    psl_ctx_t *psl;
};

bool public_suffixes_load(const char *path, struct public_suffixes **result, struct err *err)
{
    scoped(public_suffixes_free) struct public_suffixes *suffixes = mem_new(sizeof(*suffixes));
    suffixes->psl = *path ? psl_load_file(path) : psl_latest(NULL);
    if (!suffixes->psl || psl_suffix_count(suffixes->psl) == 0) /* -1: a compiled one */
        return err_set(err, ERR_INVALID_VALUE, "%s is not a public suffix list",
                       *path ? path : "the system's list");
    *result = take(suffixes);
    return true;
}

void public_suffixes_free(struct public_suffixes **suffixes)
{
    if (!*suffixes)
        return;
    psl_free((*suffixes)->psl);
    mem_free(suffixes);
}

bool public_suffix_is(const struct public_suffixes *suffixes, const char *name)
{
    return psl_is_public_suffix(suffixes->psl, name);
}

bool public_suffix_is_known(const struct public_suffixes *suffixes, const char *name)
{
    return psl_is_public_suffix2(suffixes->psl, name, PSL_TYPE_ANY | PSL_TYPE_NO_STAR_RULE);
}

const char *public_suffix_owner(const struct public_suffixes *suffixes, const char *name)
{
    return psl_registrable_domain(suffixes->psl, name);
}

bool public_suffix_same_owner(const struct public_suffixes *suffixes, const char *a, const char *b)
{
    const char *owner = public_suffix_owner(suffixes, a);
    const char *other = public_suffix_owner(suffixes, b);
    return strcmp(a, b) == 0 || (owner && other && strcmp(owner, other) == 0);
}
