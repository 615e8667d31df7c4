/*
 * gateway/catalog/token-schemas.h - JSON schemas of the endpoints for management tokens, for
 * openapi.c. It uses words of account-schemas.h.
 */
#pragma once

#include "gateway/catalog/account-schemas.h"
#include "gateway/catalog/routes.h"

/* clang-format off */
#define ID            "{\"type\":\"string\",\"format\":\"uuid\"}"
#define FLAG          "{\"type\":\"boolean\"}"
#define STRINGS       "{\"type\":\"array\",\"items\":" WORD "}"
#define CAP           "{\"type\":[\"integer\",\"null\"],\"minimum\":0,\"maximum\":1000000000}"
#define TIME_OR_NULL  "{\"type\":[\"string\",\"null\"],\"format\":\"date-time\"}"
#define TOKEN_NAME    "{\"type\":\"string\",\"minLength\":1,\"maxLength\":60}"
#define TOKEN_STATE   "{\"type\":\"string\",\"enum\":[\"active\",\"expired\",\"revoked\"]}"
#define NETWORKS      "{\"type\":[\"array\",\"null\"],\"maxItems\":20,\"items\":" WORD "}"
#define TOKEN_NAMES   "\"id\",\"name\",\"last4\",\"state\",\"scopes\",\"networks\",\"is_strict\",\"cap_daily\",\"spent_today\"," \
                      "\"cap_total\",\"spent_total\",\"created_at\",\"created_by\",\"expires_at\",\"last_used_at\",\"revoked_at\""
#define TOKEN_FIELDS  "\"id\":" ID ",\"name\":" WORD ",\"last4\":" WORD ",\"state\":" TOKEN_STATE ",\"scopes\":" STRINGS \
                      ",\"networks\":" STRINGS ",\"is_strict\":" FLAG ",\"cap_daily\":" PERHAPS ",\"spent_today\":" PERHAPS \
                      ",\"cap_total\":" PERHAPS ",\"spent_total\":" PERHAPS ",\"created_at\":" TIME ",\"created_by\":" NAME_OR_NULL \
                      ",\"expires_at\":" TIME_OR_NULL ",\"last_used_at\":" TIME_OR_NULL ",\"revoked_at\":" TIME_OR_NULL
#define TOKEN_SHOWN   "{\"type\":\"object\",\"required\":[" TOKEN_NAMES "],\"properties\":{" TOKEN_FIELDS "}}"
#define TOKEN_MADE    "{\"type\":\"object\",\"required\":[\"token\"," TOKEN_NAMES "],\"properties\":{\"token\":" WORD "," TOKEN_FIELDS "}}"
#define TOKEN_CHOICES "\"expires_at\":" TIME_OR_NULL ",\"cap_daily\":" CAP ",\"cap_total\":" CAP ",\"networks\":" NETWORKS \
                      ",\"is_strict\":" FLAG
#define BODY_OF(required, fields) \
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[" required "],\"properties\":{" fields "}}"

static const char *const tokens_parameters[] = {
    PARAMETER "\"state\",\"description\":\"Tokens in this state\",\"schema\":" TOKEN_STATE "}",
    PARAMETER "\"limit\",\"description\":\"Tokens per page\",\"schema\":"
              "{\"type\":\"integer\",\"minimum\":1,\"maximum\":200,\"default\":50}}",
    PARAMETER "\"cursor\",\"description\":\"next_cursor of the previous page\",\"schema\":" WORD "}",
    NULL,
};
static const char *const no_parameters[] = { NULL };

static const struct token_operation {
    enum route route;
    const char *method;
    const char *id;
    const char *summary;
    const char *about;
    const char *body; /* NULL: none */
    const char *result;
    const char *const *parameters;
} token_operations[] = {
    { ROUTE_TOKENS, "get", "tokens-list", "List tokens",
      "The API tokens of the account, the newest first, without their secrets. Needs a management token with the scope tokens:read. Free.",
      NULL,
      "{\"type\":\"object\",\"required\":[\"tokens\",\"next_cursor\"],\"properties\":{\"tokens\":{\"type\":\"array\",\"items\":"
      TOKEN_SHOWN "},\"next_cursor\":" NAME_OR_NULL "}}", tokens_parameters },
    { ROUTE_TOKENS, "post", "tokens-create", "Create a token",
      "Creates an API token; its secret is in the response, only now. You choose its id, so that a request sent twice creates one token. "
      "Needs a management token with the scope tokens:write. Free.",
      BODY_OF("\"id\",\"name\"", "\"id\":" ID ",\"name\":" TOKEN_NAME ",\"scopes\":{\"type\":\"array\",\"maxItems\":100,\"items\":" WORD "},"
              TOKEN_CHOICES), TOKEN_MADE, no_parameters },
    { ROUTE_ONE_TOKEN, "get", "tokens-get", "Show a token",
      "One API token of the account, without its secret. Needs a management token with the scope tokens:read. Free.",
      NULL, TOKEN_SHOWN, no_parameters },
    { ROUTE_ONE_TOKEN, "post", "tokens-change", "Change a token",
      "Changes the settings that the body has. A cap or networks of null take the setting away; the expiry can only become earlier. "
      "Needs a management token with the scope tokens:write. Free.",
      BODY_OF("", "\"name\":" TOKEN_NAME "," TOKEN_CHOICES), TOKEN_SHOWN, no_parameters },
    { ROUTE_TOKEN_REVOKE, "post", "tokens-revoke", "Revoke a token",
      "Once this returns, no call of the token is admitted. Revoking it again is not an error. "
      "Needs a management token with the scope tokens:write. Free.",
      BODY_OF("", ""), TOKEN_SHOWN, no_parameters },
    { ROUTE_TOKEN_ROTATE, "post", "tokens-rotate", "Rotate a token",
      "Replaces a token by one with the same settings, whose id you choose; the old one ends after grace_s seconds. A token with caps keeps "
      "its id and counters, and its old secret ends now. Needs a management token with the scope tokens:write. Free.",
      BODY_OF("", "\"id\":" ID ",\"grace_s\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":604800,\"default\":0}"),
      TOKEN_MADE, no_parameters },
};
/* clang-format on */
