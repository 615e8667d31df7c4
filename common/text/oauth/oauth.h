/*
 * common/text/oauth/oauth.h - what the authorization server (portal/oauth) and the resource server
 * (the gateway's /mcp) must spell alike. The issuer is gateway.public_url without a slash at its
 * end.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define OAUTH_RESOURCE_PATH          "/mcp" /* after the issuer: the resource (RFC 8707) */
#define OAUTH_RESOURCE_METADATA_PATH "/.well-known/oauth-protected-resource/mcp" /* RFC 9728 */
#define OAUTH_SERVER_METADATA_PATH   "/.well-known/oauth-authorization-server"   /* RFC 8414 */

/* Scopes are the groups of tools, and `account`: balance and usage. */
enum { OAUTH_SCOPES = 7 };
extern const char *const oauth_scopes[OAUTH_SCOPES];

/* The index of a scope; OAUTH_SCOPES if it is unknown. */
size_t oauth_scope_find(struct text scope);

/* "utils chat …"; and a list as a member of an object, returned (borrowed). */
void oauth_scopes_write(struct buf *out);
cJSON *oauth_scopes_add(cJSON *object, const char *name);

/* The header line WWW-Authenticate of the resource server, without an error and an end (RFC 9728
 * section 5.1). Yours. */
char *oauth_challenge(const char *issuer);
