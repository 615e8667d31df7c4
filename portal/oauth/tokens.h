/*
 * portal/oauth/tokens.h - codes, refresh tokens and access tokens of connected apps. None is
 * stored: each is made from ids and numbers with an HMAC, and can be made again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/codec/uuid.h"
#include "portal/base/secret.h"
#include "portal/base/url-text.h"
#include "text/token.h"

#define OAUTH_CODE_PREFIX    "tg_code_"
#define OAUTH_REFRESH_PREFIX "tg_refresh_"

enum {
    OAUTH_CODE_BYTES = 8 + URL_TEXT_BYTES(2 * UUID_BYTES + SECRET_MAC_BYTES),
    OAUTH_REFRESH_BYTES = 11 + URL_TEXT_BYTES(2 * UUID_BYTES + 4 + SECRET_MAC_BYTES),
};

/* What a code or token names: an account, and a code's id, or a connection's and a number. */
struct oauth_name {
    struct uuid account;
    struct uuid id;
    uint32_t number; /* of a refresh or access token; 0 for a code */
};

/* Under the newest line of portal.secret_file. */
void oauth_code_write(struct secrets *secrets, const struct oauth_name *name,
                      char code[static OAUTH_CODE_BYTES]);
void oauth_refresh_write(struct secrets *secrets, const struct oauth_name *name,
                         char token[static OAUTH_REFRESH_BYTES]);

/* False: it is not ours. Any line of the file verifies it. */
bool oauth_code_read(struct secrets *secrets, const char *code, struct oauth_name *name);
bool oauth_refresh_read(struct secrets *secrets, const char *token, struct oauth_name *name);

/* The access token of a line of the file, 0 being the newest. False: the file has fewer
 * lines. */
bool oauth_access_write(struct secrets *secrets, size_t line, const struct oauth_name *name,
                        char token[static TOKEN_APP_BYTES]);
