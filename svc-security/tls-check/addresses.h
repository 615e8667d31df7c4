/*
 * svc-security/tls-check/addresses.h - compare the certificates of a host's addresses.
 */
#pragma once

#include <cjson/cJSON.h>

#include "presented.h"

/* Complete a handshake with up to three more addresses of the host, and add to the result how they
 * differ from the first, which has been evaluated. */
void addresses_compare(const struct server *server, const struct presented *first, cJSON *result);
