/*
 * common/web/own-address.h - an address to listen on, named by the network it lies in.
 *
 * A container learns its addresses when it starts, and has one in each network; which networks
 * there are is known before. So "172.16.5.0/24:8080" means: on this machine's address in that
 * network, and on no other.
 */
#pragma once

#include "base/err.h"

/* "network/prefix:port" of IPv4 becomes "address:port", text without a slash stays as it is; the
 * caller's to free. Errors: ERR_INVALID_VALUE when that is no network or no address lies in it. */
bool own_address(const char *listen, char **made, struct err *err) must_check;
