/* svc-security/tls-check/protocol/groups.h - named key exchange groups, from groups.def. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { GROUP_IS_TLS13 = 1, GROUP_IS_FINITE_FIELD = 2, GROUP_IS_POST_QUANTUM = 4 };

struct group {
    uint16_t id;
    const char *name;
    unsigned bits;
    unsigned flags;
};

enum { GROUPS_MAX = 40 };

/* NULL if unknown. */
const struct group *group_find(uint16_t id);

/* The groups of TLS 1.3, and the curves of earlier versions, in numeric order. Each function
 * returns their number. */
size_t groups_of_tls13(uint16_t ids[static GROUPS_MAX]);
size_t groups_of_curves(uint16_t ids[static GROUPS_MAX]);
