/* svc-security/tls-check/protocol/groups.c - named key exchange groups. */
#include "groups.h"

#include "base/scoped.h"

static const struct group groups[] = {
#define GROUP(id, name, bits, flags) { id, name, bits, flags },
#include "groups.def"
#undef GROUP
};

_Static_assert(countof(groups) <= GROUPS_MAX, "a list of groups must hold them all");

const struct group *group_find(uint16_t id)
{
    for (size_t i = 0; i < countof(groups); i++)
        if (groups[i].id == id)
            return &groups[i];
    return NULL;
}

/* Select the groups whose flags, masked, equal `flags`. */
static size_t select_groups(unsigned mask, unsigned flags, uint16_t ids[static GROUPS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < countof(groups); i++)
        if ((groups[i].flags & mask) == flags)
            ids[count++] = groups[i].id;
    return count;
}

size_t groups_of_tls13(uint16_t ids[static GROUPS_MAX])
{
    return select_groups(GROUP_IS_TLS13, GROUP_IS_TLS13, ids);
}

size_t groups_of_curves(uint16_t ids[static GROUPS_MAX])
{
    return select_groups(GROUP_IS_FINITE_FIELD | GROUP_IS_POST_QUANTUM, 0, ids);
}
