/* portal/oauth/oauth.c - see oauth.h. */
#include "portal/oauth/oauth.h"

#include <string.h>

#include "portal/oauth/clients/client.h"
#include "text/oauth/oauth.h"

bool oauth_is_on(const struct portal *portal)
{
    return conf_bool(portal->conf, "oauth.enabled");
}

bool oauth_registers(const struct portal *portal)
{
    return strcmp(conf_str(portal->conf, "oauth.registration"), "open") == 0 &&
           client_is_admitted(portal->conf, NULL);
}

struct counter *oauth_replays(const struct portal *portal)
{
    return metrics_counter(portal->metrics, "tollgate_oauth_replays_total",
                           "Connected apps revoked because a code or token was used again",
                           NO_LABELS);
}

/* Clients send the resource, the URL that was typed, or the host alone. */
static bool is_path(struct text path)
{
    struct text bare = text_before(path, "?");
    return bare.size == 0 || text_is(bare, "/") || text_is(bare, OAUTH_RESOURCE_PATH) ||
           text_is(bare, OAUTH_RESOURCE_PATH "/");
}

bool oauth_is_resource(const struct portal *portal, struct text resource)
{
    return resource.size == 0 || (text_begins_any_case(resource, portal->public_url) &&
                                  is_path(text_skip(resource, strlen(portal->public_url))));
}

bool oauth_are_resources(const struct portal *portal, const struct form *form)
{
    const char *resource;
    for (size_t i = 0; (resource = form_item(form, "resource", i)); i++)
        if (!oauth_is_resource(portal, text_of(resource)))
            return false;
    return true;
}
