/*
 * svc-security/tls-check/clients.h - which clients can connect, and how: worked out from the scan,
 * without a connection for each client.
 */
#pragma once

#include <cjson/cJSON.h>

#include "tls-check/scan/facts.h"

enum client_failure {
    CLIENT_CONNECTS,
    CLIENT_NO_VERSION,
    CLIENT_NO_SUITE,
    CLIENT_NO_GROUP,
    CLIENT_LONG_PRIME, /* the Diffie-Hellman prime is longer than it supports */
};

struct client; /* a row of clients.def */

struct client_result {
    enum client_failure failure;
    enum version version; /* if it connects, like suite and certificate */
    const struct suite *suite;
    const struct facts *certificate; /* the facts with the certificate that it gets; or NULL */
    enum tristate trusts;
};

/* The client of that name; NULL: unknown. */
const struct client *client_find(const char *name);

/* facts has one item for each of the server's certificates, at least one. */
struct client_result client_connect(const struct client *client, const struct facts *const *facts,
                                    size_t count);

/* Add the list `clients` to the result. */
void clients_print(const struct facts *const *facts, size_t count, cJSON *result);
