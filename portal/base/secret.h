/*
 * portal/base/secret.h - the portal's secret, and one derived key for each use (libsodium's
 * crypto_kdf), so that a leaked value of one use does not help with another.
 *
 * The first line of portal.secret_file is the newest secret. Up to three older ones below it still
 * verify and open what was made with them. Any thread may call.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "text/conf.h"

struct secrets;

/* Never reuse a number. */
enum secret_use {
    SECRET_CSRF = 1,     /* CSRF tokens: page/csrf.h */
    SECRET_LINK = 2,     /* links in emails: links.h */
    SECRET_TOTP = 3,     /* seals the keys of authenticator apps */
    SECRET_RECOVERY = 4, /* playground tokens */
    SECRET_PLAYGROUND = 5,
    SECRET_THROTTLE = 6, /* bucket ids: throttle.h */
    SECRET_CODE = 7,     /* of connected apps: oauth/tokens.h */
    SECRET_REFRESH = 8,
    SECRET_ACCESS = 9,
    SECRET_REGISTRATION = 10, /* their client ids: oauth/clients/client.h */
};

enum { SECRET_MAC_BYTES = 32 };

/* Read portal.secret_file. Errors: ERR_INVALID_VALUE, also if other users may read the file. */
bool secrets_load(const struct conf *conf, struct secrets **secrets, struct err *err) must_check;
void secrets_free(struct secrets **secrets);

/* Read the file again. On an error the old secrets stay. */
bool secrets_reload(struct secrets *secrets, const struct conf *conf, struct err *err) must_check;

/* HMAC-SHA-256 with the newest key of this use. */
void secret_mac(struct secrets *secrets, enum secret_use use, struct text message,
                uint8_t mac[static SECRET_MAC_BYTES]);

/* Was it made with a key of this use, from any line of the file? Takes constant time. */
bool secret_mac_fits(struct secrets *secrets, enum secret_use use, struct text message,
                     const uint8_t mac[static SECRET_MAC_BYTES]);

/* HMAC-SHA-256 with the key of this use from one line of the file, 0 being the newest. False: the
 * file has fewer lines. */
enum { SECRET_LINES_MAX = 4 };
bool secret_mac_of_line(struct secrets *secrets, size_t line, enum secret_use use,
                        struct text message, uint8_t mac[static SECRET_MAC_BYTES]);

/* Encrypt and append a text, with the newest key of this use (XSalsa20-Poly1305 after a fresh
 * nonce). The result is SECRET_SEAL_BYTES longer. */
enum { SECRET_SEAL_BYTES = 40 };
void secret_seal(struct secrets *secrets, enum secret_use use, struct text message,
                 struct buf *sealed);

/* Decrypt and append a sealed text, with any key of the file. False: no key opens it, or it was
 * changed. Wipe the result after use. */
bool secret_open(struct secrets *secrets, enum secret_use use, struct text sealed,
                 struct buf *message);
