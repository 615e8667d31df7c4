/*
 * gateway/mcp/era.h - which of the protocol's two ways a message speaks.
 *
 * Modern is revision 2026-07-28: each message says its version, in the body and in header fields
 * that must agree. Legacy are 2025-11-25 and 2025-06-18, which begin by `initialize`. Neither keeps
 * a state here.
 */
#pragma once

#include "gateway/mcp/message.h"

#define ERA_MODERN_VERSION "2026-07-28"
#define ERA_LEGACY_VERSION "2025-11-25" /* the newest of them */

/* The header fields that speak of the message; NULL: absent. */
struct era_headers {
    const char *version; /* MCP-Protocol-Version */
    const char *method;  /* Mcp-Method */
    const char *name;    /* Mcp-Name */
};

bool era_is_modern(const struct mcp_message *message, const struct era_headers *headers);

/* A modern message: is it whole, and does its head agree with it? */
bool era_check(const struct mcp_message *message, const struct era_headers *headers,
               struct rpc_fault *fault) must_check;

/* The version that `initialize` is answered with. */
const char *era_legacy_version(const char *asked);
