/*
 * common/text/token.h - bearer tokens: "tg_live_", 32 characters of base62, 6 check characters.
 * Tokens of connected apps also have 22 characters of the account before the 32, so that /mcp knows
 * the account. Management tokens begin with "tg_mgmt_". A token is valid only where its form is.
 *
 * 32 base62 characters hold 190 random bits. The check characters are the CRC-32 of everything
 * before them, so that scanners and the gateway detect a typing error without the database. Only
 * the SHA-256 of the whole token is stored.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/codec/uuid.h"
#include "base/err.h"

enum { TOKEN_BYTES = 8 + 32 + 6 + 1, TOKEN_DIGEST_BYTES = 32 };

/* A new token with its NUL, and a new management token. Wipe it after use. */
void token_new(char token[static TOKEN_BYTES]);
void token_new_management(char token[static TOKEN_BYTES]);

/*
 * The token made from these bits, always the same, for a process that can make it again and so does
 * not store it. The bits must be as good as random, and secret.
 */
enum { TOKEN_SEED_BYTES = 32 };
void token_of_seed(const uint8_t seed[static TOKEN_SEED_BYTES], char token[static TOKEN_BYTES]);

/* The same for a connected app of this account. */
enum { TOKEN_APP_BYTES = TOKEN_BYTES + 22 };
void token_of_app(const struct uuid *account, const uint8_t seed[static TOKEN_SEED_BYTES],
                  char token[static TOKEN_APP_BYTES]);

/*
 * The digest of the token in an Authorization header (NULL: absent), and whether it is a management
 * token. Errors: ERR_AUTH_MISSING; ERR_AUTH_MALFORMED for another scheme, form or check;
 * ERR_AUTH_INVALID for the token of an app.
 */
bool token_of_bearer(const char *authorization, uint8_t digest[static TOKEN_DIGEST_BYTES],
                     bool *is_management, struct err *err) must_check;

/* The same for the token of an app, and its account. ERR_AUTH_INVALID: it is not of an app. */
bool token_of_bearer_app(const char *authorization, struct uuid *account,
                         uint8_t digest[static TOKEN_DIGEST_BYTES], struct err *err) must_check;

void token_digest(const char *token, uint8_t digest[static TOKEN_DIGEST_BYTES]);
