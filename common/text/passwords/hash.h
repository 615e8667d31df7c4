/*
 * common/text/passwords/hash.h - stored passwords: argon2id strings with 64 MiB and three passes.
 * OWASP's password storage cheat sheet recommends at least 19 MiB and two passes.
 *
 * Each call takes about 80 ms of CPU and 64 MiB, so callers must limit concurrent calls that
 * unauthenticated clients can cause. Call sodium_init() first.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"

enum { PASSWORD_HASH_BYTES = 128 /* with its NUL: libsodium's crypto_pwhash_STRBYTES */ };

/* Errors: ERR_INTERNAL if the memory is not available. */
bool password_hash(struct text password, char hash[static PASSWORD_HASH_BYTES],
                   struct err *err) must_check;

/* Does the password match this hash? NULL or "" never matches, and takes the same time. */
bool password_fits(struct text password, const char *hash);

/* Was it made with parameters other than password_hash()'s? */
bool password_hash_is_old(const char *hash);
