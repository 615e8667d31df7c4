/*
 * common/text/passwords/hash.h - passwords as they are stored: argon2id strings, of 64 MiB and
 * three passes; OWASP's password storage cheat sheet asks for 19 MiB and two at least.
 *
 * Each call takes about 80 ms of a processor and 64 MiB, so whoever lets strangers ask for it
 * bounds how many run at once. sodium_init() goes before.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"

enum { PASSWORD_HASH_BYTES = 128 /* with its NUL: libsodium's crypto_pwhash_STRBYTES */ };

/* Errors: ERR_INTERNAL when the memory is not to be had. */
bool password_hash(struct text password, char hash[static PASSWORD_HASH_BYTES],
                   struct err *err) must_check;

/* Does it open what has this hash? NULL or "", which nothing opens, takes as long as any other. */
bool password_fits(struct text password, const char *hash);

/* Was it made with other parameters than password_hash() has now? */
bool password_hash_is_old(const char *hash);
