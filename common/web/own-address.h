/*
 * common/web/own-address.h - an address to listen on, named by its network.
 *
 * A container gets its addresses when it starts, one in each network; the networks are known
 * before. "172.16.5.0/24:8080" means: only on this machine's address in that network.
 */
#pragma once

#include "base/err.h"

/*
 * "network/prefix:port" (IPv4) becomes "address:port"; a text without a slash stays unchanged. The
 * caller frees it. Errors: ERR_INVALID_VALUE if the network is invalid or the machine has no
 * address in it.
 */
bool own_address(const char *listen, char **made, struct err *err) must_check;
