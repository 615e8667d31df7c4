/*
 * gateway/catalog/routes.h - every path that the gateway serves: one table for the router
 * (gateway/front.c) and for the OpenAPI document.
 */
#pragma once

#include "base/text.h"

enum route {
    ROUTE_NONE, /* there is nothing at the path */
    ROUTE_LIVEZ,
    ROUTE_READYZ,
    ROUTE_OPENAPI,
    ROUTE_TOOLS,
    ROUTE_LLMS,
    ROUTE_TOOL,
    ROUTE_CREDITS,
    ROUTE_USAGE,
    ROUTE_LIMITS,
    ROUTE_MCP,
};

/* What a path names; empty when it does not. Borrowed from the path. */
struct route_names {
    struct text account; /* any text without a slash */
    struct text tool;    /* any text */
};

/* The route of a path as it was sent. */
enum route route_find(const char *path, struct route_names *names);

/* The path for documents: {auuid} stands for the account, the tool's name for the tool (NULL: the
 * path names none). The caller's to free. */
char *route_path(enum route route, const char *tool);
