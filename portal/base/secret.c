/* portal/base/secret.c - see secret.h. */
#include "portal/base/secret.h"

#include <assert.h>
#include <pthread.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define KEY "portal.secret_file"

/* The context of crypto_kdf: eight bytes for this program. */
static const char context[crypto_kdf_CONTEXTBYTES] = "tollgate";

enum {
    SECRETS_MAX = SECRET_LINES_MAX,
    SECRET_BYTES = crypto_kdf_KEYBYTES,
    OTHERS = S_IRWXG | S_IRWXO
};

struct ring {
    size_t count;
    uint8_t secret[SECRETS_MAX][SECRET_BYTES]; /* newest first */
};

struct secrets {
    pthread_rwlock_t lock; /* guards ring, which a reload replaces */
    struct ring ring;
};

/* ---- the file ---- */

static bool read_line(struct text line, struct ring *ring, struct err *err)
{
    size_t size;
    if (ring->count == SECRETS_MAX)
        return err_set(err, ERR_INVALID_VALUE, KEY ": more than %d lines", SECRETS_MAX);
    if (line.size != 2 * SECRET_BYTES ||
        sodium_hex2bin(ring->secret[ring->count], SECRET_BYTES, line.bytes, line.size, NULL, &size,
                       NULL) != 0 ||
        size != SECRET_BYTES)
        return err_set(err, ERR_INVALID_VALUE, KEY ": line %zu is not %d hex digits",
                       ring->count + 1, 2 * SECRET_BYTES);
    ring->count++;
    return true;
}

/* Clusters mount secrets as root's files, with our group allowed to read them. */
static bool is_ours_alone(const struct stat *status)
{
    bool is_lent = status->st_uid == 0 && geteuid() != 0;
    return !(status->st_mode & (is_lent ? OTHERS & ~S_IRGRP : OTHERS));
}

static bool check_mode(const struct conf *conf, struct err *err)
{
    struct stat status;
    return stat(conf_str(conf, KEY), &status) != 0 || is_ours_alone(&status) ||
           err_set(err, ERR_INVALID_VALUE, KEY ": %s: other users can read it; run chmod 600",
                   conf_str(conf, KEY));
}

static void wipe(struct ring *ring)
{
    sodium_memzero(ring, sizeof(*ring));
}

static bool read_ring(const struct conf *conf, struct ring *ring, struct err *err)
{
    scoped(wipe) struct ring read = { 0 };
    char *content = NULL;
    bool ok = check_mode(conf, err) && conf_secret(conf, KEY, &content, err);
    struct text rest = text_of(content);
    while (ok && rest.size > 0)
        ok = read_line(text_trim(text_cut(&rest, '\n')), &read, err);
    if (content)
        sodium_memzero(content, strlen(content));
    mem_free(&content);
    if (ok)
        *ring = read;
    return ok;
}

bool secrets_load(const struct conf *conf, struct secrets **made, struct err *err)
{
    struct ring ring;
    if (!read_ring(conf, &ring, err))
        return false;
    struct secrets *secrets = mem_new(sizeof(*secrets));
    pthread_rwlock_init(&secrets->lock, NULL);
    secrets->ring = ring;
    wipe(&ring);
    *made = secrets;
    return true;
}

bool secrets_reload(struct secrets *secrets, const struct conf *conf, struct err *err)
{
    struct ring ring;
    if (!read_ring(conf, &ring, err))
        return false;
    pthread_rwlock_wrlock(&secrets->lock);
    secrets->ring = ring;
    pthread_rwlock_unlock(&secrets->lock);
    wipe(&ring);
    return true;
}

void secrets_free(struct secrets **secrets)
{
    if (!*secrets)
        return;
    wipe(&(*secrets)->ring);
    pthread_rwlock_destroy(&(*secrets)->lock);
    mem_free(secrets);
}

/* ---- keys ---- */

enum { KEY_BYTES = 32 };
static_assert((int)KEY_BYTES == (int)crypto_auth_hmacsha256_KEYBYTES &&
                  (int)KEY_BYTES == (int)crypto_secretbox_KEYBYTES,
              "as libsodium has them");

static void derive_key(const struct secrets *secrets, size_t i, enum secret_use use,
                       uint8_t key[static KEY_BYTES])
{
    crypto_kdf_derive_from_key(key, KEY_BYTES, (uint64_t)use, context, secrets->ring.secret[i]);
}

