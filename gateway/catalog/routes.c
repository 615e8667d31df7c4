/* gateway/catalog/routes.c - the table of paths, and finding one. */
#include "gateway/catalog/routes.h"

#include <string.h>

#include "base/mem.h"

#define ACCOUNT "{auuid}"
#define TOOL    "{tool}"

/* clang-format off */
static const struct route routes[] = {
    { ROUTE_LIVEZ,   "/livez" },
    { ROUTE_READYZ,  "/readyz" },
    { ROUTE_OPENAPI, "/openapi.json" },
    { ROUTE_TOOL,    "/v1/client/" ACCOUNT "/tools/" TOOL },
    { ROUTE_CREDITS, "/v1/client/" ACCOUNT "/account/credits" },
};
/* clang-format on */

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
            names->tool = text_of(path);
            path += names->tool.size;
        } else if (*pattern++ != *path++) {
            return false;
        }
    }
    return *path == '\0';
}

const struct route *route_find(const char *path, struct route_names *names)
{
    for (size_t i = 0; i < countof(routes); i++)
        if (fits(routes[i].path, path, names))
            return &routes[i];
    *names = (struct route_names){ 0 };
    return NULL;
}

char *route_path(enum route_kind kind, const char *tool)
{
    for (size_t i = 0; i < countof(routes); i++)
        if (routes[i].kind == kind)
            return tool ? str_format("%.*s%s", (int)(strlen(routes[i].path) - strlen(TOOL)),
                                     routes[i].path, tool)
                        : str_dup(routes[i].path);
    return NULL;
}
