/*
 * gateway/account/asker.h - who asks about an account: the functions of the database that tell a
 * gateway of an account want one of its tokens beside it.
 */
#pragma once

#include "base/codec/uuid.h"
#include "gateway/ledger/admission.h"

struct asker {
    char account[UUID_TEXT_BYTES];
    char token[2 * DIGEST_BYTES + 1]; /* its SHA-256, in hex */
};

struct asker asker_of(const struct uuid *account, const uint8_t token[static DIGEST_BYTES]);
