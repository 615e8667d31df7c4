/*
 * common/base/codec/networks.h - the networks from which a token may be used, as people and
 * programs name them.
 */
#pragma once

#include "base/codec/cidr.h"

enum {
    NETWORKS_MAX = 20,
    NETWORKS_TEXT_BYTES = NETWORKS_MAX * CIDR_TEXT_BYTES + 3,
    NETWORKS_IPV4_BITS = 8, /* the shortest prefix of IPv4, and of IPv6: the check of table token */
    NETWORKS_IPV6_BITS = 32,
};

/*
 * Add one network or address to the list of a token; a repeated one is left out. Errors, as clauses
 * without a subject: ERR_INVALID_VALUE for a text that is not a network or that has too short a
 * prefix, ERR_TOO_MANY_ITEMS.
 */
bool networks_add(struct cidrs *list, struct text text, struct err *err) must_check;

/* The list as an SQL array, "{10.0.0.0/8,2001:db8::/32}"; "" if it is empty. */
void networks_write(const struct cidrs *list, char out[static NETWORKS_TEXT_BYTES]);
