/*
 * gateway/ledger/secret.h - all gateways of a database must have the same ledger.secret.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Compare the secret with the digest in the database (HMAC-SHA-256, which reveals nothing of a
 * random key); the first gateway stores it. A gateway with another secret would not recognize an
 * Idempotency-Key and would charge its call twice. Errors: ERR_INVALID_VALUE, with what to do, for
 * another secret; ERR_LEDGER_UNAVAILABLE.
 */
bool secret_agree(const char *url, const char *password, const char *secret, int64_t timeout_ms,
                  struct err *err) must_check;
