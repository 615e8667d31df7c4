/* gateway/catalog/routes.c - the table of paths, and finding one. */
#include "gateway/catalog/routes.h"

#include <string.h>

#include "base/mem.h"
#include "text/oauth/oauth.h"

#define ACCOUNT "{auuid}" /* placeholder of an account */
#define TOOL    "{tool}"  /* placeholder of a tool's name */
#define TOKEN   "{id}"    /* placeholder of a token's id */

static const char *const paths[] = {
    [ROUTE_NONE] = NULL,
    [ROUTE_LIVEZ] = "/livez",
    [ROUTE_READYZ] = "/readyz",
    [ROUTE_OPENAPI] = "/openapi.json",
    [ROUTE_TOOLS] = "/v1/tools",
    [ROUTE_LLMS] = "/llms.txt",
    [ROUTE_DRY_RUN] = "/v1/client/" ACCOUNT "/tools/" TOOL "/dry-run",
    [ROUTE_TOOL] = "/v1/client/" ACCOUNT "/tools/" TOOL,
    [ROUTE_CREDITS] = "/v1/client/" ACCOUNT "/account/credits",
    [ROUTE_USAGE] = "/v1/client/" ACCOUNT "/account/usage",
    [ROUTE_LIMITS] = "/v1/client/" ACCOUNT "/account/limits",
    [ROUTE_REQUESTS] = "/v1/client/" ACCOUNT "/account/requests",
    [ROUTE_INVOICES] = "/v1/client/" ACCOUNT "/account/invoices",
    [ROUTE_TOKENS] = "/v1/client/" ACCOUNT "/account/tokens",
    [ROUTE_ONE_TOKEN] = "/v1/client/" ACCOUNT "/account/tokens/" TOKEN,
    [ROUTE_TOKEN_REVOKE] = "/v1/client/" ACCOUNT "/account/tokens/" TOKEN "/revoke",
    [ROUTE_TOKEN_ROTATE] = "/v1/client/" ACCOUNT "/account/tokens/" TOKEN "/rotate",
    [ROUTE_MCP] = "/v1/client/" ACCOUNT "/mcp",
    [ROUTE_APP_MCP] = OAUTH_RESOURCE_PATH,
    [ROUTE_RESOURCE] = OAUTH_RESOURCE_METADATA_PATH,
};

static bool skip(const char **at, const char *expected)
{
    size_t size = strlen(expected);
    if (strncmp(*at, expected, size) != 0)
        return false;
    *at += size;
    return true;
}

static bool fits(const char *pattern, const char *path, struct route_names *names)
{
    *names = (struct route_names){ 0 };
    while (*pattern) {
        if (skip(&pattern, ACCOUNT)) {
            names->account = (struct text){ path, strcspn(path, "/") };
            path += names->account.size;
        } else if (skip(&pattern, TOOL)) {
            names->tool = *pattern ? (struct text){ path, strcspn(path, "/") } : text_of(path);
            path += names->tool.size;
        } else if (skip(&pattern, TOKEN)) {
            names->token = (struct text){ path, strcspn(path, "/") };
            path += names->token.size;
        } else if (*pattern++ != *path++) {
            return false;
        }
    }
    return *path == '\0';
}

bool route_is_mcp(enum route route)
{
    return route == ROUTE_MCP || route == ROUTE_APP_MCP;
}

bool route_is_tokens(enum route route)
{
    return route >= ROUTE_TOKENS && route <= ROUTE_TOKEN_ROTATE;
}

const char *route_scope(enum route route)
{
    static const char *const scopes[countof(paths)] = {
        [ROUTE_USAGE] = "usage",
        [ROUTE_REQUESTS] = "requests",
        [ROUTE_INVOICES] = "invoices",
    };
    return scopes[route];
}

enum route route_find(const char *path, struct route_names *names)
{
    if (strcmp(path, OAUTH_RESOURCE_PATH "/") == 0)
        path = OAUTH_RESOURCE_PATH;
    for (enum route route = ROUTE_NONE + 1; route < countof(paths); route++)
        if (fits(paths[route], path, names))
            return route;
    *names = (struct route_names){ 0 };
    return ROUTE_NONE;
}

char *route_path(enum route route, const char *tool)
{
    size_t rest = strlen(paths[route]) - (tool ? strlen(TOOL) : 0);
    return str_format("%.*s%s", (int)rest, paths[route], tool ? tool : "");
}
