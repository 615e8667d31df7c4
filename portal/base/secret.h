/*
 * portal/base/secret.h - the portal's secret, and the keys made of it: one for each use, so that
 * what is shown of one says nothing about another (libsodium's crypto_kdf).
 *
 * portal.secret_file has the newest secret in its first line, and below it up to three older ones,
 * which still verify and open what was made with them. Any thread may call.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "text/conf.h"

struct secrets;

/* A number once used keeps its meaning for ever. */
enum secret_use {
    SECRET_CSRF = 1,       /* marks of forms: page/csrf.h */
    SECRET_LINK = 2,       /* links in mails: links.h */
    SECRET_TOTP = 3,       /* seals the keys of authenticator apps */
    SECRET_RECOVERY = 4,   /* recovery codes as they are stored */
    SECRET_PLAYGROUND = 5, /* tokens of the playground */
    SECRET_THROTTLE = 6,   /* who a bucket belongs to: throttle.h */
};

enum { SECRET_MAC_BYTES = 32 };

/* Read portal.secret_file. Errors: ERR_INVALID_VALUE, also for a file that others may read. */
bool secrets_load(const struct conf *conf, struct secrets **secrets, struct err *err) must_check;
void secrets_free(struct secrets **secrets);

/* Read the file again; a broken one keeps the old. */
bool secrets_reload(struct secrets *secrets, const struct conf *conf, struct err *err) must_check;

/* HMAC-SHA-256 with the newest key of this use. */
void secret_mac(struct secrets *secrets, enum secret_use use, struct text message,
                uint8_t mac[static SECRET_MAC_BYTES]);

/* Was it made with a key of this use, whichever of the file? In constant time. */
bool secret_mac_fits(struct secrets *secrets, enum secret_use use, struct text message,
                     const uint8_t mac[static SECRET_MAC_BYTES]);

/* Append what only a key of this use opens (XSalsa20-Poly1305, a fresh nonce before it): for what
 * has to be stored or sent, and nobody is to read. It is SECRET_SEAL_BYTES longer. */
enum { SECRET_SEAL_BYTES = 40 };
void secret_seal(struct secrets *secrets, enum secret_use use, struct text message,
                 struct buf *sealed);

/* Append what was sealed, with whichever key of the file; false: with none, or it was changed. Wipe
 * it after use. */
bool secret_open(struct secrets *secrets, enum secret_use use, struct text sealed,
                 struct buf *message);
