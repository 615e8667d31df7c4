/*
 * svc-utils/jwt-decode/token/ssh.h - public keys as OpenSSH writes them, in one line: `ssh-ed25519
 * AAAAC3NzaC1… comment`.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/buf.h"

/*
 * The key of such a line as a JWK, which the caller releases with json_free(). Its numbers are in
 * standard Base64. Blanks may follow the key, and after them a comment. NULL for any other text,
 * and for key types that do not sign tokens.
 */
cJSON *ssh_public_jwk(struct text line);
