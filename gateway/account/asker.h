/*
 * gateway/account/asker.h - the account and token of a request. The database functions that
 * gateways use to read an account's data require one of the account's tokens.
 */
#pragma once

#include "base/codec/uuid.h"
#include "gateway/ledger/admission.h"

struct asker {
    char account[UUID_TEXT_BYTES];
    char token[2 * DIGEST_BYTES + 1]; /* the token's SHA-256, in hex */
};

struct asker asker_of(const struct uuid *account, const uint8_t token[static DIGEST_BYTES]);
