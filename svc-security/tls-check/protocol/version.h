/* svc-security/tls-check/protocol/version.h - versions of the protocol, worst first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum version { SSLV2, SSLV3, TLSV10, TLSV11, TLSV12, TLSV13, VERSIONS };

const char *version_name(enum version version); /* "TLSv1.2" */

/* The number on the wire: 0x0303 for TLS 1.2. */
uint16_t version_number(enum version version);

/* False for a number that is no version. */
bool version_of_number(uint16_t number, enum version *version);
