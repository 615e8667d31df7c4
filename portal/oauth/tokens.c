/* portal/oauth/tokens.c - see tokens.h. */
#include "portal/oauth/tokens.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_BYTES = 4, NAME_MAX_BYTES = 2 * UUID_BYTES + NUMBER_BYTES };

/* The bytes that are signed; returns how many. */
static size_t write_name(const struct oauth_name *name, bool has_number,
                         uint8_t out[static NAME_MAX_BYTES])
{
    memcpy(out, name->account.bytes, UUID_BYTES);
    memcpy(out + UUID_BYTES, name->id.bytes, UUID_BYTES);
    for (size_t i = 0; i < NUMBER_BYTES; i++)
        out[2 * UUID_BYTES + i] = (uint8_t)(name->number >> (8 * (NUMBER_BYTES - 1 - i)));
    return has_number ? NAME_MAX_BYTES : 2 * UUID_BYTES;
}

static void read_name(const uint8_t bytes[static NAME_MAX_BYTES], bool has_number,
                      struct oauth_name *name)
{
    memcpy(name->account.bytes, bytes, UUID_BYTES);
    memcpy(name->id.bytes, bytes + UUID_BYTES, UUID_BYTES);
    name->number = 0;
    for (size_t i = 0; has_number && i < NUMBER_BYTES; i++)
        name->number = name->number << 8 | bytes[2 * UUID_BYTES + i];
}

static struct text message_of(const uint8_t *bytes, size_t size)
{
    return (struct text){ (const char *)bytes, size };
}

/* ---- codes and refresh tokens: a prefix, and base64url of the name and its MAC ---- */

static const struct form {
    const char *prefix;
    enum secret_use use;
    bool has_number;
} code_form = { OAUTH_CODE_PREFIX, SECRET_CODE, false },
  refresh_form = { OAUTH_REFRESH_PREFIX, SECRET_REFRESH, true };

static void write_form(struct secrets *secrets, const struct form *form,
                       const struct oauth_name *name, char *out, size_t out_bytes)
{
    uint8_t bytes[NAME_MAX_BYTES + SECRET_MAC_BYTES];
    size_t size = write_name(name, form->has_number, bytes);
    size_t prefix = strlen(form->prefix);
    secret_mac(secrets, form->use, message_of(bytes, size), bytes + size);
    memcpy(out, form->prefix, prefix);
    url_text_write(bytes, size + SECRET_MAC_BYTES, out + prefix, out_bytes - prefix);
    sodium_memzero(bytes, sizeof(bytes));
}

static bool read_form(struct secrets *secrets, const struct form *form, const char *text,
                      struct oauth_name *name)
{
    uint8_t bytes[NAME_MAX_BYTES + SECRET_MAC_BYTES];
    size_t size = form->has_number ? NAME_MAX_BYTES : 2 * UUID_BYTES;
    struct text rest = text_of(text);
    if (!text_begins(rest, form->prefix) ||
        !url_text_read(text_skip(rest, strlen(form->prefix)), bytes, size + SECRET_MAC_BYTES) ||
        !secret_mac_fits(secrets, form->use, message_of(bytes, size), bytes + size))
        return false;
    read_name(bytes, form->has_number, name);
    return true;
}

void oauth_code_write(struct secrets *secrets, const struct oauth_name *name,
                      char code[static OAUTH_CODE_BYTES])
{
    write_form(secrets, &code_form, name, code, OAUTH_CODE_BYTES);
}

void oauth_refresh_write(struct secrets *secrets, const struct oauth_name *name,
                         char token[static OAUTH_REFRESH_BYTES])
{
    write_form(secrets, &refresh_form, name, token, OAUTH_REFRESH_BYTES);
}

bool oauth_code_read(struct secrets *secrets, const char *code, struct oauth_name *name)
{
    return read_form(secrets, &code_form, code, name);
}

bool oauth_refresh_read(struct secrets *secrets, const char *token, struct oauth_name *name)
{
    return read_form(secrets, &refresh_form, token, name);
}

/* ---- access tokens ---- */

bool oauth_access_write(struct secrets *secrets, size_t line, const struct oauth_name *name,
                        char token[static TOKEN_APP_BYTES])
{
    uint8_t bytes[NAME_MAX_BYTES];
    uint8_t seed[SECRET_MAC_BYTES];
    size_t size = write_name(name, true, bytes);
    if (!secret_mac_of_line(secrets, line, SECRET_ACCESS, message_of(bytes, size), seed))
        return false;
    token_of_app(&name->account, seed, token);
    sodium_memzero(seed, sizeof(seed));
    return true;
}
