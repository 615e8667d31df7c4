/*
 * gateway/catalog/routes.h - every path that the gateway serves: one table for the router
 * (gateway/call/front.c) and for the OpenAPI document.
 */
#ifndef GATEWAY_CATALOG_ROUTES_H
#define GATEWAY_CATALOG_ROUTES_H

#include "base/buf.h"

enum route_kind { ROUTE_LIVEZ, ROUTE_READYZ, ROUTE_OPENAPI, ROUTE_TOOL, ROUTE_CREDITS };

struct route {
    enum route_kind kind;
    const char *path; /* {auuid} stands for an account, {tool}, at its end, for a tool's name */
};

/* What stood for them; empty when the path has none. Borrowed from the path. */
struct route_names {
    struct text account;
    struct text tool;
};

/* The route of a path as it was sent; NULL: there is nothing at it. An account and a tool may be
 * any text without a slash, and any text. */
const struct route *route_find(const char *path, struct route_names *names);

/* The path for documents: {auuid} stays, {tool} becomes the tool's name (NULL: there is none). The
 * caller's to free. */
char *route_path(enum route_kind kind, const char *tool);

#endif
