/*
 * gateway/ledger/secret.h - do all gateways of this database have the same ledger.secret?
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Compare the secret with that of the gateway that came first, by a digest that the database keeps
 * (HMAC-SHA-256, which tells nothing of a random key); who comes first sets it. With another secret
 * an Idempotency-Key would not be recognised, and its call paid twice. Errors: ERR_INVALID_VALUE
 * with what to do, when it is another; ERR_LEDGER_UNAVAILABLE.
 */
bool secret_agree(const char *url, const char *password, const char *secret, int64_t timeout_ms,
                  struct err *err) must_check;
