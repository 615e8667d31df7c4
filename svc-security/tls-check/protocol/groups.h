/* svc-security/tls-check/protocol/groups.h - named groups of key exchange, groups.def. */
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

/* NULL: none that we know. */
const struct group *group_find(uint16_t id);

/* The groups a client of TLS 1.3 can be given, and the curves of the versions before, in the order
 * of their numbers; each returns how many. */
size_t groups_of_tls13(uint16_t ids[static GROUPS_MAX]);
size_t groups_of_curves(uint16_t ids[static GROUPS_MAX]);
