/*
 * gateway/mcp/era.h - which of the two protocol generations a message uses.
 *
 * Modern is revision 2026-07-28: each message has its version in the body and in headers, which
 * must agree. Legacy is 2025-11-25 and 2025-06-18, which start with `initialize`. Neither has
 * server state.
 */
#pragma once

#include "gateway/mcp/message.h"

#define ERA_MODERN_VERSION "2026-07-28"
#define ERA_LEGACY_VERSION "2025-11-25" /* the newest legacy version */

/* The headers about the message; NULL: absent. */
struct era_headers {
    const char *version; /* MCP-Protocol-Version */
    const char *method;  /* Mcp-Method */
    const char *name;    /* Mcp-Name */
};

bool era_is_modern(const struct mcp_message *message, const struct era_headers *headers);

/* Check that a modern message is complete and agrees with its headers. */
bool era_check(const struct mcp_message *message, const struct era_headers *headers,
               struct rpc_fault *fault) must_check;

/* The version in the response to `initialize`. */
const char *era_legacy_version(const char *asked);