static void mac_with(const struct secrets *secrets, size_t i, enum secret_use use,
                     struct text message, uint8_t mac[static SECRET_MAC_BYTES])
{
    uint8_t key[KEY_BYTES];
    derive_key(secrets, i, use, key);
    crypto_auth_hmacsha256(mac, (const uint8_t *)message.bytes, message.size, key);
    sodium_memzero(key, sizeof(key));
}

void secret_mac(struct secrets *secrets, enum secret_use use, struct text message,
                uint8_t mac[static SECRET_MAC_BYTES])
{
    pthread_rwlock_rdlock(&secrets->lock);
    mac_with(secrets, 0, use, message, mac);
    pthread_rwlock_unlock(&secrets->lock);
}

bool secret_mac_fits(struct secrets *secrets, enum secret_use use, struct text message,
                     const uint8_t mac[static SECRET_MAC_BYTES])
{
    bool fits = false;
    pthread_rwlock_rdlock(&secrets->lock);
    for (size_t i = 0; i < secrets->ring.count; i++) {
        uint8_t wanted[SECRET_MAC_BYTES];
        mac_with(secrets, i, use, message, wanted);
        fits |= sodium_memcmp(wanted, mac, SECRET_MAC_BYTES) == 0;
    }
    pthread_rwlock_unlock(&secrets->lock);
    return fits;
}

bool secret_mac_of_line(struct secrets *secrets, size_t line, enum secret_use use,
                        struct text message, uint8_t mac[static SECRET_MAC_BYTES])
{
    pthread_rwlock_rdlock(&secrets->lock);
    bool is_there = line < secrets->ring.count;
    if (is_there)
        mac_with(secrets, line, use, message, mac);
    pthread_rwlock_unlock(&secrets->lock);
    return is_there;
}

/* ---- sealing ---- */

enum { NONCE_BYTES = crypto_secretbox_NONCEBYTES, MAC_BYTES = crypto_secretbox_MACBYTES };

static_assert((int)SECRET_SEAL_BYTES == NONCE_BYTES + MAC_BYTES, "as libsodium has them");

void secret_seal(struct secrets *secrets, enum secret_use use, struct text message,
                 struct buf *sealed)
{
    uint8_t key[KEY_BYTES];
    uint8_t *out = (uint8_t *)buf_reserve(sealed, message.size + SECRET_SEAL_BYTES);
    assert(out);
    pthread_rwlock_rdlock(&secrets->lock);
    derive_key(secrets, 0, use, key);
    pthread_rwlock_unlock(&secrets->lock);
    randombytes_buf(out, NONCE_BYTES);
    crypto_secretbox_easy(out + NONCE_BYTES, (const uint8_t *)message.bytes, message.size, out,
                          key);
    sealed->size += message.size + SECRET_SEAL_BYTES;
    sealed->bytes[sealed->size] = '\0';
    sodium_memzero(key, sizeof(key));
}

static bool open_with(const struct secrets *secrets, size_t i, enum secret_use use,
                      struct text sealed, uint8_t *out)
{
    const uint8_t *bytes = (const uint8_t *)sealed.bytes;
    uint8_t key[KEY_BYTES];
    derive_key(secrets, i, use, key);
    bool ok = crypto_secretbox_open_easy(out, bytes + NONCE_BYTES, sealed.size - NONCE_BYTES, bytes,
                                         key) == 0;
    sodium_memzero(key, sizeof(key));
    return ok;
}

bool secret_open(struct secrets *secrets, enum secret_use use, struct text sealed,
                 struct buf *message)
{
    bool is_open = false;
    if (sealed.size < SECRET_SEAL_BYTES)
        return false;
    uint8_t *out = (uint8_t *)buf_reserve(message, sealed.size - SECRET_SEAL_BYTES);
    pthread_rwlock_rdlock(&secrets->lock);
    for (size_t i = 0; out && i < secrets->ring.count && !is_open; i++)
        is_open = open_with(secrets, i, use, sealed, out);
    pthread_rwlock_unlock(&secrets->lock);
    if (is_open) {
        message->size += sealed.size - SECRET_SEAL_BYTES;
        message->bytes[message->size] = '\0';
    }
    return is_open;
}
