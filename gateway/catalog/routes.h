/*
 * gateway/catalog/routes.h - all paths that the gateway serves: one table for the router
 * (gateway/front.c) and the OpenAPI document.
 */
#pragma once

#include "base/text.h"

enum route {
    ROUTE_NONE, /* unknown path */
    ROUTE_LIVEZ,
    ROUTE_READYZ,
    ROUTE_OPENAPI,
    ROUTE_TOOLS,
    ROUTE_LLMS,
    ROUTE_DRY_RUN, /* before ROUTE_TOOL, whose tool may be any text */
    ROUTE_TOOL,
    ROUTE_CREDITS,
    ROUTE_USAGE,
    ROUTE_LIMITS,
    ROUTE_REQUESTS,
    ROUTE_INVOICES,
    ROUTE_TOKENS, /* this and the next three: management tokens */
    ROUTE_ONE_TOKEN,
    ROUTE_TOKEN_REVOKE,
    ROUTE_TOKEN_ROTATE,
    ROUTE_MCP,
    ROUTE_APP_MCP,  /* the same for connected apps: the token names the account */
    ROUTE_RESOURCE, /* what an app reads to connect: RFC 9728 */
};

/* Is it one of the MCP routes? One of those that manage tokens? */
bool route_is_mcp(enum route route);
bool route_is_tokens(enum route route);

/* The scope with which a management token reads this about its account; NULL: it cannot. */
const char *route_scope(enum route route);

/* The names in a path, borrowed from it; empty if absent. */
struct route_names {
    struct text account; /* any text without a slash */
    struct text tool;    /* any text */
    struct text token;   /* any text without a slash */
};

/* The route of a path as sent. Hosts also write /mcp with a slash at its end. */
enum route route_find(const char *path, struct route_names *names);

/* The path for documents, with {auuid} for the account and the tool's name (NULL: no tool). The
 * caller frees it. */
char *route_path(enum route route, const char *tool);
