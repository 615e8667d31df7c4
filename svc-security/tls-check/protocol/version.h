/* svc-security/tls-check/protocol/version.h - protocol versions, worst first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum version { SSLV2, SSLV3, TLSV10, TLSV11, TLSV12, TLSV13, VERSIONS };

const char *version_name(enum version version); /* such as "TLSv1.2" */

/* The wire number, such as 0x0303 for TLS 1.2. */
uint16_t version_number(enum version version);

/* Returns false for an unknown number. */
bool version_of_number(uint16_t number, enum version *version);
