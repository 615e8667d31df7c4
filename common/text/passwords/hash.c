/* common/text/passwords/hash.c - argon2id with libsodium, whose strings contain salt and
 * parameters. */
#include "text/passwords/hash.h"

#include <assert.h>
#include <sodium.h>

enum { PASSES = 3, MEMORY_BYTES = 64 << 20 };

static_assert((int)PASSWORD_HASH_BYTES == (int)crypto_pwhash_STRBYTES, "as libsodium has it");

/* A hash of random bytes, which no known password matches; a check takes the same time. */
static const char NOBODY[] = "$argon2id$v=19$m=65536,t=3,p=1$CZMVoYmHSaOYAelCNvHogQ$"
                             "nYFf6WfsMz6wrKBF2o0dwl7jnPnpkdSpg7a0H/7VDng";

bool password_hash(struct text password, char hash[static PASSWORD_HASH_BYTES], struct err *err)
{
    return crypto_pwhash_str(hash, password.bytes, password.size, PASSES, MEMORY_BYTES) == 0 ||
           err_set(err, ERR_INTERNAL, "not enough memory to hash a password");
}

bool password_fits(struct text password, const char *hash)
{
    const char *fits = hash && hash[0] != '\0' ? hash : NOBODY;
    return crypto_pwhash_str_verify(fits, password.bytes, password.size) == 0;
}

bool password_hash_is_old(const char *hash)
{
    return crypto_pwhash_str_needs_rehash(hash, PASSES, MEMORY_BYTES) != 0;
}
