/*
 * svc-utils/jwt-decode/ssh.h - public keys as OpenSSH writes them, in one line:
 * `ssh-ed25519 AAAAC3NzaC1… comment`.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/buf.h"

/* The key of such a line as a JWK, which the caller releases with json_free(); its numbers are in
 * the standard alphabet of Base64. Blanks may follow the key, and a comment after them. NULL for
 * any other text, and for kinds of keys that sign no token. */
cJSON *ssh_public_jwk(struct text line);
